"""Whether a program asked about equal numbers: at those, its outcomes may hold at the point alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import numpy as np

from gradcli.engine.tape.tape import Tape
from gradcli.shared import devices

_ORDERS = frozenset({"less", "less_equal", "greater", "greater_equal"})
COMPARISONS = _ORDERS | {"lt", "le", "gt", "ge"}
_EQUALITIES = frozenset({"eq", "ne", "equal", "not_equal", "array_equal", "bool", "any", "all", "count_nonzero"})
_WHOLE = frozenset({"floor", "ceil", "trunc", "fix", "int"})  # which jump at whole numbers
_PLACES = frozenset({"argsort", "argpartition", "argmax", "argmin"})
TOLERANCE = 1e-4  # the largest number that a distance of 0 is compared with as a tolerance
MOST_OUTCOMES = 1000  # the most outcomes in which equal operands are looked for


def questions(tape: Tape, since: int = 0) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield the name and the operands of each outcome from number `since` on, if there are not too many of all.

    Those of recorded sweeps do not count: at a kink, the limits of derivatives beside it say more.
    """
    if len(tape.outcomes) <= MOST_OUTCOMES:
        sweeps = (sweep.outcomes for sweep in reversed(tape.run.recorded_sweeps))
        of_sweeps = {at for outcomes in takewhile(lambda x: x.stop > since, sweeps) for at in outcomes}
        for at, (_, name, _, _, operands, _) in enumerate(tape.outcomes[since:], since):
            if at not in of_sweeps:
                yield name, operands


def equal_operands(tape: Tape) -> tuple[str, ...]:
    """The names of the outcomes that asked about equal numbers, about 0, or about a whole number where they jump."""
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
    return tuple(name for name, operands in questions(tape) if _asks_about_equal(name, operands))


def ordered_ties(tape: Tape, since: int = 0) -> bool:
    """Whether a program, apart from its recorded sweeps, has ordered equal numbers, from an outcome on."""
    return any(orders_equal(name, operands) for name, operands in questions(tape, since))


def orders_equal(name: str, operands: tuple[Any, ...]) -> bool:
    """Whether an outcome is the order of equal numbers, beside which another order holds."""
    if type(operands[0]) is type(operands[-1]) is float:
        return name in COMPARISONS and bool(operands[0] == operands[1])
    if any(map(devices.on_device, operands)):
        return False  # not looked at, as that would wait for the device
    if name in COMPARISONS:
        return bool(np.any(np.equal(operands[0], operands[1])))
    if name not in _PLACES:
        return False
    finite = np.extract(np.isfinite(operands[0]), operands[0])  # nan and infinity stay in their places
    return finite.size > np.unique(finite).size


def is_close_to_equal(name: str, operands: tuple[Any, ...]) -> bool:
    """Whether an outcome found equal numbers close: its path may hold within a tolerance of them alone."""
    return name in ("isclose", "allclose") and bool(np.all(np.equal(operands[0], operands[1])))


def is_small_distance(name: str, operands: tuple[Any, ...]) -> bool:
    """Whether an outcome compared a distance of 0 with a tolerance: likewise."""
    if name not in COMPARISONS or np.ndim(operands[0]) or np.ndim(operands[1]):
        return False
    least, most = sorted((abs(operands[0]), abs(operands[1])))
    return bool(least == 0 < most <= TOLERANCE)


def _asks_about_equal(name: str, operands: tuple[Any, ...]) -> bool:
    if is_close_to_equal(name, operands) or is_small_distance(name, operands):
        return True
    if name in COMPARISONS:
        return not any(map(np.ndim, operands)) and bool(operands[0] == operands[1])
    if name in _WHOLE:
        return bool(np.any(np.equal(operands[0], np.rint(operands[0]))))
    if name not in _EQUALITIES:
        return False
    return bool(np.any(np.equal(operands[0], operands[1] if len(operands) > 1 else 0)))
