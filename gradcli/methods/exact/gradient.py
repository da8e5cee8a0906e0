"""The derivative of a recorded straight-line program at the exact binary point, with 30 correct digits.

The program is replayed on numbers in many digits with its outcomes fixed. One reverse sweep then multiplies SymPy's
derivatives of each node's value, and adjoints based on the forward computation of each array rule. It uses none of
gradcli's own partials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import mpmath
import numpy as np

from gradcli.engine.traces.trace import Trace
from gradcli.methods.exact import decimals
from gradcli.methods.exact.replay import Replay
from gradcli.methods.exact.reverse import Sweep
from gradcli.methods.numerics.deadline import Deadline

PRECISIONS = (60, 120, 240, 480, 960)
SMALL = 1e-60  # rounding unit at which a number that shrinks with each precision is taken for 0
AGREEMENT = 1e-30
PER_NUMBER = 1e-5  # seconds that a number of the program takes
LONG = 10_000  # nodes; of a longer program, one precision is enough if gradcli's own sweep agrees
ALIKE = 1e-10  # relative difference to that sweep: 60 digits then lose no more than some six of them

Number = Any  # an mpmath number


@dataclass(frozen=True)
class ExactGradient:
    """The derivative by each number of the inputs.

    Attributes:
        decimals: the derivatives with 30 digits or more; None where there is none.
        largest: the largest absolute contribution to each derivative.
        wrong: the nodes whose own vector-Jacobian product disagrees with their forward computation.
    """

    decimals: tuple[Decimal | None, ...]
    largest: tuple[float, ...]
    wrong: tuple[int, ...] = ()

    @property
    def derivatives(self) -> tuple[Number | None, ...]:
        """The derivatives as mpmath numbers."""
        with mpmath.workdps(PRECISIONS[-1]):
            return tuple(None if x is None else decimals.to_mpmath(x) for x in self.decimals)


def gradient(trace: Trace, result: int, inputs: Sequence[int], clock: Deadline | None = None) -> ExactGradient:
    """The derivative of node `result` by every number of the nodes `inputs`.

    The precision is raised until two results agree; a long program needs only one where gradcli's own sweep agrees. The
    cost is linear in the number of single numbers on the trace: with two precisions, some 15 microseconds for each
    scalar node and 3 for each element of an array.

    Raises:
        TooLongError: the program takes too many operations, or the time is up.
    """
    clock = clock or Deadline()
    clock.check(sum(np.size(node.value) for node in trace.nodes) * PER_NUMBER)
    earlier: list[Decimal] = []
    before: list[Decimal] = []
    decided: list[Decimal | None] = []
    marks: list[Any] | None = None
    replay = Replay(trace, result, clock)
    for count in PRECISIONS:
        with decimals.digits(count):
            values = replay.values()
            swept = Sweep(trace, values, result, inputs, clock, marks)
            if marks is None and any(x.is_nan() for x in swept.numbers()[0]):
                marks = trace.marked(result).marks
                swept = Sweep(trace, values, result, inputs, clock, marks)
            derivatives, largest = swept.numbers()
            clock.check()
            if not before and len(trace.nodes) > LONG and _is_confirmed(trace, result, inputs, derivatives):
                decided = [*derivatives]
                break
            decided = [agreed_number(*three) for three in zip(before, derivatives, largest, strict=False)]
        if before and all(x is not None or not y.is_finite() for x, y in zip(decided, derivatives, strict=True)):
            break
        earlier, before = before, derivatives
    with decimals.digits(PRECISIONS[-1]):
        decided = [vanished(*three) for three in zip(earlier or derivatives, derivatives, decided, strict=True)]
        return ExactGradient(tuple(decided), tuple(map(float, largest)), tuple(sorted(swept.wrong)))


def _is_confirmed(trace: Trace, result: int, inputs: Sequence[int], derivatives: Sequence[Decimal]) -> bool:
    """Whether the derivatives by gradcli's own sweep in floating point are nearly the same."""
    if trace.has_complex or result != trace.result_index():
        return False
    cotangents = trace.sensitivities()
    numbers = [Decimal(x) for index in inputs for x in np.ravel(cotangents[index]).tolist()]
    return all(abs(x - now) <= Decimal(ALIKE) * abs(now) for x, now in zip(numbers, derivatives, strict=True))


def derivative_with_digits(
    trace: Trace, result: int, inputs: Sequence[int], count: int = PRECISIONS[0]
) -> list[Number]:
    """The derivative of node `result` by every number of the nodes `inputs`, computed once with `count` digits.

    Raises:
        TooLongError: the program takes too many operations, or too long.
    """
    clock = Deadline()
    with decimals.digits(count):
        numbers, _ = Sweep(trace, Replay(trace, result, clock).values(), result, inputs, clock).numbers()
        return list(map(decimals.to_mpmath, numbers))


def agreed_number(before: Any, now: Any, largest: Any = 0) -> Any:
    """The number on which two precisions agree, 0 if only last digits of larger contributions remain, or None."""
    agreement = type(now)(AGREEMENT)
    if not (_is_finite(before) and _is_finite(now)):
        return None
    if now and abs(before - now) <= agreement * abs(now):
        return now
    last = largest * type(now)(10) ** -decimals.count()  # a small number may be lost next to a large one
    falls = abs(now) <= last / agreement and abs(now) <= agreement * abs(before)
    return now * 0 if falls and last <= type(now)(SMALL) else None


def _is_finite(x: Any) -> bool:
    return x.is_finite() if isinstance(x, Decimal) else bool(mpmath.isfinite(x))


def vanished(before: Decimal, now: Decimal, limit: Decimal | None) -> Decimal | None:
    """0 for a number that still shrinks at the highest precision, since it consists of last digits only."""
    falls = limit is None and now.is_finite() and abs(now) <= Decimal(AGREEMENT) * abs(before)
    return decimals.ZERO if falls else limit
