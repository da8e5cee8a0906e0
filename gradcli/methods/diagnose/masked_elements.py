"""Elements that the program did not select and that would spoil the gradient of tools that multiply by zero: G103."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import takewhile
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import fit
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.number_systems import Floats, Pull, Step
from gradcli.engine.traces.straight_line_program import Operation
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Traversal
from gradcli.mathematics.rules.indexing import INDEX
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.diagnose.nonfinite_backward import slope_of
from gradcli.methods.diagnose.nonfinite_forward import reachability_masks
from gradcli.methods.diagnose.step_elements import StepElement, applied, first_place, inexact_array
from gradcli.shared.findings import finding
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.records.result_and_finding import Finding

MOST_NODES = 20_000  # for longer traces, a second sweep would take too long
HARMLESS = (1.0, 0.5, 2.0)  # arguments at which some operations are defined and have finite slopes
OPERATORS = {ast.Pow: "pow", ast.Div: "div", ast.Mult: "mul", ast.Mod: "mod"}


def masked(trace: Trace) -> Finding | None:
    """A finding for the first step, from the result backwards, with an unselected element of infinite slope.

    None if there is no such step, or if the trace is too long for a second sweep.
    """
    if not isinstance(trace.result, int) or len(trace.nodes) > MOST_NODES or not any(map(_selects, trace.nodes)):
        return None
    lane = _spoiler(trace)
    if lane is None:
        return None
    what = applied(lane.node.operation, lane.operands)
    text = (
        f"{what} was computed but not selected, and its slope is not finite: the gradient follows the values that "
        "were selected. Tools that multiply by zero give nan"
    )
    safe = safe_line(lane)
    return finding("G103", text + (f"; for them, write {safe}" if safe else ""), **lane.places())


def _selects(node: TraceNode) -> bool:
    rule = node.rule
    return rule is not None and (rule.selects or rule is INDEX)


def _spoiler(trace: Trace) -> StepElement | None:
    """The first unreached element whose contribution is not finite in a sweep that multiplies by zero."""
    sweep, last = _TimesZero(trace), trace.result
    values = [node.value for node in trace.nodes]
    with ignored_float_errors():
        Traversal(trace.steps, sweep).cotangents(values, last, np.ones_like(values[last]))
    return sweep.spoiler


class _TimesZero(Floats):
    """A sweep that multiplies unselected elements by zero, up to the first element that this spoils.

    Attributes:
        spoiler: that element.
    """

    def __init__(self, trace: Trace) -> None:
        self.trace, self.marks = trace, reachability_masks(trace)
        self.spoiler: StepElement | None = None

    def sees_node(self, operation: Operation) -> bool:
        """Always: the mask of reached elements belongs to the node."""
        return True

    def between(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Stop when an element is spoiled."""
        return takewhile(lambda _: self.spoiler is None, steps)

    def pull(self, operation: Operation) -> Pull:
        """The finite part of the cotangent times the partials."""
        return partial(self._pull, operation)

    def _pull(self, operation: Operation, node: TraceNode, ct: Any, *_: Any) -> Iterator[tuple[int, Any]]:
        for position in operation.positions:
            contribution = _contribution(node, position, ct)
            bad = ~np.isfinite(inexact_array(contribution))
            if isinstance(node.rule, Elementwise) and np.any(bad):
                aside = np.broadcast_to(bad, np.shape(node.value)) & ~np.asarray(self.marks[node.index])
                if np.any(aside):
                    self.spoiler = StepElement(self.trace, node.index, first_place(aside))
                    return
            yield position, np.where(bad, 0.0, contribution)[()]

    def add(self, present: Any, contribution: Any, source: TraceNode) -> Any:
        """The sum in the shape of the node."""
        return super().add(present, fit(contribution, source.value), source)


def _contribution(node: TraceNode, position: int, ct: Any) -> Any:
    rule = node.rule
    if isinstance(rule, Elementwise):
        return ct * slope_of(node, position)
    return rule.vjp(position, ct, node.value, node.operands, node.static)


def safe_line(lane: StepElement) -> str | None:
    """The user's selection with a harmless argument for the operation where it is not selected, as two lines."""
    node = lane.node
    if node.file and node.line:
        text = linecache.getline(node.file, node.line).strip().removeprefix("return ")
    else:
        text = _typed(lane) or ""
    try:
        tree = ast.parse(text.replace("^", "**"))
    except (SyntaxError, ValueError):
        return None
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and _called(call) == "where" and len(call.args) == 3:
            for side in (1, 2):
                if (inner := _operation(call.args[side], lane.node.operation)) is not None:
                    return _repaired(call, side, inner, lane)
    return None


def _typed(lane: StepElement) -> str | None:
    """The text of the selection, in a typed expression, that contains the element."""
    later = (node for node in lane.trace.nodes[lane.index :] if node.rule is not None and node.rule.conditional)
    return next((node.name for node in later if node.name), None)


def _called(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _operation(tree: ast.AST, name: str) -> ast.expr | None:
    """The call or the operator of an operation within an expression."""
    for part in ast.walk(tree):
        if isinstance(part, ast.Call) and _called(part) == name and part.args:
            return part
        if isinstance(part, ast.BinOp) and OPERATORS.get(type(part.op)) == name:
            return part
    return None


def _repaired(call: ast.Call, side: int, inner: ast.expr, lane: StepElement) -> str:
    """Two lines: the operation's argument, replaced where it is not selected, and the selection with it."""
    number, safe = ast.Constant(_harmless(lane)), ast.Name("safe")
    if isinstance(inner, ast.Call):
        argument, inner.args[0] = inner.args[0], safe
    elif isinstance(inner, ast.BinOp) and isinstance(inner.op, ast.Pow):
        argument, inner.left = inner.left, safe
    elif isinstance(inner, ast.BinOp):
        argument, inner.right = inner.right, safe
    lanes = [argument, number] if side == 1 else [number, argument]
    chosen = ast.Call(call.func, [call.args[0], *lanes], [])
    return f"`safe = {ast.unparse(chosen)}`, then `{ast.unparse(call)}`"


def _harmless(lane: StepElement) -> float:
    """A number at which the operation is defined and has a finite slope."""
    rule = lane.node.rule
    for number in HARMLESS:
        at = (rule.ieee(*[number] * len(rule.parameters)), *[number] * len(rule.parameters))
        slopes = [partial(*at) for partial in rule.slopes.on_numbers if partial is not None]
        if bool(rule.is_defined(*at)) and all(map(np.isfinite, slopes)):
            return number
    return HARMLESS[0]
