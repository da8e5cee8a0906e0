"""The cotangents inside a statement, from its result back to its operands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED, fit
from gradcli.engine.tape.sweeps.masked_reverse import Marks, fit_marks
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.shared.float_errors import ignored_float_errors

Masks = Mapping[int, Marks]  # by position: the elements of a contribution that count, if others are not finite


def marks_of(trace: Trace) -> list[Marks] | None:
    """For each node, the elements that the sweep reached; None if all cotangents are finite."""
    last = trace.result_index()
    if last is None or not trace.is_doubted:
        return None
    marks: list[Marks] = trace.marked(last).marks
    return marks


class Cotangents(dict[int, Any]):
    """The cotangents of a few nodes, usable where a sweep expects those of all.

    Args:
        head: the node that the statement computed.
        ct: its cotangent.
        marks: the elements of it that were reached, or None.
    """

    def __init__(self, head: int, ct: Any, marks: Marks | None) -> None:
        super().__init__({head: ct})
        self.marks = None if marks is None else {head: marks}

    def __missing__(self, index: int) -> Any:
        return UNTOUCHED

    def pull(self, node: TraceNode) -> Masks:
        """Pass one node's cotangent on, under IEEE 754; operands that were not selected get exactly nothing."""
        if self.marks is None and type(self[node.index]) is float and not node.is_of_arrays:
            node.pull(self[node.index], self)
            return {}
        with ignored_float_errors():
            if self.marks is not None:
                return self._pull_reached(node, self.marks)
            node.pull(self[node.index], self)
            return {}

    def _pull_reached(self, node: TraceNode, marks: dict[int, Marks]) -> Masks:
        masks: dict[int, Marks] = {}
        ct, here = self[node.index], marks[node.index]
        for position in node.positions:
            operand, like = node.sources[position], node.operands[position]
            if (passed := node.passed(position, ct, here)) is None:
                masks[position] = False
                continue
            number, reached = fit(passed[0], like), passed[1]
            if reached is not True and not _is_finite(node.passed(position, ct, True)):
                masks[position] = reached
            present, marked = self[operand], marks.get(operand, False)
            self[operand] = number if present is UNTOUCHED else present + number
            there = fit_marks(reached, like)
            marks[operand] = there is True or marked is True or there | marked
        return masks


def _is_finite(passed: tuple[Any, Marks] | None) -> bool:
    return passed is None or bool(np.all(np.isfinite(passed[0])))
