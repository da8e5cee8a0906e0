"""The reverse sweep with reachability masks: elements that the program did not select contribute exactly zero.

Each cotangent array has a mask that says for each element whether a path leads from it to the result. An index, a mask,
`where`, `clip` and `max` leave elements unreached. Unreached elements are skipped whatever their partial, even an
infinite one; a cotangent that was computed as zero is multiplied like any other. The sweep runs on plain numbers where
the plain sweep met a number that is not finite, and recorded where the cotangents are recorded in turn.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.tape.accumulation import UNTOUCHED, fit
from gradcli.engine.tape.pullbacks import by_ieee
from gradcli.engine.tape.tape import CONSTANT, INPUT, Row, RowOperation, Tape
from gradcli.engine.tape.value import KINDS, is_recorded, plain_value
from gradcli.mathematics.rules.complex_rules import is_complex
from gradcli.mathematics.rules.indexing import INDEX, SCATTER
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.mathematics.rules.shape import unbroadcast
from gradcli.shared.float_errors import without_float_errors

# The mask of an array: a boolean per element, or True for all of them.
Marks = Any

# What a row passes to one argument: the cotangent and its mask.
Passed = tuple[Any, Marks]


def reverse_reached(
    tape: Tape, last: int, seed: Any, first: int, *, recorded: bool, rows: list[Row] | None = None
) -> list[Any]:
    """The cotangents of rows `first` to `last`, as `reverse` returns them, recorded on the tape if `recorded` is set.

    Elements where a plain seed is zero are unreached; a recorded seed may be differentiated by, whatever its value. The
    sweep goes over `rows` if they are given, else over the rows of the tape.
    """
    sweep = ReachedSweep(tape, last, recorded, rows)
    if recorded and not tape.has_arrays and (is_recorded(seed) or seed != 0):
        sweep.cts[last] = seed
        for at in range(last, first - 1, -1):
            if sweep.cts[at] is not UNTOUCHED:
                _pull_numbers(sweep, at)
        return sweep.cts
    return sweep.run(seed, first).cts


def _pull_numbers(sweep: ReachedSweep, at: int) -> None:
    """Pass the recorded cotangent of a row of numbers, which is reached, to its arguments: `pull` without masks."""
    cts, row = sweep.cts, sweep.rows[at]
    operation, rule = row[0], row[0].rule
    if not operation.recorded:
        return
    values = handle(sweep.tape, at, row[1]), *operand_handles(sweep.tape, row)
    for position in operation.recorded:
        index, contribution = row[2 + 2 * position], cts[at]
        if rule is not None:
            product, partial = operation.products[position], operation.partials[position]
            if product is None or partial is None:
                continue
            if rule.selects and by_ieee(partial, row[1], *row[3::2]) == 0:
                continue
            contribution = by_ieee(product, contribution, *values)
        cts[index] = contribution if cts[index] is UNTOUCHED else cts[index] + contribution


@without_float_errors
def reachability_masks(tape: Tape, last: int) -> list[Marks]:
    """The mask of each row up to `last`: the elements with a path to row `last` along what the program selected."""
    sweep = ReachedSweep(tape, last, recorded=False)
    sweep.add(last, np.ones_like(tape.rows[last][1])[()], True)
    for at in range(last, -1, -1):
        sweep.pull(at)
    return sweep.marks


class ReachedSweep:
    """One sweep: the cotangents, their masks, and the pending reads `x[i]` of each row."""

    def __init__(self, tape: Tape, last: int, recorded: bool, rows: list[Row] | None = None) -> None:
        self.tape = tape
        self.rows = tape.rows if rows is None else rows
        self.recorded = recorded
        self.cts: list[Any] = [UNTOUCHED] * (last + 1)
        self.marks: list[Any] = [False] * (last + 1)
        self.reads: dict[int, list[tuple[Any, Any, Any]]] = {}

    @without_float_errors
    def run(self, seed: Any, first: int = 0) -> ReachedSweep:
        """Sweep from the last row, with the cotangent `seed`, back to row `first`."""
        self.add(len(self.cts) - 1, seed, is_recorded(seed) or _simplest(np.not_equal(seed, 0)))
        for at in range(len(self.cts) - 1, first - 1, -1):
            self.pull(at)
        return self

    def add(self, index: int, ct: Any, marks: Marks) -> None:
        """Add to the cotangent of row `index`, and to its mask."""
        present, marked = self.cts[index], self.marks[index]
        self.cts[index] = ct if present is UNTOUCHED else present + ct
        self.marks[index] = marks is True or marked is True or _simplest(marks | marked)

    def pull(self, at: int) -> None:
        """Pass the cotangent of row `at` to its arguments."""
        self._put_back(at)
        ct, row = self.cts[at], self.rows[at]
        if ct is UNTOUCHED or not row[0].recorded or np.size(row[1]) == 0:  # what has no elements reaches nothing
            return
        v, arguments = (
            (handle(self.tape, at, row[1]), operand_handles(self.tape, row)) if self.recorded else (row[1], row[3::2])
        )
        for position in row[0].recorded:
            index, like = row[2 + 2 * position], row[3 + 2 * position]
            if row[0].rule is INDEX:
                self.reads.setdefault(index, []).append((row[0].static["key"], ct, self.marks[at]))
            elif contribution := argument_contribution(row, position, ct, self.marks[at], v, arguments):
                self.add(index, fit(contribution[0], like), fit_marks(contribution[1], like))

    def _put_back(self, at: int) -> None:
        """Add the cotangents of all reads `x[i]` of row `at` in one step, so that a loop of reads takes linear time."""
        if reads := self.reads.pop(at, None):
            keys, cts, marks = zip(*reads, strict=True)
            like = self.rows[at][1]
            ones = (_ones(mark, ct) for mark, ct in zip(marks, map(plain_value, cts), strict=True))
            self.add(at, SCATTER(like, *cts, keys=keys), SCATTER(like, *ones, keys=keys) != 0)


def handle(tape: Tape, index: int, value: Any) -> Any:
    """A handle for a row that is already on the tape."""
    made: Any = object.__new__(KINDS[type(value)])
    made.tape, made.index, made._value = tape, index, value
    return made


def operand_handles(tape: Tape, row: Row) -> tuple[Any, ...]:
    """The operands of a row as handles, constants unchanged."""
    pairs = zip(row[2::2], row[3::2], strict=True)
    return tuple([value if index == CONSTANT else handle(tape, index, value) for index, value in pairs])


def enter_leaf(tape: Tape, value: Any) -> Any:
    """Enter a NumPy value on a tape as an input, and return its handle."""
    tape.rows.append((INPUT, value))
    tape.has_arrays = True
    tape.has_complex = tape.has_complex or is_complex(value)
    return handle(tape, len(tape.rows) - 1, value)


def argument_contribution(
    row: Row, position: int, ct: Any, marks: Marks, v: Any, arguments: tuple[Any, ...]
) -> Passed | None:
    """What a row passes to one argument, in the shape of the argument or of its broadcast; None if that is nothing."""
    operation, rule = row[0], row[0].rule
    if rule is None:  # an alias
        return ct, marks
    if isinstance(rule, Elementwise):
        return _through_numbers(operation, position, ct, marks, v, arguments)
    reached = (marks is True and not rule.selects) or _simplest(_reached(row, position, marks))
    if reached is not True and not np.any(reached):
        return None
    return _masked(_pulled(row, position, ct, marks, v, arguments), reached), reached


def _through_numbers(
    operation: RowOperation, position: int, ct: Any, marks: Marks, v: Any, arguments: tuple[Any, ...]
) -> Passed | None:
    rule = operation.rule
    assert isinstance(rule, Elementwise)
    product, partial = operation.products[position], operation.partials[position]
    if product is None or partial is None:
        return None
    reached = marks
    if rule.selects:
        reached = _simplest(marks & (plain_value(by_ieee(partial, v, *arguments)) != 0))
    if reached is not True and not np.any(reached):
        return None
    return _masked(by_ieee(product, ct, v, *arguments), reached), reached


def _reached(row: Row, position: int, marks: Marks) -> Any:
    """The mask of an argument: its elements that affect reached ones of the result; all if the rule does not say."""
    rule, v, arguments, static = row[0].rule, row[1], row[3::2], row[0].static
    ones = _ones(marks, v)
    if rule.reach:
        return rule.reach(ones, v, *arguments, **static) != 0
    if rule.linear or rule.selects:
        return rule.vjp(position, ones, v, arguments, static) != 0
    if rule.bilinear:
        return rule.vjp(position, ones, v, tuple(map(np.ones_like, arguments)), static) != 0
    return np.any(marks)


def _pulled(row: Row, position: int, ct: Any, marks: Any, v: Any, arguments: tuple[Any, ...]) -> Any:
    """The vector-Jacobian product of a row. In a product, infinite or nan factors multiply reached cotangents only."""
    rule, static = row[0].rule, row[0].static
    if not rule.bilinear or marks is True or np.all(np.isfinite(row[5 - 2 * position])):
        return rule.vjp(position, ct, v, arguments, static)

    def product(cotangent: Any, other: Any) -> Any:
        factors = (arguments[0], other) if position == 0 else (other, arguments[1])
        return rule.vjp(position, cotangent, v, factors, static)

    plain = row[5 - 2 * position]
    taken = fit_marks(_reached(row, 1 - position, marks), plain)
    infinite = taken & ~np.isfinite(plain)
    met = product(np.where(marks, 1.0, 0.0), np.where(infinite, 1.0, 0.0)) != 0
    other = np.where(taken, arguments[1 - position], 0.0)
    return np.where(met, product(ct, other), product(ct, np.where(infinite, 0.0, other)))


def _ones(marks: Marks, like: Any) -> Any:
    """An array in the shape of `like` with one for each reached element and zero for the others."""
    return np.ones_like(like) if marks is True else np.where(marks, 1.0, np.zeros_like(like))


def _masked(cotangent: Any, reached: Marks) -> Any:
    return cotangent if reached is True else np.where(reached, cotangent, 0.0)


def _simplest(marks: Marks) -> Marks:
    return True if np.all(marks) else marks


def fit_marks(marks: Marks, like: Any) -> Marks:
    """Reduce a mask to the shape of `like`, which may have been broadcast."""
    if marks is True or np.shape(marks) == np.shape(like):
        return marks
    return unbroadcast(np.where(marks, 1.0, 0.0), np.shape(like)) != 0
