"""The forward sweep of a run, statement by statement: how its tangent comes from those of what it was computed from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcli.explain import terms
from gradcli.explain.formulas import call, key, named, written
from gradcli.explain.statements import Statement
from gradcli.explain.story import Addition, Story, Told
from gradcli.language.emit import ATOM, Piece, literal
from gradcli.rules.table import Elementwise
from gradcli.tape.recording import Recording
from gradcli.tape.sweep import forward, tangent
from gradcli.tape.tape import CONSTANT, Row


class Source(NamedTuple):
    """What a statement reads: a row, its place there if it reads one place, and the rows that the tangent enters by."""

    row: int
    place: str
    enters: frozenset[int]


class ForwardStory:
    """How the tangents of a run come about.

    Args:
        recording: a run with the user's names, whose result is one number.
        moving: the tangents of the inputs, by row; what is not there stands still.
        fixed: the rows that are told of; those that the user would name, by default.
    """

    def __init__(self, recording: Recording, moving: Mapping[int, Any], fixed: Collection[int] | None = None) -> None:
        self.story = Story(recording, fixed)
        self.recording = recording
        self.tangents = forward(recording, dict(moving), len(recording.rows) - 1)

    def forwards(self) -> Iterator[Told]:
        """The statements that move, in order; their additions are to their own tangent, one for each thing they use."""
        for statement in self.story.told:
            if additions := tuple(self._additions(statement)):
                row = statement.row
                yield Told(
                    row,
                    self.story.names[row],
                    self.story.expression(row)[0],
                    self.recording.rows[row][1],
                    self.story.sensitivities[row],
                    additions,
                )

    def _additions(self, statement: Statement) -> Iterator[Addition]:
        name, value = tangent_name(self.story.names[statement.row]), self.recording.rows[statement.row][1]
        total: Any = np.zeros_like(value) if np.ndim(value) else 0.0
        sources = self._sources(statement)
        entered = frozenset().union(*(source.enters for source in sources))
        for source in sources:
            others = entered - source.enters
            amount = self._amount(statement, source, others)
            if np.any(amount != 0):
                before, total = total, total + amount
                yield Addition(statement.row, name, self._term(statement, source, others), amount, before, total)

    def _sources(self, statement: Statement) -> list[Source]:
        """What a statement reads that moves, in the order of the program; a place that is read twice once."""
        found: dict[tuple[int, str], set[int]] = {}
        for index in (*statement.steps, statement.row):
            row = self.recording.rows[index]
            for operand in row[2::2]:
                if operand == CONSTANT or operand not in self.story.heads or not np.any(self.tangents[operand] != 0):
                    continue
                place = key(row[0].static["key"]) if row[0].name == "index" else ""
                found.setdefault((operand, place), set()).add(index if place else operand)
        return [Source(row, place, frozenset(enters)) for (row, place), enters in sorted(found.items())]

    def _amount(self, statement: Statement, source: Source, others: Collection[int]) -> Any:
        """The tangent of a statement when one of its sources alone moves."""
        moved: dict[int, Any] = defaultdict(float, dict.fromkeys(others, 0.0))
        standing = {source.row: self.tangents[source.row]}
        for index in source.enters:
            moved[index] = tangent(self.recording.rows[index], standing) if source.place else self.tangents[index]
        for index in (*statement.steps, statement.row):
            if index not in moved:
                moved[index] = tangent(self.recording.rows[index], moved)
        return moved[statement.row]

    def _term(self, statement: Statement, source: Source, others: Collection[int]) -> str:
        """The same as text."""
        name = tangent_name(self.story.names[source.row]) + (f"[{source.place}]" if source.place else "")
        coming: dict[int, Piece] = dict.fromkeys(source.enters, named(name))
        for index in (*statement.steps, statement.row):
            row = self.recording.rows[index]
            if index in coming or index in others:
                continue
            if pieces := list(self._pieces(row, index, coming)):
                coming[index] = terms.total(pieces)
        return coming[statement.row][0]

    def _pieces(self, row: Row, index: int, coming: Mapping[int, Piece]) -> Iterator[Piece]:
        for position in row[0].recorded:
            if (dot := coming.get(row[2 + 2 * position])) is not None:
                piece = moved_on(row, position, dot, self.story.operands(row), self.story.text(index))
                if piece is not None:
                    yield piece


def moved_on(row: Row, position: int, dot: Piece, operands: list[Piece], v: Piece) -> Piece | None:
    """The tangent of a row when its argument number `position` has the tangent `dot`; None where it is not taken."""
    rule = row[0].rule
    if rule is None or isinstance(rule, Elementwise):
        return terms.scaled(row, position, dot, operands, v)
    if rule.name == "put":
        return terms.put_in(row, position, dot, operands)
    if rule.linear:
        return written(row, [dot if n == position else literal(0) for n in range(len(operands))])
    if rule.bilinear:
        return written(row, [dot if n == position else operand for n, operand in enumerate(operands)])
    return call(f"{rule.name}_jvp", [dot]), ATOM


def tangent_name(name: str) -> str:
    """What the tangent of a quantity is called: `d_cd` for `t_cd`, `d_x` for `x`."""
    return f"d_{name[2:]}" if name.startswith("t_") and len(name) > 2 else f"d_{name}"
