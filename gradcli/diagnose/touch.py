"""What one number of the point touches: which nodes are computed from it, whatever lane was taken on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.rules.complex import IMAG, REAL
from gradcli.rules.table import Elementwise
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace

ORDERS = frozenset(("sort", "argsort", "argmax", "argmin", "argpartition", "lexsort"))


def only_through_outcomes(trace: Trace, numbers: Sequence[tuple[int, tuple[int, ...]]]) -> set[int]:
    """Which of some numbers of the point touch what the program was told and do not touch the result.

    A lane that a mask left aside touches the result, for it would be taken if the mask turned; and so do numbers that
    were put in order.  The cost is a pass over the trace for each number.

    Args:
        trace: the run; its result is one number.
        numbers: each as the number of its leaf among the inputs, and its place in there.
    """
    told = (outcome for outcome in trace.outcomes if outcome.name not in ORDERS)
    last, asked = trace.result_index(), {index for outcome in told for index in outcome.sources} - {CONSTANT}
    inputs = list(trace.input_indices())
    found = set()
    for number, (leaf, place) in enumerate(numbers if asked else ()):
        touched = touches(trace, inputs[leaf], place)
        if not asked.isdisjoint(touched) and last not in touched:
            found.add(number)
    return found


def touches(trace: Trace, index: int, place: tuple[int, ...]) -> set[int]:
    """The nodes that are computed from one number of node `index`, itself among them."""
    mark = np.zeros(np.shape(trace.nodes[index].value))
    mark[place] = 1.0
    marks = {index: mark}
    with np.errstate(all="ignore"):
        for node in trace.nodes[index + 1 :]:
            if any(source in marks for source in node.sources):
                passed = _passed(node, marks)
                if np.any(passed):
                    marks[node.index] = passed
    return set(marks)


def _passed(node: TraceNode, marks: dict[int, Any]) -> Any:
    """Which numbers of a node are computed from those that are marked; all, where its rule does not tell."""
    rule = node.rule
    marked = [marks.get(source) for source in node.sources]
    if node.is_alias:
        return marked[0]
    if isinstance(rule, Elementwise):
        return sum(np.broadcast_to(mark, np.shape(node.value)) for mark in marked if mark is not None)
    if rule is None or not rule.linear:
        return np.ones(np.shape(node.value))
    if rule is REAL or rule is IMAG:
        return marked[0]
    arguments = [np.zeros_like(x) if mark is None else mark for mark, x in zip(marked, node.operands, strict=True)]
    return np.abs(rule.forward(*arguments, **node.static))
