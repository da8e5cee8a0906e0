"""The cotangents of a statement: what its rows pass back, down to what the statement was computed from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.tape.accumulate import UNTOUCHED, fit, plain
from gradcli.tape.compiled import ARITHMETIC
from gradcli.tape.reach import Marks, ReachedSweep, fit_marks, passed
from gradcli.tape.tape import Row
from gradcli.traces.trace import Trace

Masks = Mapping[int, Marks]  # by position, which numbers of what is passed back count, where others are not finite


def marks_of(recording: Trace) -> list[Marks] | None:
    """For each row which of its numbers were reached; None where all cotangents are finite, so that nobody asks."""
    last = recording.result_index()
    if last is None or not recording.doubted:
        return None
    return ReachedSweep(recording, last, recorded=False).run(np.ones_like(recording.rows[last][1])[()]).marks


class Cotangents(dict[int, Any]):
    """The cotangents of a few rows, where a sweep expects those of all.

    Args:
        head: the row that the statement computed.
        ct: its cotangent.
        marks: which of its numbers were reached; None where nobody asks.
    """

    def __init__(self, head: int, ct: Any, marks: Marks | None) -> None:
        super().__init__({head: ct})
        self.marks = None if marks is None else {head: marks}

    def __missing__(self, index: int) -> Any:
        return UNTOUCHED

    def pull(self, row: Row, index: int) -> Masks:
        """Pass the cotangent of one row on, by IEEE 754; what the program did not take gets exactly nothing."""
        with np.errstate(all="ignore"):
            if self.marks is not None:
                return self._pull_reached(row, index, self.marks)
            try:
                row[0].pull(plain(self[index]), self, row)
            except ARITHMETIC:
                row[0].safe_pull(plain(self[index]), self, row)
            return {}

    def _pull_reached(self, row: Row, index: int, marks: dict[int, Marks]) -> Masks:
        masks: dict[int, Marks] = {}
        ct, here = plain(self[index]), marks[index]
        for position in row[0].recorded:
            operand, like = row[2 + 2 * position], row[3 + 2 * position]
            if (found := passed(row, position, ct, here, row[1], row[3::2])) is None:
                masks[position] = False
                continue
            number, reached = fit(found[0], like), found[1]
            if reached is not True and not _is_finite(passed(row, position, ct, True, row[1], row[3::2])):
                masks[position] = reached
            present, marked = self[operand], marks.get(operand, False)
            self[operand] = number if present is UNTOUCHED else present + number
            there = fit_marks(reached, like)
            marks[operand] = there is True or marked is True or there | marked
        return masks


def _is_finite(passed: tuple[Any, Marks] | None) -> bool:
    return passed is None or bool(np.all(np.isfinite(passed[0])))
