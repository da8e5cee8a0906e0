"""Points exactly on the boundary of a branch, with another gradient on the other side."""

from __future__ import annotations

import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.checks.nonsmooth.nearby_gradients import Surroundings
from gradcli.checks.nonsmooth.smooth_pieces import Pieces
from gradcli.diagnose.outcome_margins import changing_outcomes
from gradcli.exact.one_sided_limits import limits, stands_alone
from gradcli.findings import finding
from gradcli.numerics.coordinates import Coordinate, coordinates, pick
from gradcli.records import Finding
from gradcli.running.muted_reruns import quiet
from gradcli.traces.trace import Trace

SMALL = 1e-6  # fraction of the larger of two slopes below which the smaller counts as 0, measured at a small distance
MOST_OUTCOMES = 1000  # most outcomes that are tested
MOST_ALONE = 64  # most numbers of the point that are tested one by one


def on_switch(
    trace: Trace,
    named: Callable[[], Trace],
    function: Callable[..., Any],
    point: Mapping[str, Any],
    wanted: Sequence[str],
) -> Finding | None:
    """Finding G206 with the line of the comparison, or None if both sides have the same gradient.

    Costs a few dozen runs if an outcome turns at the point, and next to nothing otherwise.
    """
    number = next(changing_outcomes(trace), None) if len(trace.outcomes) <= MOST_OUTCOMES else None
    if number is None:
        return None
    parts = coordinates(point, wanted)
    types = (getattr(trace.nodes[index].value, "dtype", np.dtype(float)) for index in trace.input_indices())
    eps = max(float(np.finfo(kind).eps) for kind in types)
    with quiet():
        alone = list(_of_one_point(trace, function, point, parts))
        told = alone or _bent(Surroundings(function, point, parts, eps))
    if not told:
        return None
    text = told[0] + (f"; likewise for {len(told) - 1} more" if told[1:] else "")
    with quiet():
        outcomes = named().outcomes
    file, line = (outcomes[number].place if number < len(outcomes) else None) or (None, None)
    source = linecache.getline(file, line).strip() if file and line else ""
    said = finding("G206", f"{text}; `{source}`" if source else text, file=file, line=line)
    return said.changed(severity="warning") if alone else said


def _of_one_point(
    trace: Trace, function: Callable[..., Any], point: Mapping[str, Any], parts: Sequence[Coordinate]
) -> Iterator[str]:
    """Describe the parts for which the recorded path holds at this point only."""
    by_leaf = [trace.sensitivities()[index] for index in trace.input_indices()]
    for part in parts[:MOST_ALONE]:
        found = limits(function, point, part) if stands_alone(trace, point, part) else None
        if found is not None and not np.allclose(pick(by_leaf, part), found[2:4], rtol=SMALL, atol=found.error):
            left, right = (f"{slope if abs(slope) > found.error else 0.0:.10g}" for slope in found[2:4])
            ends = right if left == right else f"{left} from the left and to {right} from the right"
            path = f"the derivative by {part.name} belongs to a path that only this point takes"
            yield f"{path}; next to it the slope tends to {ends}"


def _bent(around: Surroundings) -> list[str]:
    """Describe the parts by which the derivatives near the point differ."""
    pieces = Pieces(around, SMALL)
    found = []
    for part, slopes, varies in zip(around.parts, pieces.gradients.T, pieces.varying, strict=True):
        if varies:
            least, most = np.min(slopes), np.max(slopes)
            small = SMALL * max(abs(least), abs(most))
            sides = " to ".join(f"{x if abs(x) > small else 0.0:.6g}" for x in (least, most))
            found.append(
                f"the derivative by {part.name} ranges from {sides} nearby; the one shown is that of the side taken"
            )
    return found
