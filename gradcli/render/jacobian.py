"""`gradcli jacobian`: a matrix, a row for each number of the value; a list of its entries where that is too wide."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from gradcli.frozen import Frozen
from gradcli.records import Jacobian, Structure
from gradcli.render.drawing import Drawing, Line, Stack
from gradcli.render.gradient import ROWS_ON_A_TERMINAL, rest
from gradcli.render.heading import heading, value
from gradcli.render.look import Look
from gradcli.render.numbers import aligned, components, count, exact
from gradcli.render.sheet import Column, Sheet
from gradcli.render.theme import NAME, PARTIAL, RESULT

MATRIX_UP_TO = 1000  # columns, where nothing limits the width


def view(record: Jacobian, look: Look) -> Stack:
    """A Jacobian as it is shown."""
    return Stack(
        *heading(record.target, record.reading, record.point, look), *value(record.value, look), Entries(record, look)
    )


class Entries(Frozen, Drawing):
    """The matrix if it fits, else one line an entry."""

    record: Jacobian
    look: Look

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """The lines of whichever fits."""
        entries = count(self.record.jacobian)
        rows = max(1, count(self.record.value))
        small = rows <= ROWS_ON_A_TERMINAL or not self.look.terminal
        if small and entries <= rows * MATRIX_UP_TO and (matrix := as_matrix(self.record)).fits(width):
            return matrix.lines(width, in_ascii)
        limit = ROWS_ON_A_TERMINAL if self.look.terminal else None
        listed = as_list(islice(labelled(self.record), limit))
        return Stack(listed, *rest(entries, self.look)).lines(width, in_ascii)


def as_matrix(record: Jacobian) -> Sheet:
    """A row for each number of the value, a column for each number of the point."""
    rows: dict[str, list[str]] = {}
    columns: dict[str, None] = {}
    for row, column, number in labelled(record):
        rows.setdefault(row, []).append(exact(number))
        columns[column] = None
    cells = zip(*rows.values(), strict=True)
    numbers = [
        Column(f"{PARTIAL}/{PARTIAL}{name}", aligned(column), RESULT)
        for name, column in zip(columns, cells, strict=True)
    ]
    return Sheet([Column("component", list(rows), NAME), *numbers])


def as_list(entries: Iterator[tuple[str, str, Any]]) -> Sheet:
    """A row for each entry."""
    rows = list(entries)
    return Sheet(
        [
            Column("component", [row for row, _, _ in rows], NAME),
            Column("by", [column for _, column, _ in rows], NAME),
            Column("derivative", aligned([exact(number) for _, _, number in rows]), RESULT),
        ]
    )


def labelled(record: Jacobian) -> Iterator[tuple[str, str, Any]]:
    """Every entry with the name of its row and of its column, row by row."""
    outer = outputs(record.value)
    parts = {name: iter(list(split(structure, depth_of(record.value)))) for name, structure in record.jacobian.items()}
    for row in outer:
        for name, blocks in parts.items():
            for column, number in components(name, next(blocks)):
                yield row, column, number


def outputs(structure: Structure) -> list[str]:
    """The name of each number of the value."""
    return [name for name, _ in components("value", structure)]


def depth_of(structure: Structure) -> int:
    """How deep the lists of the value are nested."""
    depth = 0
    while isinstance(structure, (list, tuple)) and structure:
        structure, depth = structure[0], depth + 1
    return depth


def split(structure: Structure, depth: int) -> Iterator[Structure]:
    """The parts of `structure` that belong to each number of the value, in order."""
    if depth == 0:
        yield structure
        return
    for item in structure:
        yield from split(item, depth - 1)
