"""The decimal digits that the nodes of a program lose, and that its results keep."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.shared.float_errors import ignored_float_errors


def digits_lost(run: Trace, nodes: Sequence[TraceNode], errors: Sequence[Any], half_ulp: float) -> list[float]:
    """For each node, the decimal digits that its result has fewer than its worst argument; for arrays, the most.

    `nodes` are those of the run, or nodes that stand for several of them; `errors` are those of the run's nodes.
    """
    relative = [_relative(error, node.value, half_ulp) for error, node in zip(errors, run.nodes, strict=True)]
    return [_lost(node, relative, half_ulp) for node in nodes]


def _relative(error: Any, value: Any, half_ulp: float) -> float:
    with ignored_float_errors():
        relative = np.where(np.asarray(error) == 0, 0.0, np.asarray(error) / np.abs(value))
    return max(half_ulp, float(np.max(relative, initial=0.0)))


def _lost(node: TraceNode, relative: list[float], half_ulp: float) -> float:
    if not node.is_computed:
        return 0.0
    before = max((relative[source] for source in node.inputs), default=half_ulp)
    return max(0.0, float(np.log10(relative[node.index] / before))) if np.isfinite(before) else 0.0


def good_digits(value: float, error: float, half_ulp: float) -> float:
    """The correct decimal digits of a number with this error bound, at most those of its dtype."""
    most = -float(np.log10(half_ulp))
    if error == 0 and np.isfinite(value):
        return most
    return min(most, -float(np.log10(error / abs(value)))) if np.isfinite(value) and error < abs(value) else 0.0


def dtype_of(trace: Trace) -> str:
    """The coarsest floating-point dtype in which a run computes."""
    return coarsest(getattr(node.value, "dtype", "") for node in trace.nodes)


def coarsest(dtypes: Iterable[Any]) -> str:
    """The coarsest floating-point dtype among some; float64 where there is none."""
    kinds = {str(dtype).replace("complex64", "float32") for dtype in dtypes}
    return next((kind for kind in ("float16", "float32") if kind in kinds), "float64")
