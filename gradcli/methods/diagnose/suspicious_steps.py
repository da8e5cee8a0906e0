"""Steps whose numbers are finite but suspicious: at a tie, a kink or a bound, underflowed, or with fewer digits.

Every `gradcli grad` looks for them; the findings on them are made in `finite_run_findings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.shared.float_errors import ignored_float_errors

LOST = 1e-5  # the relative error of a sum in a narrow dtype above which it is reported


def suspicious_steps(trace: Trace) -> list[tuple[TraceNode, Any]]:
    """The suspicious steps of a run, each with the mask of its suspicious elements."""
    seen = (node for node in trace.nodes if node.operation in WATCHED)
    return [(node, wrong) for node in seen if np.any(wrong := _suspicious(node))]


def _suspicious(node: TraceNode) -> Any:
    with ignored_float_errors():
        return WATCHED[node.operation](node)


def first_vanished(nodes: Iterable[TraceNode]) -> str | None:
    """The operation of the first step whose value has underflowed to 0; None if there is none."""
    seen = (node for node in nodes if WATCHED.get(node.operation) is _vanished)
    return next((node.operation for node in seen if np.any(_suspicious(node))), None)


def narrowing_step(trace: Trace) -> TraceNode | None:
    """The first step that converts float64 to a dtype with fewer digits; None if there is none."""
    return next(filter(_narrows, trace.nodes), None) if trace.has_arrays else None


def _narrows(node: TraceNode) -> bool:
    narrow = getattr(node.value, "dtype", None) in (np.float32, np.float16)
    taken = [node.operands[p] for p in node.positions]
    return narrow and any(type(x) is float or getattr(x, "dtype", None) == np.float64 for x in taken)


# Masks of the suspicious elements of a step


def _tied_along_axes(node: TraceNode) -> Any:
    keeps = bool(node.static.get("keepdims", False))
    return np.sum(np.equal(node.operands[0], extreme(node)), axis=node.static.get("axis"), keepdims=keeps) > 1


def extreme(node: TraceNode) -> Any:
    """The largest or smallest elements that a step took, with its axes kept."""
    rule, static = node.rule, dict(node.static)
    return rule.forward(node.operands[0], **{**static, "keepdims": True})


def _vanished(node: TraceNode) -> Any:
    return np.equal(node.value, 0) & np.isfinite(node.operands[0])


def _is_inexact(node: TraceNode) -> Any:
    """Whether a sum in a narrow dtype has lost digits of its terms."""
    if getattr(node.value, "dtype", None) not in (np.float32, np.float16):
        return False
    rule: ArrayRule = node.rule
    whole = rule.forward(np.asarray(node.operands[0], dtype=np.float64), **node.static)
    return np.abs(node.value - whole) > LOST * np.abs(whole)


WATCHED: dict[str, Callable[[TraceNode], Any]] = {
    **dict.fromkeys(("maximum", "minimum", "fmax", "fmin"), lambda node: np.equal(*node.operands)),
    **dict.fromkeys(("max", "min"), _tied_along_axes),
    **dict.fromkeys(("abs", "relu", "root"), lambda node: np.equal(node.operands[0], 0)),
    **dict.fromkeys(("exp", "exp2", "erfc"), _vanished),
    **dict.fromkeys(("sum", "mean"), _is_inexact),
    "clip": lambda node: np.equal(node.operands[0], node.operands[1]) | np.equal(node.operands[0], node.operands[2]),
    "pow": lambda node: 1 in node.positions and np.equal(node.operands[0], 0) & (np.asarray(node.operands[1]) > 0),
}
