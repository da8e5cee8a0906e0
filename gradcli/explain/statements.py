"""The rows of a tape as the user's statements: what has a name or is used elsewhere, and the steps in between."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gradcli.tape.recording import Recording
from gradcli.tape.tape import CONSTANT


@dataclass(frozen=True)
class Statement:
    """A row that the user would name, and the rows without a name that lead to it from others that have one.

    Attributes:
        row: the index of the row.
        steps: the indices of the rows in between, in order of execution.
    """

    row: int
    steps: tuple[int, ...]


def statements(recording: Recording, fixed: Collection[int] | None = None) -> list[Statement]:
    """The statements of a run, in order of execution; inputs and constants are none.

    A row is a statement where it has a name, is the result, or is used by rows of another line; with `fixed`, where it
    is one of these rows.
    """
    heads = set(fixed) if fixed is not None else _heads(recording)
    return [
        Statement(row, tuple(sorted(_between(recording, row, heads))))
        for row in sorted(heads)
        if recording.rows[row][0].recorded
    ]


def _heads(recording: Recording) -> set[int]:
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


def _between(recording: Recording, head: int, heads: set[int]) -> set[int]:
    """The rows that `head` is computed from without passing another head; shared ones count for each."""
    found: set[int] = set()
    waiting = [head]
    while waiting:
        for operand in recording.rows[waiting.pop()][2::2]:
            if operand != CONSTANT and operand not in heads and operand not in found:
                found.add(operand)
                waiting.append(operand)
    return found
