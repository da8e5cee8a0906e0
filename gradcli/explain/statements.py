"""The rows of a tape as the user's statements: what has a name or is used elsewhere, and the steps in between."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.explain.array_formulas import is_whole
from gradcli.explain.passed_back import is_written
from gradcli.rules.table import ArrayRule
from gradcli.tape.tape import CONSTANT, Row
from gradcli.traces.trace import Trace


@dataclass(frozen=True)
class Statement:
    """A row that the user would name, and the rows without a name that lead to it from others that have one.

    Attributes:
        row: the index of the row.
        steps: the indices of the rows in between, in order of execution.
    """

    row: int
    steps: tuple[int, ...]


def statements(recording: Trace, heads: Collection[int]) -> list[Statement]:
    """The statements of a run, in order of execution; inputs and constants are none."""
    return [
        Statement(row, tuple(sorted(_between(recording, row, heads))))
        for row in sorted(heads)
        if recording.rows[row][0].recorded
    ]


def heads(recording: Trace, fixed: Collection[int] | None = None) -> set[int]:
    """The rows that are statements, with the inputs.

    Those are the ones that have a name, are the result, or are used by rows of another line, or else the `fixed` ones;
    and in any case the arrays that are written into, and those of which a place is read: what comes back to a place is
    added there; and what has a derivative that takes more than a formula, with what it is computed from.
    """
    found = set(fixed) if fixed is not None else _named(recording)
    for index, row in enumerate(recording.rows):
        rule = row[0].rule
        if getattr(rule, "clear", None):
            found.update((index, *(n for n in row[2:3] if n != CONSTANT)))
        elif getattr(rule, "in_place", None) and not reshapes(row):
            found.add(viewed(recording, row, found))
        elif isinstance(rule, ArrayRule) and not (rule.linear or rule.bilinear or is_written(rule)):
            found.update((index, *(row[2 + 2 * n] for n in row[0].recorded)))
    return found


def viewed(recording: Trace, row: Row, heads: Collection[int]) -> int:
    """The row of the array of which `row` reads a place, through views that are no statements."""
    index: int = row[2]
    while index not in heads and is_view(recording.rows[index]):
        index = recording.rows[index][2]
    return index


def is_view(row: Row) -> bool:
    """Whether a row is a view of an array, so that what is added to a place of it is added to the array."""
    if row[0].name == "transpose":
        return True
    return row[0].name == "index" and bool(np.ndim(row[1])) and _is_basic(row[0].static["key"])


def _is_basic(key: Any) -> bool:
    return all(
        part is None or part is Ellipsis or (isinstance(part, (int, slice, np.integer)) and not isinstance(part, bool))
        for part in (key if isinstance(key, tuple) else (key,))
    )


def reshapes(row: Row) -> bool:
    """Whether a row reads all numbers of an array in order, as `x[:, None]` does."""
    x = row[3]
    if np.size(row[1]) != np.size(x):
        return False
    return is_whole(np.arange(np.size(x)).reshape(np.shape(x))[row[0].static["key"]], np.shape(x))


def _named(recording: Trace) -> set[int]:
    last = recording.result_index()
    watch = recording.watch
    names = watch.names if watch else {}
    lines = [watch.place(n) if watch else None for n in range(len(recording.rows))]
    found = {n for n in names if n < len(recording.rows)} | set(recording.input_rows())
    found |= set() if last is None else {last}
    for index, row in enumerate(recording.rows):
        for operand in row[2::2]:
            if operand != CONSTANT and lines[operand] != lines[index]:
                found.add(operand)
    return found


def _between(recording: Trace, head: int, heads: Collection[int]) -> set[int]:
    """The rows that `head` is computed from without passing another head; shared ones count for each."""
    found: set[int] = set()
    waiting = [head]
    while waiting:
        for operand in recording.rows[waiting.pop()][2::2]:
            if operand != CONSTANT and operand not in heads and operand not in found:
                found.add(operand)
                waiting.append(operand)
    return found
