"""The sparsity pattern of a Jacobian or Hessian: a mark per entry, or the share of entries in each part of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.derivatives import SparsityPattern
from gradcli.terminal.render.layout.heading import heading
from gradcli.terminal.render.layout.stream_style import DEFAULT_WIDTH, Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Stack, line
from gradcli.terminal.render.layout.theme import QUIET, RESULT
from gradcli.terminal.render.layout.wrapped_text import prose

ENTRY, ZERO = "x", "."


def view(record: SparsityPattern, look: Look) -> Stack:
    """The view of a pattern."""
    rows, columns = record.shape
    share = len(record.entries) / max(1, rows * columns)
    by_column, by_row = record.colours
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        line(),
        line(
            (f"{rows} by {columns}", RESULT),
            f", {len(record.entries)} {'entry' if len(record.entries) == 1 else 'entries'} ({100 * share:.3g} %)",
            (f"; colours: {by_column} of the columns, {by_row} of the rows", QUIET),
        ),
        line(),
        PatternMarks(record),
    )


class PatternMarks(Frozen, Drawing):
    """The entries of a pattern that fits, else the tenths of the entries in square blocks of it."""

    record: SparsityPattern

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        rows, columns = self.record.shape
        block = math.ceil(2 * columns / min(width, 2 * DEFAULT_WIDTH))
        counts = Counter((row // block, column // block) for row, column in self.record.entries)
        for row in range(math.ceil(rows / block)):
            marks = (
                _mark(counts[row, column], _size(row, rows, block) * _size(column, columns, block))
                for column in range(math.ceil(columns / block))
            )
            yield [piece for mark in marks for piece in ((mark, RESULT if mark != ZERO else QUIET), (" ", ""))][:-1]
        if block > 1:
            yield []
            text = (
                f"each mark is a block of {block} by {block}: {ENTRY} if full, else the tenths of it that are entries"
            )
            yield from Stack(*prose(text, width, QUIET)).lines(width, in_ascii)


def _size(number: int, length: int, block: int) -> int:
    """The length of a block, of which the last may be shorter."""
    return min(block, length - number * block)


def _mark(entries: int, size: int) -> str:
    """`x` for a full block, `.` for an empty one, else its tenths, at least 1."""
    if not entries:
        return ZERO
    return ENTRY if entries == size else str(max(1, min(9, 10 * entries // size)))
