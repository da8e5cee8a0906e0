"""The derivative of the recorded straight-line program at the exact binary point, with 30 sure digits.

The program is played again on numbers of many digits, its outcomes fixed; then one reverse sweep multiplies SymPy's
derivatives of each node's value, and adjoints that rest on the forward of each array rule.  It owes nothing to our
partials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import mpmath

from gradcli.exact import decimals
from gradcli.exact.replay import play
from gradcli.exact.reverse import Sweep
from gradcli.numerics.deadline import Deadline
from gradcli.traces.trace import Trace

PRECISIONS = (60, 120, 240, 480, 960)
SMALL = 1e-60  # the rounding from which on a number that falls with each precision is taken for nothing
AGREEMENT = 1e-30

Number = Any  # of mpmath's


@dataclass(frozen=True)
class ExactGradient:
    """The derivative by each number of the inputs.

    Attributes:
        derivatives: as mpmath numbers with 30 digits or more; None where there is none at this point.
        largest: the largest of the contributions that each derivative is the sum of, in absolute value.
        wrong: the nodes whose own vector-Jacobian function disagrees with their forward.
    """

    derivatives: tuple[Number | None, ...]
    largest: tuple[float, ...]
    wrong: tuple[int, ...] = ()


def gradient(trace: Trace, result: int, inputs: Sequence[int], clock: Deadline | None = None) -> ExactGradient:
    """The derivative of node `result` by every number of the nodes `inputs`.

    The number of digits is raised until two precisions agree.  The cost is linear in the number of single numbers on
    the trace: with two precisions some 15 microseconds for each number recorded alone, 3 for one of an array.

    Raises:
        TooLongError: the program takes too many operations, or the time is up.
    """
    clock = clock or Deadline()
    earlier: list[Decimal] = []
    before: list[Decimal] = []
    found: list[Decimal | None] = []
    marks: list[Any] | None = None
    for count in PRECISIONS:
        with decimals.digits(count):
            values = play(trace, result, clock)
            swept = Sweep(trace, values, result, inputs, clock, marks)
            if marks is None and any(x.is_nan() for x in swept.numbers()[0]):
                marks = trace.marked(result).marks
                swept = Sweep(trace, values, result, inputs, clock, marks)
            derivatives, largest = swept.numbers()
            found = [settled(*each) for each in zip(before, derivatives, largest, strict=False)]
        if before and all(x is not None or not y.is_finite() for x, y in zip(found, derivatives, strict=True)):
            break
        earlier, before = before, derivatives
    with decimals.digits(PRECISIONS[-1]):
        found = [vanished(*each) for each in zip(earlier or derivatives, derivatives, found, strict=True)]
        return ExactGradient(
            tuple(None if x is None else decimals.to_mpmath(x) for x in found),
            tuple(map(float, largest)),
            tuple(sorted(swept.wrong)),
        )


def once(trace: Trace, result: int, inputs: Sequence[int], count: int = PRECISIONS[0]) -> list[Number]:
    """The derivative of node `result` by every number of the nodes `inputs`, as it comes out with `count` digits.

    Raises:
        TooLongError: the program takes too many operations, or too long.
    """
    clock = Deadline()
    with decimals.digits(count):
        found, _ = Sweep(trace, play(trace, result, clock), result, inputs, clock).numbers()
        return list(map(decimals.to_mpmath, found))


def settled(before: Any, now: Any, largest: Any = 0) -> Any:
    """The number on which two precisions agree; 0 where only the last digits of larger contributions are left."""
    agreement = type(now)(AGREEMENT)
    if not (_is_finite(before) and _is_finite(now)):
        return None
    if now and abs(before - now) <= agreement * abs(now):
        return now
    last = largest * type(now)(10) ** -decimals.count()  # what is small may be lost beside what is large
    falls = abs(now) <= last / agreement and abs(now) <= agreement * abs(before)
    return now * 0 if falls and last <= type(now)(SMALL) else None


def _is_finite(x: Any) -> bool:
    return x.is_finite() if isinstance(x, Decimal) else bool(mpmath.isfinite(x))


def vanished(before: Decimal, now: Decimal, found: Decimal | None) -> Decimal | None:
    """0 for a number that is still falling with the last precision, and so nothing but its last digits."""
    falls = found is None and now.is_finite() and abs(now) <= Decimal(AGREEMENT) * abs(before)
    return decimals.ZERO if falls else found
