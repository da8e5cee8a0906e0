"""Points exactly on the boundary of a branch, with another gradient on the other side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.traces.trace import Trace
from gradcli.methods.diagnose.isolated_points import SMALL, branch_finding, first_changing_outcome
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.numerics.nearby_gradients import Surroundings
from gradcli.methods.numerics.smooth_pieces import Pieces
from gradcli.shared.records.result_and_finding import Finding


def branch_boundary(
    trace: Trace, named: Callable[[], Trace], point: Mapping[str, Any], wanted: Sequence[str]
) -> tuple[Finding, set[str]] | None:
    """Finding G206 with the line of the comparison, and the inputs by which the sides differ; None if by none.

    Costs a few dozen runs if an outcome changes at the point, and next to nothing otherwise.
    """
    number = first_changing_outcome(trace)
    if number is None:
        return None
    types = (getattr(trace.nodes[index].value, "dtype", np.dtype(float)) for index in trace.input_indices())
    eps = max(float(np.finfo(kind).eps) for kind in types)
    with quiet():
        bends = _bends(Surroundings(trace.function, point, coordinates(point, wanted), eps))
    if not bends:
        return None
    return branch_finding([text for _, text in bends], named, number), {name for name, _ in bends}


def _bends(around: Surroundings) -> list[tuple[str, str]]:
    """The inputs of the parts by which the derivatives near the point differ, and the descriptions of these."""
    pieces = Pieces(around, SMALL)
    bends = []
    for part, slopes, varies in zip(around.parts, pieces.gradients.T, pieces.varying, strict=True):
        if varies:
            least, most = np.min(slopes), np.max(slopes)
            small = SMALL * max(abs(least), abs(most))
            sides = " to ".join(f"{x if abs(x) > small else 0.0:.6g}" for x in (least, most))
            text = f"the derivative by {part.name} ranges from {sides} nearby; the one shown is that of the side taken"
            bends.append((part.input, text))
    return bends
