"""Points beside which the function goes on with another slope, as behind `if x == 0`, or where its value jumps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.methods.diagnose.outcome_margins import changing_outcomes, nodes_at_kink, outcomes_within_tolerance
from gradcli.methods.exact.one_sided_limits import (
    BEYOND,
    NARROW,
    OneSidedLimits,
    direction,
    limits,
    next_to,
    path_width,
    real_type,
    scale,
    stands_alone,
)
from gradcli.methods.numerics.coordinates import Coordinate, arguments_along, arguments_with_number, coordinates, pick
from gradcli.shared.findings import finding, finding_at
from gradcli.shared.records.result_and_finding import Finding

SMALL = 1e-6  # fraction of the larger of two slopes below which the smaller counts as 0, measured at a small distance
MOST_OUTCOMES = 1000  # most outcomes that are tested
MOST_ALONE = 64  # most numbers of the point that are tested one by one


def first_changing_outcome(trace: Trace) -> int | None:
    """The first outcome that a negligible change of the inputs changes; None if there is none, or too many to test."""
    if len(trace.outcomes) > MOST_OUTCOMES:
        return None
    return next(chain(changing_outcomes(trace), outcomes_within_tolerance(trace)), None)


def isolated_point(
    trace: Trace,
    named: Callable[[], Trace],
    function: Callable[..., Any],
    point: Mapping[str, Any],
    wanted: Sequence[str],
) -> tuple[Finding, set[str]] | None:
    """Finding G206 with a comparison's line, and the inputs that it is about; None if the path holds next to the point.

    The result is one number. It is a note at a kink whose convention the path holds, such as a slope of 0 for a norm of
    zeros. Costs a few dozen runs if an outcome changes at the point, and next to nothing otherwise.
    """
    number = first_changing_outcome(trace)
    if number is None:
        return None
    with quiet():
        comparisons = [
            (part, slope, ends, width)
            for part, slope, width in _isolated(trace, point, coordinates(point, wanted)[:MOST_ALONE])
            if (ends := _ends(function, point, part, width)) is not None and _differs(slope, ends)
        ]
    if not comparisons:
        return None
    texts = [_text(part, ends, width) for part, _, ends, width in comparisons]
    is_between = all(_is_between(slope, trace.value, ends) for _, slope, ends, _ in comparisons)
    made = branch_finding(texts, named, number).changed(severity="note" if is_between else "warning")
    return made, {part.input for part, *_ in comparisons}


def branch_finding(texts: Sequence[str], named: Callable[[], Trace], number: int) -> Finding:
    """Finding G206 with the first of some texts and the line of an outcome."""
    text = texts[0] + (f"; likewise for {len(texts) - 1} more" if texts[1:] else "")
    with quiet():
        outcomes = named().outcomes
    return finding_at("G206", text, outcomes[number].place if number < len(outcomes) else None)


def _isolated(
    trace: Trace, point: Mapping[str, Any], parts: Sequence[Coordinate]
) -> Iterator[tuple[Coordinate, float, float]]:
    """Yield the numbers of the point for which the recorded path holds only there, their derivatives and its width."""
    by_leaf = [trace.sensitivities()[index] for index in trace.input_indices()]
    is_wide = next(outcomes_within_tolerance(trace), None) is not None
    for part in parts:
        if stands_alone(trace, point, part):
            yield part, pick(by_leaf, part), 0.0
        elif is_wide and (width := path_width(trace, point, part)) < NARROW * scale(part):
            yield part, pick(by_leaf, part), width


def _ends(
    function: Callable[..., Any], point: Mapping[str, Any], part: Coordinate, width: float
) -> OneSidedLimits | None:
    """The limits beside a number of the point; where many digits have none, the derivatives of runs beside it."""
    both = limits(function, point, part, width)
    if both is not None or not width:
        return both
    away = max(next_to(real_type(point, part)) * scale(part), BEYOND * width)
    try:
        ends = [[_run(function, point, part, sign * far) for far in (away, 2 * away)] for sign in (-1.0, 1.0)]
    except program_errors():
        return None
    (below, left), (above, right) = (near for near, _ in ends)
    error = sum(abs(near[1] - far[1]) for near, far in ends)
    return OneSidedLimits(below, above, left, right, error)


def _run(function: Callable[..., Any], point: Mapping[str, Any], part: Coordinate, away: float) -> tuple[float, float]:
    """The value beside the point, and the derivative of the run there."""
    run = record_trace(function, tuple(arguments_with_number(point, part, part.value + away)), names=False)
    if run.result_index() is None:
        return float(run.value), 0.0
    return float(run.value), pick([run.sensitivities()[index] for index in run.input_indices()], part)


def _differs(slope: float, ends: OneSidedLimits) -> bool:
    return not np.allclose(slope, (ends.left, ends.right), rtol=SMALL, atol=ends.error)


def _is_between(slope: float, value: float, ends: OneSidedLimits) -> bool:
    """Whether the point is at a kink, and its derivative between the slopes beside it, all of which are valid."""
    least, most = sorted((ends.left, ends.right))
    is_continuous = np.allclose(value, (ends.below, ends.above), rtol=SMALL, atol=SMALL)
    return bool(is_continuous and least - ends.error <= slope <= most + ends.error)


def _text(part: Coordinate, ends: OneSidedLimits, width: float) -> str:
    left, right = (f"{slope if abs(slope) > ends.error else 0.0:.10g}" for slope in (ends.left, ends.right))
    sides = right if left == right else f"{left} from the left and to {right} from the right"
    taken = f"holds only within {width:.1g} of this point" if width else "only this point takes"
    path = f"the derivative by {part.name} belongs to a path that {taken}"
    return f"{path}; next to it the slope tends to {sides}"


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
    except program_errors():
        return 0.0
    least = LEAST * abs(float(trace.value))
    return max(near if near > max(LASTING * far, least) and far > LASTING * near else 0.0 for far, near in sides)
