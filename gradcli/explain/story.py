"""The reverse sweep of a run, statement by statement: what each adds to which sensitivity, in words and numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np

from gradcli.explain import terms
from gradcli.explain.formulas import constant, key, named, written
from gradcli.explain.statements import Statement, statements
from gradcli.frozen import Frozen
from gradcli.language.emit import Piece
from gradcli.rules.complex import conjugated
from gradcli.tape.accumulate import UNTOUCHED, plain
from gradcli.tape.compiled import ARITHMETIC
from gradcli.tape.recording import Recording
from gradcli.tape.tape import CONSTANT, Row

LONGEST = 400  # characters of a row that is written out within another


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
        expression: how it was computed.
        value, sensitivity: its value, and the sensitivity of the result on it, which is complete by now.
        additions: what it adds to the sensitivities of what it was computed from.
    """

    row: int
    name: str
    expression: str
    value: Any
    sensitivity: Any
    additions: tuple[Addition, ...]


class Story:
    """How the sensitivities of a run came about.

    Args:
        recording: a run with the user's names, whose result is one number.
        fixed: the rows that are told of; those that the user would name, by default.
    """

    def __init__(self, recording: Recording, fixed: Collection[int] | None = None) -> None:
        self.recording = recording
        self.result = recording.result_index()
        self.sensitivities = recording.sensitivities()
        self.told = statements(recording, fixed)
        self.heads = {statement.row for statement in self.told} | set(recording.input_rows())
        self.names = self._names()
        self.texts: dict[int, Piece] = {}
        self.running = {n: np.zeros_like(x) if np.ndim(x) else 0.0 for n, x in enumerate(self.sensitivities)}

    def _names(self) -> list[str]:
        found = self.recording.watch.names if self.recording.watch else {}
        return [found.get(n) or ("result" if n == self.result else f"%{n}") for n in range(len(self.recording.rows))]

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
            self.expression(row)[0],
            self.recording.rows[row][1],
            self.sensitivities[row],
            tuple(self._additions(statement)),
        )

    def expression(self, row: int) -> Piece:
        """How a row was computed, the rows without a name written out."""
        entry = self.recording.rows[row]
        return written(entry, self.operands(entry)) if entry[0].recorded else named(self.names[row])

    def text(self, row: int) -> Piece:
        """A row as it stands within another's formula: by its name, or written out."""
        if row in self.heads:
            return named(self.names[row])
        if row not in self.texts:
            text = self.expression(row)
            self.texts[row] = text if len(text[0]) <= LONGEST else named(f"%{row}")
        return self.texts[row]

    def operands(self, row: Row) -> list[Piece]:
        """The arguments of a row as text."""
        pairs = zip(row[2::2], row[3::2], strict=True)
        return [constant(value) if index == CONSTANT else self.text(index) for index, value in pairs]

    def _additions(self, statement: Statement) -> Iterator[Addition]:
        """Back through the rows of a statement, as text and as numbers, to what it was computed from."""
        rows, head = self.recording.rows, statement.row
        coming: dict[int, list[Piece]] = {head: [self._incoming(head)]}
        numbers = _Cotangents({head: conjugated(self.sensitivities[head])})
        reads: dict[tuple[int, str], _Read] = {}
        for index in (head, *reversed(statement.steps)):
            if not coming.get(index) or numbers[index] is UNTOUCHED:
                continue
            row, ct = rows[index], terms.total(coming[index])
            if row[0].name == "index" and row[2] in self.heads:
                place = row[0].static["key"]
                reads.setdefault((row[2], key(place)), _Read(place, [], [])).add(ct, conjugated(plain(numbers[index])))
                continue
            _pull(row, numbers, index)
            for position in row[0].recorded:
                operand = row[2 + 2 * position]
                if numbers[operand] is not UNTOUCHED:
                    piece = terms.passed(row, position, ct, self.operands(row), self.text(index))
                    coming.setdefault(operand, []).extend([piece] if piece else [])
        whole = [operand for operand in coming if operand in self.heads and operand != head and coming[operand]]
        for operand in sorted({*whole, *(operand for operand, _ in reads)}):
            if operand in whole:
                yield self._added(operand, terms.total(coming[operand])[0], conjugated(plain(numbers[operand])))
            for place in sorted(place for read, place in reads if read == operand):
                yield self._read(operand, place, reads[operand, place])

    def _incoming(self, head: int) -> Piece:
        """The sensitivity on a statement by name; the result's own is 1."""
        return terms.ONE if head == self.result else named(terms.sensitivity(self.names[head]))

    def _added(self, operand: int, term: str, amount: Any) -> Addition:
        before = self.running[operand]
        after = self.running[operand] = before + amount
        return Addition(operand, terms.sensitivity(self.names[operand]), term, amount, before, after)

    def _read(self, operand: int, place: str, read: _Read) -> Addition:
        """What comes back to one place of an array that was read."""
        total = np.copy(self.running[operand])
        before, amount = np.copy(total[read.key]), sum(read.amounts)
        np.add.at(total, read.key, amount)
        self.running[operand] = total
        name = f"{terms.sensitivity(self.names[operand])}[{place}]"
        return Addition(operand, name, terms.total(read.terms)[0], amount, before, total[read.key])


class _Cotangents(dict[int, Any]):
    """The cotangents of a few rows, where a sweep expects those of all."""

    def __missing__(self, index: int) -> Any:
        return UNTOUCHED


class _Read(NamedTuple):
    """One place of an array that a statement reads, with what comes back to it."""

    key: Any
    terms: list[Piece]
    amounts: list[Any]

    def add(self, term: Piece, amount: Any) -> None:
        """Add what comes back by one more use."""
        self.terms.append(term)
        self.amounts.append(amount)


def _pull(row: Row, numbers: Any, index: int) -> None:
    """Pass the cotangent of one row on, by IEEE 754."""
    with np.errstate(all="ignore"):
        try:
            row[0].pull(plain(numbers[index]), numbers, row)
        except ARITHMETIC:
            row[0].safe_pull(plain(numbers[index]), numbers, row)
