"""`gradcli jacobian` and `hessian`: a matrix of derivatives, or a list of its entries if the matrix is too wide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.derivatives import Hessian, Jacobian
from gradcli.shared.records.result_and_finding import Structure
from gradcli.terminal.render.gradient import ROWS_ON_A_TERMINAL, rest
from gradcli.terminal.render.layout.heading import heading, value
from gradcli.terminal.render.layout.numbers import aligned, components, count, exact, shape
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Stack
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import NAME, PARTIAL, RESULT

MATRIX_UP_TO = 1000  # columns of a matrix if the width is unlimited

Entry = tuple[str, str, Any]


def view(record: Jacobian | Hessian, look: Look) -> Stack:
    """The view of a matrix."""
    rows = count(record.gradient if isinstance(record, Hessian) else record.value)
    size = rows * rows if isinstance(record, Hessian) else count(record.jacobian)
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        *value(record.value, look),
        Entries(lambda: labelled(record), rows, size, look),
    )


class Entries(Frozen, Drawing):
    """A matrix if it fits, otherwise one line per entry.

    Args:
        labelled: every entry with its row and column names, row by row.
        rows, entries: the numbers of rows and entries.
        look: the look of the stream.
    """

    labelled: Callable[[], Iterator[Entry]]
    rows: int
    entries: int
    look: Look

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        small = self.rows <= ROWS_ON_A_TERMINAL or not self.look.terminal
        few = self.entries <= max(1, self.rows) * MATRIX_UP_TO
        if small and few and (matrix := as_matrix(self.labelled())).fits(width):
            return matrix.lines(width, in_ascii)
        limit = ROWS_ON_A_TERMINAL if self.look.terminal else None
        listed = as_list(islice(self.labelled(), limit))
        return Stack(listed, *rest(self.entries, self.look)).lines(width, in_ascii)


def as_matrix(entries: Iterator[Entry]) -> Sheet:
    """A table with a row per row name and a column per column name."""
    titles, rows = titles_and_rows(entries)
    cells = zip(*rows.values(), strict=True)
    numbers = [
        Column(title, aligned(list(map(exact, column))), RESULT) for title, column in zip(titles, cells, strict=True)
    ]
    return Sheet(Column("component", list(rows), NAME), *numbers)


def titles_and_rows(entries: Iterator[Entry]) -> tuple[list[str], dict[str, list[Any]]]:
    """The titles of the columns of a matrix, and the numbers of each row by its name."""
    columns: dict[str, None] = {}
    rows: dict[str, list[Any]] = {}
    for row, column, number in entries:
        columns[column] = None
        rows.setdefault(row, []).append(number)
    return [f"{PARTIAL}/{PARTIAL}{name}" for name in columns], rows


def as_list(entries: Iterator[Entry]) -> Sheet:
    """A table with a row per entry."""
    rows = list(entries)
    return Sheet(
        Column("component", [row for row, _, _ in rows], NAME),
        Column("by", [column for _, column, _ in rows], NAME),
        Column("derivative", aligned([exact(number) for _, _, number in rows]), RESULT),
    )


def labelled(record: Jacobian | Hessian) -> Iterator[Entry]:
    """Every entry with its row and column names, row by row."""
    if isinstance(record, Hessian):
        yield from _of_inputs(record)
        return
    parts = {name: iter(list(split_by(record.value, structure))) for name, structure in record.jacobian.items()}
    for row, _ in components("value", record.value):
        for name, blocks in parts.items():
            for column, number in components(name, next(blocks)):
                yield row, column, number


def split_by(value: Structure, structure: Structure) -> Iterator[Structure]:
    """The part of a Jacobian for each number of the value, in order."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from split_by(item, structure[name])
    elif isinstance(value, (list, tuple)):
        for item, inner in zip(value, structure, strict=True):
            yield from split_by(item, inner)
    else:
        yield structure


def split(structure: Structure, depth: int) -> Iterator[Structure]:
    """The parts of `structure` at a nesting depth, in order."""
    if depth == 0:
        yield structure
        return
    for item in structure:
        yield from split(item, depth - 1)


def _of_inputs(record: Hessian) -> Iterator[Entry]:
    """Every second derivative with the names of its two inputs."""
    for name, by_name in record.hessian.items():
        depth = len(shape(by_name[name])) // 2
        parts = {other: iter(list(split(block, depth))) for other, block in by_name.items()}
        for row, _ in components(name, outline(by_name[name], depth)):
            for other, blocks in parts.items():
                for column, number in components(other, next(blocks)):
                    yield row, column, number


def outline(structure: Structure, depth: int) -> Structure:
    """The outer `depth` levels of nested lists, with a number in place of each inner structure."""
    return [outline(item, depth - 1) for item in structure] if depth else 0.0
