"""Where a program loses its digits: what the rounding of each node contributes to the error of its results.

A node's share is the sensitivity of the result on it times what its own rounding moves (S. Linnainmaa, Taylor expansion
of the accumulated rounding error, BIT 16, 1976).  For the value that is one reverse sweep.  For a component of the
gradient the sweep that computes it is recorded as more tape, and swept itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.methods import rounding
from gradcli.tape.accumulate import UNTOUCHED, plain
from gradcli.tape.quiet import quiet
from gradcli.tape.structure import leaves
from gradcli.tape.sweep import reverse
from gradcli.tape.tape import ALIAS, CONSTANT
from gradcli.traces.trace import Trace
from gradcli.transforms import grad, trace


class Shares(NamedTuple):
    """What the own rounding of each row contributes to the error of one result; `rest` is that of no row of the run."""

    rows: list[float]
    rest: float = 0.0

    @property
    def total(self) -> float:
        """The bound of the error of the result, to first order."""
        return sum(self.rows) + self.rest


def of_value(tape: Trace, half_ulp: float) -> Shares:
    """The shares of the rows of a run in the error of its value."""
    last = tape.result_index()
    return Shares([0.0] * len(tape.rows)) if last is None else Shares(_shares(tape, last, half_ulp, len(tape.rows)))


def of_component(tape: Trace, leaf: int, place: tuple[int, ...], half_ulp: float) -> Shares:
    """The shares of the rows of a run in the error of its derivative by one number of the point.

    Args:
        tape: the run.
        leaf: which number or array of the point, counted in order.
        place: where in the array; empty for a number.
        half_ulp: what one rounding moves, relative.
    """
    function, arguments = tape.function, tape.arguments
    assert function is not None

    def derivative(*inputs: Any) -> Any:
        gradient = leaves(grad(function, argnums=tuple(range(len(inputs))))(*inputs))[leaf]
        return gradient[place] if place else gradient

    with quiet():  # the program has run before
        twice = trace(derivative, *arguments, names=False)
    last = twice.result_index()
    if last is None:
        return Shares([0.0] * len(tape.rows))
    shares = _shares(twice, last, half_ulp, len(twice.rows))
    return _on_the_run(shares, twice, tape)


def _on_the_run(shares: list[float], twice: Trace, tape: Trace) -> Shares:
    """The shares of the rows of the run itself, of a tape that holds its inputs, their aliases, the run and a sweep."""
    entered = sum(1 for _ in tape.input_rows())
    aliases = sum(row[0] is ALIAS for row in twice.rows[entered : 2 * entered])
    run = shares[entered + aliases : len(tape.rows) + aliases]
    return Shares([*[0.0] * entered, *run], sum(shares[len(tape.rows) + aliases :]))


def _shares(tape: Trace, last: int, half_ulp: float, count: int) -> list[float]:
    value = tape.rows[last][1]
    own = rounding.own_errors(tape, last, half_ulp)
    cts = reverse(tape, last, 1.0 if type(value) is float else np.ones_like(value)[()], everywhere=True)
    found = [_share(plain(ct), error) for ct, error in zip(cts, own, strict=True)]
    return [*found, *[0.0] * (count - len(found))]


def _share(ct: Any, own: Any) -> float:
    if ct is UNTOUCHED:
        return 0.0
    with np.errstate(all="ignore"):
        share = np.where(np.asarray(own) == 0, 0.0, np.abs(ct) * own)
    return float(np.sum(share))


# Digits


def digits_lost(tape: Trace, half_ulp: float) -> list[float]:
    """For each row how many decimal digits its result has less than the worst of its arguments; of arrays the most."""
    errors = rounding.running_errors(tape, len(tape.rows) - 1, half_ulp)
    relative = [_relative(error, row[1], half_ulp) for error, row in zip(errors, tape.rows, strict=True)]
    return [_lost(row[0].recorded, row[2::2], relative, at, half_ulp) for at, row in enumerate(tape.rows)]


def _relative(error: Any, value: Any, half_ulp: float) -> float:
    with np.errstate(all="ignore"):
        found = np.where(np.asarray(error) == 0, 0.0, np.asarray(error) / np.abs(value))
    return max(half_ulp, float(np.max(found, initial=0.0)))


def _lost(recorded: Any, sources: Sequence[int], relative: list[float], at: int, half_ulp: float) -> float:
    if not recorded:
        return 0.0
    before = max((relative[source] for source in sources if source != CONSTANT), default=half_ulp)
    return max(0.0, float(np.log10(relative[at] / before))) if np.isfinite(before) else 0.0


def good_digits(value: float, error: float, half_ulp: float) -> float:
    """How many decimal digits of a number are good, its error being bounded so; all that its type has at most."""
    most = -float(np.log10(half_ulp))
    if not np.isfinite(value) or np.isnan(error):
        return 0.0
    if error == 0:
        return most
    return 0.0 if error >= abs(value) else min(most, -float(np.log10(error / abs(value))))
