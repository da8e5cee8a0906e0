"""The cotangents inside a statement, from its result back to its operands.

Two sweeps are possible. Where the sweep of the whole run met finite numbers only, each node passes on all that its
rule says. Where it did not, a partial of an element that no path leads from may be infinite: the sweep then keeps marks
of the elements that it reached (`masked_reverse`), and so do the contributions here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED, fit
from gradcli.engine.tape.sweeps.masked_reverse import Marks, Passed, fit_marks
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.shared.float_errors import ignored_float_errors

Masks = Mapping[int, Marks]  # by position of the operand: the elements that count, if others are not finite


def marks_of(trace: Trace) -> list[Marks] | None:
    """For each node, the elements that the sweep reached; None if all cotangents are finite."""
    last = trace.result_index()
    if last is None or not trace.is_doubted:
        return None
    marks: list[Marks] = trace.marked(last).marks
    return marks


class StatementCotangents:
    """The cotangents of the nodes of a statement.

    Args:
        head: the node that the statement computed.
        ct: its cotangent.
        marks: the elements of it that were reached; None if all cotangents of the run are finite.

    Attributes:
        numbers: the cotangents by node; `UNTOUCHED` for a node to which nothing was passed yet.
    """

    def __init__(self, head: int, ct: Any, marks: Marks | None) -> None:
        self.numbers: defaultdict[int, Any] = defaultdict(lambda: UNTOUCHED, {head: ct})
        self._marks = None if marks is None else {head: marks}

    def pull(self, node: TraceNode) -> Masks:
        """Pass a node's cotangent to its operands, under IEEE 754.

        Returns:
            The masks of the contributions whose text would not be finite otherwise; False if nothing was selected.
        """
        if self._marks is not None:
            with ignored_float_errors():
                return self._pull_reached(node, self._marks)
        ct = self.numbers[node.index]
        is_plain = type(ct) is float and not node.is_of_arrays  # Python's floats raise no warnings
        with nullcontext() if is_plain else ignored_float_errors():
            node.pull(ct, self.numbers)
        return {}

    def _pull_reached(self, node: TraceNode, marks: dict[int, Marks]) -> Masks:
        masks: dict[int, Marks] = {}
        ct, here = self.numbers[node.index], marks[node.index]
        for position in node.positions:
            if (passed := node.passed(position, ct, here)) is None:
                masks[position] = False
                continue
            if passed[1] is not True and not _is_finite(node.passed(position, ct, True)):
                masks[position] = passed[1]
            self._add(node.sources[position], node.operands[position], passed, marks)
        return masks

    def _add(self, operand: int, like: Any, passed: Passed, marks: dict[int, Marks]) -> None:
        """Add what was passed to the cotangent and to the marks of an operand with the value `like`."""
        number, reached = fit(passed[0], like), fit_marks(passed[1], like)
        present, marked = self.numbers[operand], marks.get(operand, False)
        self.numbers[operand] = number if present is UNTOUCHED else present + number
        marks[operand] = reached is True or marked is True or reached | marked


def _is_finite(passed: Passed | None) -> bool:
    return passed is None or bool(np.all(np.isfinite(passed[0])))
