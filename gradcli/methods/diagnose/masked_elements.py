"""Elements that the program did not select and that would spoil the gradient of tools that multiply by zero: G103."""

from __future__ import annotations

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
        "were selected. Tools that multiply by zero give nan, unless the argument is replaced where it is not selected"
    )
    return finding("G103", text, **lane.places())


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
