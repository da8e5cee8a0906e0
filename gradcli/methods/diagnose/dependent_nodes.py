"""The nodes that depend on one element of the point, whichever branches and masks the program selected.

They tell which elements act only through flat operations although their input has a path to the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.number_systems import NumberSystem, with_keywords
from gradcli.engine.traces.straight_line_program import Operation
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Traversal
from gradcli.mathematics.rules.complex_parts import IMAG, REAL
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.diagnose.input_paths import cut_finding, cut_inputs
from gradcli.methods.diagnose.step_elements import StepElement
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.pytree import leaves
from gradcli.shared.records.result_and_finding import Finding

ORDERS = frozenset(("sort", "argsort", "argmax", "argmin", "argpartition", "lexsort"))


def only_through_outcomes(trace: Trace, numbers: Sequence[tuple[int, tuple[int, ...]]]) -> set[int]:
    """The elements of the point that affect an outcome but not the result.

    An element that a mask excluded counts as affecting the result, because another mask would select it; so do elements
    that were sorted. The cost is a pass over the trace per element.

    Args:
        trace: the run; its result is one number.
        numbers: each as the position of its leaf among the inputs, and its index in the leaf.
    """
    outcomes = (outcome for outcome in trace.outcomes if outcome.name not in ORDERS)
    last, asked = trace.result_index(), {index for outcome in outcomes for index in outcome.sources} - {CONSTANT}
    inputs, traversal = list(trace.input_indices()), _traversal(trace)
    elements = set()
    for number, (leaf, place) in enumerate(numbers if asked else ()):
        touched = _touched(traversal, _mark(trace, inputs[leaf], place))
        if not asked.isdisjoint(touched) and last not in touched:
            elements.add(number)
    return elements


def touches(trace: Trace, index: int, place: tuple[int, ...]) -> set[int]:
    """The nodes that depend on one element of an input, including the input."""
    return _touched(_traversal(trace), _mark(trace, index, place))


MOST_LOOKED_AT = 64  # elements of the inputs that are examined one by one


def cut_numbers(trace: Trace) -> Iterator[Finding]:
    """Yield a finding for each element that acts only through flat operations although its input has a path to the
    result.

    The result is one number.
    """
    cotangents = trace.cotangents()
    cut = cut_inputs(trace, cotangents)
    for structure in trace.inputs:
        indices = leaves(structure)
        if any(cotangents[index] is not UNTOUCHED for index in indices):
            yield from (
                cut_finding(trace, StepElement(trace, index).name, [index]) for index in indices if index in cut
            )
    inputs = list(trace.input_indices())
    zeros = (
        (n, place)
        for n, index in enumerate(inputs)
        if cotangents[index] is not UNTOUCHED and np.ndim(trace.nodes[index].value)
        for place in zip(*np.nonzero(np.equal(cotangents[index], 0)), strict=True)
    )
    numbers = list(islice(zeros, MOST_LOOKED_AT))
    for n, place in (numbers[outcome] for outcome in sorted(only_through_outcomes(trace, numbers))):
        yield cut_finding(trace, StepElement(trace, inputs[n], place).name, touches(trace, inputs[n], place))


def _traversal(trace: Trace) -> Traversal:
    return Traversal(trace.steps, _Marks())


def _mark(trace: Trace, index: int, place: tuple[int, ...]) -> dict[int, Any]:
    mark = np.zeros(np.shape(trace.nodes[index].value))
    mark[place] = 1.0
    return {index: mark}


def _touched(traversal: Traversal, marks: dict[int, Any]) -> set[int]:
    with ignored_float_errors():
        values = traversal.values(marks, asks_again=False)
    return {index for index, mark in enumerate(values) if mark is not None}


class _Marks(NumberSystem):
    """Masks of the elements that depend on a marked one, 0 for others; None where no element does."""

    def constant(self, value: Any) -> None:
        """None: constants are not marked."""

    def sees_node(self, operation: Operation) -> bool:
        """Always: the shapes are those of the node."""
        return True

    def function(self, operation: Operation) -> Callable[..., Any]:
        """The mask of the result. An element is marked if it depends on at least one marked element."""
        return with_keywords(partial(_passed, operation.rule), operation)


def _passed(rule: Any, node: TraceNode, *marks: Any, **static: Any) -> Any:
    """The elements of a node that depend on marked ones; all, if the rule does not tell."""
    marked = [mark for mark in marks if mark is not None]
    if not marked:
        return None
    if rule is REAL or rule is IMAG:
        return marked[0]
    if isinstance(rule, Elementwise):
        passed = sum(np.broadcast_to(mark, np.shape(node.value)) for mark in marked)
    elif rule.linear:
        pairs = zip(marks, node.operands, strict=True)
        passed = np.abs(rule.forward(*[np.zeros_like(x) if mark is None else mark for mark, x in pairs], **static))
    else:
        passed = np.ones(np.shape(node.value))
    return passed if np.any(passed) else None
