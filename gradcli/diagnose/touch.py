"""What one number of the point touches: which rows are computed from it, whatever lane was taken on the way."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.rules.complex import IMAG, REAL
from gradcli.rules.table import Elementwise
from gradcli.tape.tape import ALIAS, CONSTANT, Row
from gradcli.traces.trace import Trace

ORDERS = frozenset(("sort", "argsort", "argmax", "argmin", "argpartition", "lexsort"))


def only_through_outcomes(tape: Trace, numbers: Sequence[tuple[int, tuple[int, ...]]]) -> set[int]:
    """Which of some numbers of the point touch what the program was told and do not touch the result.

    A lane that a mask left aside touches the result, for it would be taken if the mask turned; and so do numbers that
    were put in order.  The cost is a pass over the tape for each number.

    Args:
        tape: the run; its result is one number.
        numbers: each as the number of its leaf among the inputs, and its place in there.
    """
    told = (outcome for outcome in tape.outcomes if outcome[1] not in ORDERS)
    last, asked = tape.result_index(), {index for outcome in told for index in outcome[3]} - {CONSTANT}
    rows = list(tape.input_rows())
    found = set()
    for number, (leaf, place) in enumerate(numbers if asked else ()):
        touched = touches(tape, rows[leaf], place)
        if not asked.isdisjoint(touched) and last not in touched:
            found.add(number)
    return found


def touches(tape: Trace, row: int, place: tuple[int, ...]) -> set[int]:
    """The rows that are computed from one number of row `row`, itself among them."""
    mark = np.zeros(np.shape(tape.rows[row][1]))
    mark[place] = 1.0
    marks = {row: mark}
    with np.errstate(all="ignore"):
        for index in range(row + 1, len(tape.rows)):
            if any(source in marks for source in tape.rows[index][2::2]):
                passed = _passed(tape.rows[index], marks)
                if np.any(passed):
                    marks[index] = passed
    return set(marks)


def _passed(row: Row, marks: dict[int, Any]) -> Any:
    """Which numbers of a row are computed from those that are marked; all, where its rule does not tell."""
    operation, rule = row[0], row[0].rule
    marked = [marks.get(source) for source in row[2::2]]
    if operation is ALIAS:
        return marked[0]
    if isinstance(rule, Elementwise):
        return sum(np.broadcast_to(mark, np.shape(row[1])) for mark in marked if mark is not None)
    if rule is None or not rule.linear:
        return np.ones(np.shape(row[1]))
    if rule is REAL or rule is IMAG:
        return marked[0]
    arguments = [np.zeros_like(x) if mark is None else mark for mark, x in zip(marked, row[3::2], strict=True)]
    return np.abs(rule.forward(*arguments, **operation.static))
