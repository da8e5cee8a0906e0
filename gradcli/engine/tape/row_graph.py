"""The graph of a tape's rows, for modules that do not know the layout of a row."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.tape.tape import ALIAS, INPUT, Tape
from gradcli.mathematics.rules.rule_types import Rule
from gradcli.shared import devices


def is_alias(tape: Tape, index: int) -> bool:
    """Whether a row is an alias of another row."""
    return tape.rows[index][0] is ALIAS


def sources(tape: Tape, index: int) -> tuple[int, ...]:
    """The indices of the rows that made the arguments of a row; -1 for a constant."""
    return tape.rows[index][2::2]


def aliased(tape: Tape, index: int) -> Iterator[int]:
    """Yield the index of a row, of the row it is an alias of, and so on."""
    yield index
    while is_alias(tape, index):
        index = sources(tape, index)[0]
        yield index


def cut_short(tape: Tape, last: int, keeps: Callable[[int], bool]) -> Tape:
    """A copy of the tape up to row `last`, with the rows that are not kept turned into inputs. Aliases stay."""
    made = copy.copy(tape)
    rows = enumerate(tape.rows[: last + 1])
    made.rows = [row if row[0] is ALIAS or keeps(at) else (INPUT, row[1]) for at, row in rows]
    return made


def first_not_finite(tape: Tape) -> tuple[int | None, Rule | None]:
    """The index and the rule of the first row whose value is not finite, among the values that are kept."""
    return next(((n, row[0].rule) for n, row in enumerate(tape.rows) if not _is_finite(row[1])), (None, None))


def _is_finite(value: Any) -> bool:
    try:
        return math.isfinite(value) if type(value) is float else bool(np.all(np.isfinite(value)))
    except TypeError:
        return True


_ORDERS = frozenset({"less", "less_equal", "greater", "greater_equal"})
_COMPARISONS = _ORDERS | {"lt", "le", "gt", "ge"}
_EQUALITIES = frozenset({"eq", "ne", "equal", "not_equal", "array_equal", "bool", "any", "all", "count_nonzero"})
_WHOLE = frozenset({"floor", "ceil", "trunc", "fix", "int"})  # which jump at whole numbers
_PLACES = frozenset({"argsort", "argpartition", "argmax", "argmin"})
_CLOSENESS = frozenset({"isclose", "allclose"})  # they hold within a tolerance of equal numbers
TOLERANCE = 1e-4  # the largest number that a distance of 0 is compared with as a tolerance
MOST_OUTCOMES = 1000  # the most outcomes in which equal operands are looked for


def equal_operands(tape: Tape) -> tuple[str, ...]:
    """The names of the outcomes that asked about equal numbers, about 0, or about a whole number where they jump.

    Those of recorded sweeps do not count: at a kink, the limits of derivatives beside it say more.
    """
    if len(tape.outcomes) > MOST_OUTCOMES:
        return ()
    try:  # as fast as Python compares, because every derivative of a program with comparisons comes here
        if not [
            None
            for _, name, _, _, operands, _ in tape.outcomes
            if (operands[0].__class__ is not np.ndarray or name not in _ORDERS)
            and (operands[0] == operands[-1] or not operands[0] or not operands[-1])  # equal, or a distance of 0
        ]:
            return ()
    except (ValueError, IndexError, TypeError):  # other operands are arrays, or there are none
        pass
    of_sweeps = {at for sweep in tape.run.recorded_sweeps for at in sweep.outcomes}
    outcomes = (outcome for at, outcome in enumerate(tape.outcomes) if at not in of_sweeps)
    return tuple(name for _, name, _, _, operands, _ in outcomes if _asks_about_equal(name, operands))


def orders_equal(name: str, operands: tuple[Any, ...]) -> bool:
    """Whether an outcome is the order of equal numbers, beside which another order holds."""
    if any(map(devices.on_device, operands)):
        return False  # not looked at, as that would wait for the device
    if name in _COMPARISONS:
        return bool(np.any(np.equal(operands[0], operands[1])))
    if name not in _PLACES:
        return False
    finite = np.extract(np.isfinite(operands[0]), operands[0])  # nan and infinity stay in their places
    return finite.size > np.unique(finite).size


def is_close_to_equal(name: str, operands: tuple[Any, ...]) -> bool:
    """Whether an outcome found equal numbers close: its path may hold within a tolerance of them alone."""
    return name in _CLOSENESS and bool(np.all(np.equal(operands[0], operands[1])))


def is_small_distance(name: str, operands: tuple[Any, ...]) -> bool:
    """Whether an outcome compared a distance of 0 with a tolerance: likewise."""
    if name not in _COMPARISONS or np.ndim(operands[0]) or np.ndim(operands[1]):
        return False
    least, most = sorted((abs(operands[0]), abs(operands[1])))
    return bool(least == 0 < most <= TOLERANCE)


def _asks_about_equal(name: str, operands: tuple[Any, ...]) -> bool:
    if is_close_to_equal(name, operands) or is_small_distance(name, operands):
        return True
    if name in _COMPARISONS:
        return not any(map(np.ndim, operands)) and bool(operands[0] == operands[1])
    if name in _WHOLE:
        return bool(np.any(np.equal(operands[0], np.rint(operands[0]))))
    if name not in _EQUALITIES:
        return False
    return bool(np.any(np.equal(operands[0], operands[1] if len(operands) > 1 else 0)))


def input_values(tape: Tape) -> dict[int, Any]:
    """The values of the inputs of all runs on a tape, by their rows."""
    return {at: row[1] for at, row in enumerate(tape.rows) if row[0] is INPUT}
