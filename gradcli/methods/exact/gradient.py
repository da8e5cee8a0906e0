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

from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact import decimals
from gradcli.methods.exact.replay import Replay
from gradcli.methods.exact.reverse import Sweep, cancels
from gradcli.methods.numerics.deadline import Deadline

PRECISIONS = (60, 120, 240, 360, 720)  # the last tells a 0 from the smallest float next to terms of any size,
NEXT_TO_NOTHING = 360  # and this one next to those of up to 1e30
SMALLEST = Decimal("1e-330")  # an error below it is none in a float
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

    The precision is raised until two results agree and their last digits, those of the largest contribution, are far
    below them, or below every float. One precision is enough if nothing was rounded, and for a long program where
    gradcli's own sweep agrees. The cost is linear in the number of single numbers on the trace: with two precisions,
    some 15 microseconds for each scalar node and 3 for each element of an array.

    Raises:
        TooLongError: the program takes too many operations, or the time is up.
    """
    clock = clock or Deadline()
    clock.check(sum(np.size(node.value) for node in trace.nodes) * PER_NUMBER)
    before: list[Decimal] = []
    decided: list[Decimal | None] = []
    replay, marks, least = Replay(trace, result, clock), None, 0
    for count in PRECISIONS:
        if count < least:
            continue
        with decimals.digits(count):
            swept = _swept(trace, replay, result, inputs, marks)
            marks, (derivatives, largest) = swept.marks, swept.numbers()
            decides_alone = decimals.is_exact()
            lost = _lost(trace, result, swept)
            decided = [agreed_number(*three) for three in zip(before, derivatives, lost, strict=False)]
            if not (before or any(lost)) and len(trace.nodes) > LONG:
                decides_alone |= _is_confirmed(trace, result, inputs, derivatives)
            clock.check()
        if decides_alone:
            decided = [x if x.is_finite() else None for x in derivatives]
            break
        if before and all(x is not None or not y.is_finite() for x, y in zip(decided, derivatives, strict=True)):
            break
        least = NEXT_TO_NOTHING if any(lost) else 0
        before = derivatives
    return ExactGradient(tuple(decided), tuple(map(float, largest)), tuple(sorted(swept.wrong)))


def _swept(trace: Trace, replay: Replay, result: int, inputs: Sequence[int], marks: list[Any] | None) -> Sweep:
    """The sweep in the current precision, without the paths that the program did not take if they make it nan."""
    values = replay.values()
    swept = Sweep(trace, values, result, inputs, replay.clock, marks)
    if marks is None and any(x.is_nan() for x in swept.numbers()[0]):
        swept = Sweep(trace, values, result, inputs, replay.clock, trace.marked(result).marks)
    return swept


def _lost(trace: Trace, result: int, swept: Sweep) -> list[bool]:
    """Which derivatives may be the last digits of larger terms: theirs, or of size 1 where terms cancel on the way."""
    derivatives, largest = swept.numbers()
    unit, relative = Decimal(1).scaleb(-decimals.count()), Decimal(AGREEMENT)
    if any(abs(x) <= relative for x in derivatives) and (
        swept.cancels or any(map(_cancels, trace.nodes[: result + 1]))
    ):
        largest = [max(x, decimals.ONE) for x in largest]
    return [
        x.is_finite() and size * unit > max(relative * abs(x), SMALLEST)
        for x, size in zip(derivatives, largest, strict=True)
    ]


def _cancels(node: TraceNode) -> bool:
    """Whether a step that computes gives 0 of arguments that are not."""
    rule = node.rule
    if rule is None or rule.piecewise or rule.selects or rule.moves:
        return False
    return cancels(node.value, node.operands if isinstance(rule, Elementwise) else map(np.all, node.operands))


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


def agreed_number(before: Decimal, now: Decimal, lost: bool = False) -> Decimal | None:
    """The number on which two precisions agree, 0 if it is below every float, or None; not if its digits are lost."""
    if lost or not (before.is_finite() and now.is_finite()):
        return None
    if now and abs(before - now) <= Decimal(AGREEMENT) * abs(now):
        return now
    return decimals.ZERO if abs(now) <= SMALLEST else None
