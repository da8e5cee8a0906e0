"""Bounds of the rounding errors of a recorded run: of its values, and of the derivatives that our sweep computes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.methods.rounding import array_rules
from gradcli.methods.rounding.arithmetic import HALF_ULP, Arithmetic, Rounded, Summands, exactly
from gradcli.methods.rounding.array_rules import Operated
from gradcli.rules.shape import unbroadcast
from gradcli.rules.table import Elementwise
from gradcli.tape.tape import ALIAS, CONSTANT, Row, Tape


def value_errors(tape: Tape, rows: Sequence[int], half_ulp: float = HALF_ULP, *, typed: bool = False) -> list[float]:
    """A bound of the rounding error of each number of some rows, in order; two for the two parts of a complex one.

    With `typed`, the constants of the program were rounded when they were written down.
    """
    return _of_values(tape, rows, Arithmetic(half_ulp, typed=typed))


def value_summands(tape: Tape, rows: Sequence[int], half_ulp: float = HALF_ULP) -> list[float]:
    """How large the terms are of which each number of some rows is the sum, as they arrive there."""
    return [x / half_ulp if math.isfinite(x) else 0.0 for x in _of_values(tape, rows, Summands(half_ulp))]


def _of_values(tape: Tape, rows: Sequence[int], arithmetic: Arithmetic) -> list[float]:
    known = _run(tape, max(rows, default=-1), arithmetic)
    return [x for row in rows for x in _each(known[row].error, tape.rows[row][1])]


def running_errors(tape: Tape, last: int, half_ulp: float = HALF_ULP) -> list[Any]:
    """For each row up to `last` a bound of its rounding error, in the shape of its value or one for all its numbers."""
    return [x.error for x in _run(tape, last, Arithmetic(half_ulp))]


def own_errors(tape: Tape, last: int, half_ulp: float = HALF_ULP) -> list[Any]:
    """What the rounding of each row up to `last` alone may move its own value."""
    arithmetic = Arithmetic(half_ulp)
    found: list[Any] = []
    for row in tape.rows[: last + 1]:
        without = [Rounded(x, 0.0) for x in row[3::2]]
        found.append(_applied(row, without, arithmetic).error if row[0].recorded else 0.0)
    return found


def sweep_errors(
    tape: Tape, last: int, inputs: Sequence[int], half_ulp: float = HALF_ULP, *, typed: bool = False
) -> list[float]:
    """A bound of the rounding error of the derivative of row `last` by each number of the inputs, by our sweep."""
    return _of_sweep(tape, last, inputs, Arithmetic(half_ulp, typed=typed))


def sweep_summands(tape: Tape, last: int, inputs: Sequence[int], half_ulp: float = HALF_ULP) -> list[float]:
    """How large the terms are of which our sweep makes the derivative of row `last` by each number of the inputs."""
    return [x / half_ulp if math.isfinite(x) else 0.0 for x in _of_sweep(tape, last, inputs, Summands(half_ulp))]


def _of_sweep(tape: Tape, last: int, inputs: Sequence[int], arithmetic: Arithmetic) -> list[float]:
    cotangents = _Cotangents(tape, arithmetic, _run(tape, last, arithmetic))
    with np.errstate(all="ignore"):  # an infinite bound times 0 is no news
        cotangents.sweep(last)
    return [x for row in inputs for x in cotangents.errors(row)]


def _each(error: Any, value: Any) -> list[float]:
    spread = np.broadcast_to(error, np.shape(value)).ravel().tolist()
    return [x for x in spread for _ in range(2)] if np.iscomplexobj(value) else spread


def _run(tape: Tape, last: int, arithmetic: Arithmetic) -> list[Rounded]:
    """Every row with its error; the inputs are exact."""
    known: list[Rounded] = []
    for row in tape.rows[: last + 1]:
        known.append(
            _applied(row, _arguments(row, known, arithmetic), arithmetic) if row[0].recorded else exactly(row[1])
        )
    return known


def _arguments(row: Row, known: list[Rounded], arithmetic: Arithmetic) -> list[Rounded]:
    pairs = zip(row[2::2], row[3::2], strict=True)
    return [arithmetic.constant(x) if index == CONSTANT else known[index] for index, x in pairs]


def _applied(row: Row, arguments: list[Rounded], arithmetic: Arithmetic) -> Rounded:
    operation, rule = row[0], row[0].rule
    if operation is ALIAS:
        return arguments[0]
    if isinstance(rule, Elementwise):
        return Rounded(exactly(row[1]).value, arithmetic.apply(rule, arguments).error)
    return array_rules.applied(_operated(row, arguments, arithmetic))


def _operated(row: Row, arguments: list[Rounded], arithmetic: Arithmetic) -> Operated:
    unit = arithmetic.half_ulp
    return Operated(row[0].rule, row[0].static, row[1], arguments, unit, arithmetic.unknown * unit)


class _Cotangents:
    """A reverse sweep in which each cotangent carries a bound of its error."""

    def __init__(self, tape: Tape, arithmetic: Arithmetic, known: list[Rounded]) -> None:
        self.rows = tape.rows
        self.known = known
        self.arithmetic = arithmetic
        self.found: dict[int, Rounded] = {}
        self._owned: set[int] = set()

    def errors(self, row: int) -> list[float]:
        """The bound for each number of a row."""
        return _each(self.found[row].error if row in self.found else 0.0, self.rows[row][1])

    def sweep(self, last: int) -> None:
        """Go back from row `last`, whose cotangent is 1."""
        self.found[last] = Rounded(1.0, 0.0)
        for at in range(last, -1, -1):
            row, ct = self.rows[at], self.found.get(at)
            if ct is None or not row[0].recorded:
                continue
            if row[0] is ALIAS:
                self._add(row[2], ct)
            elif isinstance(row[0].rule, Elementwise):
                self._pull(row, ct, self.known[at])
            else:
                self._pull_array(row, ct)

    def _pull(self, row: Row, ct: Rounded, value: Rounded) -> None:
        rule: Elementwise = row[0].rule
        arguments = _arguments(row, self.known, self.arithmetic)
        for position in row[0].recorded:
            partial = self.arithmetic.partial(rule, position, arguments, value)
            if rule.selects and not np.any(partial.value):
                continue
            contribution = self.arithmetic["mul"](ct, partial)
            if rule.selects:
                taken = np.asarray(partial.value) != 0
                contribution = Rounded(
                    np.where(taken, contribution.value, 0.0)[()], np.where(taken, contribution.error, 0.0)[()]
                )
            self._add(row[2 + 2 * position], contribution)

    def _pull_array(self, row: Row, ct: Rounded) -> None:
        operation = row[0]
        if operation.rule.in_place:
            self._add_in_place(row, ct)
            return
        arguments = _arguments(row, self.known, self.arithmetic)
        done = _operated(row, arguments, self.arithmetic)
        for position in operation.recorded:
            self._add(row[2 + 2 * position], array_rules.pulled(done, position, ct))

    def _add(self, source: int, contribution: Rounded) -> None:
        contribution = self._summed(contribution, np.shape(self.rows[source][1]))
        if np.iscomplexobj(contribution.value) and not np.iscomplexobj(self.rows[source][1]):
            contribution = Rounded(np.real(contribution.value)[()], contribution.error)
        before = self.found.get(source)
        self.found[source] = contribution if before is None else self.arithmetic["add"](before, contribution)
        self._owned.discard(source)

    def _summed(self, x: Rounded, shape: tuple[int, ...]) -> Rounded:
        """A contribution in the shape of its row; what is broadcast is summed."""
        if np.shape(x.value) == shape:
            return x
        count = np.size(x.value)
        own = self.arithmetic.half_ulp * count * unbroadcast(np.abs(x.value), shape) if count > 1 else 0.0
        error = unbroadcast(np.broadcast_to(x.error, np.shape(x.value)), shape) + own
        return Rounded(unbroadcast(x.value, shape)[()], error[()] if isinstance(error, np.ndarray) else error)

    def _add_in_place(self, row: Row, ct: Rounded) -> None:
        source, rule, static = row[2], row[0].rule, row[0].static
        shape = np.shape(self.rows[source][1])
        if source not in self._owned:
            before = self.found.get(source, Rounded(0.0, 0.0))
            kind = complex if np.iscomplexobj(self.rows[source][1]) else float
            self.found[source] = Rounded(
                np.array(np.broadcast_to(before.value, shape), kind),
                np.array(np.broadcast_to(before.error, shape), float),
            )
            self._owned.add(source)
        buffer = self.found[source]
        rule.in_place(buffer.value, ct.value if np.iscomplexobj(buffer.value) else np.real(ct.value), **static)
        own = self.arithmetic.half_ulp * np.abs(buffer.value[static["key"]])
        rule.in_place(buffer.error, np.broadcast_to(ct.error, np.shape(ct.value)) + own, **static)
