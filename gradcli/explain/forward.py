"""The forward sweep of a run, statement by statement: how its tangent comes from those of what it was computed from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcli.explain.array_formulas import place_written, placed
from gradcli.explain.passed_back import last_ones, written_places
from gradcli.explain.passed_on import moved_on
from gradcli.explain.shapes import Term, total
from gradcli.explain.statements import Statement
from gradcli.explain.story import Addition, Story, Told
from gradcli.explain.symbols import Symbols
from gradcli.explain.terms import Use
from gradcli.explain.writer import named
from gradcli.language.emit import ATOM
from gradcli.tape.sweep import forward, tangent
from gradcli.tape.tape import CONSTANT, Row
from gradcli.traces.trace import Trace


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
        is_typed: a typed expression was run.

    Attributes:
        operands: every name that a formula was written with, and what it stands for.
    """

    def __init__(
        self,
        recording: Trace,
        moving: Mapping[int, Any],
        fixed: Collection[int] | None = None,
        *,
        is_typed: bool = False,
    ) -> None:
        self.story = Story(recording, fixed, is_typed=is_typed)
        self.operands = self.story.operands
        self.recording = recording
        self.symbols = Symbols("d", self.story.names)
        self.story.writer.reserve(self.symbols.stems.values())
        self.tangents = forward(recording, dict(moving), len(recording.rows) - 1)

    def forwards(self) -> Iterator[Told]:
        """The statements that move, in order; their additions are to their own tangent, one for each thing they use."""
        for statement in self.story.told:
            if additions := tuple(self._additions(statement)):
                row = statement.row
                yield Told(
                    row,
                    self.story.names[row],
                    self.symbols.of(self.story.names[row]),
                    self.story.expression(row)[0],
                    self.recording.rows[row][1],
                    self.story.sensitivities[row],
                    additions,
                )

    def _additions(self, statement: Statement) -> Iterator[Addition]:
        name, value = self.symbols.of(self.story.names[statement.row]), self.recording.rows[statement.row][1]
        moved: Any = np.zeros_like(value) if np.ndim(value) else 0.0
        sources = self._sources(statement)
        entered = frozenset().union(*(source.enters for source in sources))
        for source in sources:
            others = entered - source.enters
            with np.errstate(all="ignore"):
                amount = self._amount(statement, source, others)
            if not np.any(amount != 0):
                continue
            before, moved = moved, moved + amount
            yield self._addition(statement, source, others, name, amount, before, moved)

    def _addition(
        self, statement: Statement, source: Source, others: Collection[int], name: str, *numbers: Any
    ) -> Addition:
        """What one source adds: to the tangent, or to the one place of it that the statement writes."""
        coming = self._coming(statement, source, others)
        row = self.recording.rows[statement.row]
        if getattr(row[0].rule, "clear", None) and row[2] not in coming:
            places = written_places(row)
            if row[4] in coming and np.all(last_ones(places)):
                place = place_written(self.story.writer, (name, ATOM), row[0].static)
                parts = (np.ravel(number)[places] for number in numbers)
                return Addition(statement.row, place, coming[row[4]].text[0], *parts)
        if statement.row not in coming:
            coming[statement.row] = total(list(self._pieces(row, statement.row, coming)))
        self.operands.update(self.story.writer.constants)
        return Addition(statement.row, name, coming[statement.row].text[0], *numbers)

    def _sources(self, statement: Statement) -> list[Source]:
        """What a statement reads that moves, in the order of the program; a place that is read twice once."""
        found: dict[tuple[int, str], set[int]] = {}
        for index in (*statement.steps, statement.row):
            row = self.recording.rows[index]
            for operand in row[2::2]:
                if operand == CONSTANT or operand not in self.story.heads or not np.any(self.tangents[operand] != 0):
                    continue
                place = self.story.writer.key(row[0].static["key"]) if row[0].name == "index" else ""
                found.setdefault((operand, place), set()).add(index if place else operand)
        return [Source(row, place, frozenset(enters)) for (row, place), enters in sorted(found.items())]

    def _amount(self, statement: Statement, source: Source, others: Collection[int]) -> Any:
        """The tangent of a statement when one of its sources alone moves, by IEEE 754."""
        moved: dict[int, Any] = defaultdict(float, dict.fromkeys(others, 0.0))
        standing = {source.row: self.tangents[source.row]}
        for index in source.enters:
            moved[index] = tangent(self.recording.rows[index], standing) if source.place else self.tangents[index]
        for index in (*statement.steps, statement.row):
            if index not in moved:
                moved[index] = tangent(self.recording.rows[index], moved)
        return moved[statement.row]

    def _coming(self, statement: Statement, source: Source, others: Collection[int]) -> dict[int, Term]:
        """The tangents of the steps of a statement as text, when one of its sources alone moves."""
        symbol = self.symbols.of(self.story.names[source.row])
        self.operands[symbol] = self.tangents[source.row]
        name = placed(named(symbol), source.place) if source.place else named(symbol)
        coming = {n: Term(name, np.shape(self.recording.rows[n][1])) for n in source.enters}
        for index in statement.steps:
            if index in coming or index in others:
                continue
            if terms := list(self._pieces(self.recording.rows[index], index, coming)):
                coming[index] = total(terms)
        return coming

    def _pieces(self, row: Row, index: int, coming: Mapping[int, Term]) -> Iterator[Term]:
        operands = self.story.pieces(row)
        for position in row[0].recorded:
            if (dot := coming.get(row[2 + 2 * position])) is not None:
                use = Use(row, position, operands, self.story.text(index))
                term = moved_on(self.story.writer, use, dot, np.ones_like(row[3 + 2 * position]))
                if term is not None:
                    yield term
