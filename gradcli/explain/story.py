"""The reverse sweep of a run, statement by statement: what each adds to which sensitivity, in words and numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from gradcli.explain.array_formulas import array, placed
from gradcli.explain.cotangents import Cotangents, marks_of
from gradcli.explain.formulas import written
from gradcli.explain.passed_back import last_ones, passed
from gradcli.explain.shapes import ONE, Term, total
from gradcli.explain.statements import Statement, heads, reshapes, statements, viewed
from gradcli.explain.symbols import Symbols
from gradcli.explain.terms import Use
from gradcli.explain.writer import Writer, named
from gradcli.frozen import Frozen
from gradcli.language.emit import ATOM, Piece
from gradcli.rules.complex import conjugated
from gradcli.rules.indexing import Views, reads_once, within
from gradcli.rules.table import ArrayRule
from gradcli.tape.accumulate import UNTOUCHED, plain
from gradcli.tape.tape import ARRAY_CONSTANT, CONSTANT, Row
from gradcli.traces.trace import Trace

LONGEST = 400  # characters of a row that is written out within another
LONGEST_NAME = 40  # of a part of a typed expression that is called by its text


class Addition(Frozen):
    """What a statement adds to one sensitivity.

    Args:
        row: the row whose sensitivity grows.
        name: what that sensitivity is called, such as `s_b` or `s_x[0]`.
        term: what is added, in the user's names.
        amount: the same as numbers.
        before, after: the sensitivity before and after it.
    """

    row: int
    name: str
    term: str
    amount: Any
    before: Any
    after: Any


class Told(Frozen):
    """One statement of the sweep.

    Args:
        row: the row that it computed.
        name: the user's name for it.
        symbol: what its sensitivity is called, or its tangent.
        expression: how it was computed.
        value, sensitivity: its value, and the sensitivity of the result on it, which is complete by now.
        additions: what it adds to the sensitivities of what it was computed from.
    """

    row: int
    name: str
    symbol: str
    expression: str
    value: Any
    sensitivity: Any
    additions: tuple[Addition, ...]


class Story:
    """How the sensitivities of a run came about.

    Args:
        recording: a run with the user's names, whose result is one number.
        fixed: the rows that are told of; those that the user would name, by default.
        is_typed: a typed expression was run, whose parts are called by their text and the whole of it `result`.

    Attributes:
        operands: every name that a formula was written with, and what it stands for.
    """

    def __init__(self, recording: Trace, fixed: Collection[int] | None = None, *, is_typed: bool = False) -> None:
        self.recording = recording
        self.result = recording.result_index()
        self.sensitivities = recording.sensitivities()
        self.marks = marks_of(recording)
        self.names = self._names(is_typed)
        self.writer = Writer(self.names, recording.watch.arrays if recording.watch else {})
        self.symbols = Symbols("s", self.names)
        self.writer.reserve(self.symbols.stems.values())
        self.operands: dict[str, Any] = {}
        self.texts: dict[int, Piece] = {}
        self.heads = heads(recording, fixed)
        self._write_out()
        self.told = statements(recording, self.heads)
        self.running = {n: np.zeros_like(x) if np.ndim(x) else 0.0 for n, x in enumerate(self.sensitivities)}

    def _names(self, is_typed: bool) -> list[str]:
        found = self.recording.watch.names if self.recording.watch else {}
        names = [found.get(n) or f"%{n}" for n in range(len(self.recording.rows))]
        last = self.result
        if last is not None and last not in self.recording.input_rows() and (is_typed or last not in found):
            taken = {name for n, name in enumerate(names) if n != last}
            names[last] = next(name for k in count(1) if (name := _numbered("result", k)) not in taken)
        return names

    def _write_out(self) -> None:
        """Write every row that is no statement; one whose text is long becomes a statement."""
        for index, row in enumerate(self.recording.rows):
            if index not in self.heads and row[0].recorded:
                text = self.expression(index)
                if len(text[0]) > LONGEST:
                    self.heads.add(index)
                else:
                    self.texts[index] = text
            if index in self.heads and len(self.names[index]) > LONGEST_NAME:
                self.names[index] = f"%{index}"

    def backwards(self) -> Iterator[Told]:
        """The statements that have a part in the result, the last one first."""
        for statement in reversed(self.told):
            if np.any(self.sensitivities[statement.row] != 0):
                yield self._tell(statement)

    def _tell(self, statement: Statement) -> Told:
        row = statement.row
        return Told(
            row,
            self.names[row],
            self.symbols.of(self.names[row]),
            self.expression(row)[0],
            self.recording.rows[row][1],
            self.sensitivities[row],
            tuple(self._additions(statement)),
        )

    def expression(self, row: int) -> Piece:
        """How a row was computed, the rows without a name written out."""
        entry = self.recording.rows[row]
        return written(self.writer, entry, self.pieces(entry)) if entry[0].recorded else self.text(row)

    def text(self, row: int) -> Piece:
        """A row as it stands within another's formula: by its name, or written out."""
        if row in self.texts:
            return self.texts[row]
        entry = self.recording.rows[row]
        if entry[0] is ARRAY_CONSTANT and row not in self.heads:
            return self.writer.constant(entry[1])
        self.operands[self.names[row]] = self.recording.rows[row][1]
        return named(self.names[row])

    def pieces(self, row: Row) -> list[Piece]:
        """The arguments of a row as text."""
        pairs = zip(row[2::2], row[3::2], strict=True)
        found = [self.writer.constant(value) if index == CONSTANT else self.text(index) for index, value in pairs]
        if getattr(row[0].rule, "clear", None) and row[2] == CONSTANT:  # what is written into has a name
            found[0] = self.writer.array(np.asarray(row[3])), ATOM
        self.operands.update(self.writer.constants)
        return found

    def _additions(self, statement: Statement) -> Iterator[Addition]:
        """Back through the rows of a statement, as text and as numbers, to what it was computed from."""
        rows, head = self.recording.rows, statement.row
        coming: dict[int, list[Term]] = {head: [self._incoming(head)]}
        marks = None if self.marks is None else self.marks[head]
        numbers = Cotangents(head, conjugated(self.sensitivities[head]), marks)
        reads: dict[tuple[int, str], _Read] = {}
        for index in (head, *reversed(statement.steps)):
            if not coming.get(index) or numbers[index] is UNTOUCHED:
                continue
            row, ct, number = rows[index], total(coming[index]), plain(numbers[index])
            if (read := self._place(row)) is not None:
                reads.setdefault((read.row, read.name), read).add(ct, conjugated(number))
                continue
            masks = numbers.pull(row, index)
            operands = self.pieces(row)
            for position in row[0].recorded:
                operand = row[2 + 2 * position]
                if numbers[operand] is not UNTOUCHED:
                    use = Use(row, position, operands, self.text(index))
                    term = passed(self.writer, use, ct, number, masks.get(position, True))
                    coming.setdefault(operand, []).extend([term] if term else [])
        self.operands.update(self.writer.constants)
        whole = [operand for operand in coming if operand in self.heads and operand != head and coming[operand]]
        for operand in sorted({*whole, *(operand for operand, _ in reads)}):
            if operand in whole:
                yield self._added(operand, total(coming[operand]).text[0], conjugated(plain(numbers[operand])))
            for name in sorted(name for read, name in reads if read == operand):
                yield self._read(reads[operand, name])

    def _incoming(self, head: int) -> Term:
        """The sensitivity on a statement by name; the result's own is 1."""
        if head == self.result:
            return Term(ONE)
        name = self.symbols.of(self.names[head])
        self.operands[name] = self.sensitivities[head]
        return Term(named(name), np.shape(self.sensitivities[head]))

    def _place(self, row: Row) -> _Read | None:
        """The place that a row reads of a statement's array, if it reads no number of it twice."""
        if row[0].name != "index" or (row[2] not in self.heads and reshapes(row)):
            return None
        key = row[0].static["key"]
        if not reads_once(key) and not np.all(last_ones(np.arange(np.size(row[3])).reshape(np.shape(row[3]))[key])):
            return None
        found = viewed(self.recording, row, self.heads)
        if found not in self.heads:
            return None
        views: list[tuple[ArrayRule, Mapping[str, Any]]] = []
        index = row[2]
        while index != found:
            view = self.recording.rows[index]
            views.insert(0, (view[0].rule, view[0].static))
            index = view[2]
        name: Piece = self.symbols.of(self.names[found]), ATOM
        for rule, static in views:
            name = array(self.writer, rule.name, [name], static)
        return _Read(found, placed(name, self.writer.key(key))[0], tuple(views), key, [], [])

    def _added(self, operand: int, term: str, amount: Any) -> Addition:
        before = self.running[operand]
        after = self.running[operand] = before + amount
        return Addition(operand, self.symbols.of(self.names[operand]), term, amount, before, after)

    def _read(self, read: _Read) -> Addition:
        """What comes back to one place of an array that was read."""
        total_ = np.copy(self.running[read.row])
        place = within(total_, read.views)
        before, amount = np.copy(place[read.key]), sum(read.amounts)
        np.add.at(place, read.key, amount)
        self.running[read.row] = total_
        return Addition(read.row, read.name, total(read.terms).text[0], amount, before, place[read.key])


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}#{number}"


class _Read(NamedTuple):
    """One place of an array that a statement reads, with what comes back to it."""

    row: int
    name: str
    views: Views
    key: Any
    terms: list[Term]
    amounts: list[Any]

    def add(self, term: Term, amount: Any) -> None:
        """Add what comes back by one more use."""
        self.terms.append(term)
        self.amounts.append(amount)
