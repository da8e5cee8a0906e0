"""Jumps of the value at the point, where a step such as `floor`, `%` or a comparison changes its outcome."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import Trace
from gradcli.methods.diagnose.isolated_points import first_changing_outcome
from gradcli.methods.diagnose.outcome_margins import nodes_at_kink
from gradcli.methods.exact.one_sided_limits import direction, next_to, real_type, scale
from gradcli.methods.numerics.coordinates import arguments_along, coordinates
from gradcli.shared.findings import finding
from gradcli.shared.records.result_and_finding import Finding

NEAR, FAR = 16.0, 1024.0  # distances, in units next to the number
LASTING = 0.9  # share of the change over the far distance that a jump leaves over the near one
LEAST = 1e-5  # of the value: smaller changes may be those of an iteration, which stops within a tolerance


def value_jump(
    trace: Trace, named: Callable[[], Trace], point: Mapping[str, Any], wanted: Sequence[str]
) -> Finding | None:
    """Finding G204 with the line of the step, or None if the value of the function, one number, does not jump.

    Costs four runs if an outcome changes at the point, and next to nothing otherwise.
    """
    number = first_changing_outcome(trace)
    at_kink = ((row, trace.nodes[row].rule) for row in nodes_at_kink(trace))
    row = next((row for row, rule in at_kink if rule.jumps or rule.step), None)
    if number is None and row is None:
        return None
    with quiet():
        size = _jump(trace, point, wanted)
        if not size:
            return None
        again = named()
    met = again.outcomes[number] if number is not None else again.nodes[row or 0]
    file, line = met.place or (None, None)
    return finding("G204", f"the value jumps by {size:.6g} here, so there is no derivative", file=file, line=line)


def _jump(trace: Trace, point: Mapping[str, Any], wanted: Sequence[str]) -> float:
    """The larger jump of the value beside the point, along a line that moves every number; 0 if there is none."""
    parts = coordinates(point, wanted)
    steps = [next_to(real_type(point, part)) * scale(part) * (n + 1) / len(parts) for n, part in enumerate(parts)]
    way = direction(point, parts, steps)

    def change(away: float) -> float:
        return abs(float(trace.function(*arguments_along(point, way, away))) - float(trace.value))

    try:
        sides = [(change(sign * FAR), change(sign * NEAR)) for sign in (-1.0, 1.0)]
    except Exception:  # beside the point, the user's function may raise anything
        return 0.0
    least = LEAST * abs(float(trace.value))
    return max(near if near > max(LASTING * far, least) and far > LASTING * near else 0.0 for far, near in sides)
