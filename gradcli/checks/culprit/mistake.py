"""A mistake at one step of a recorded program: what it would change, and the words for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradcli.checks.culprit.step_texts import StepTexts
from gradcli.traces.node import TraceNode

# How much a mistake asks to believe: of those that account for the numbers the lowest is told.
OF_A_CONSTANT, OF_A_TERM, OF_A_PARTIAL, OF_A_PART, OF_AN_ARGUMENT, OF_THE_FUNCTION = 0, 2, 4, 5, 6, 7


@dataclass(frozen=True)
class Passed:
    """What one step passes back to one of its arguments.

    Attributes:
        node, position: the step and the number of the argument.
        operand: the value of the argument.
        cotangent: the sensitivity of the result to what the step computes.
        pulled: what the argument gets.
    """

    node: TraceNode
    position: int
    operand: Any
    cotangent: Any
    pulled: Any


@dataclass(frozen=True)
class Mistake:
    """A mistake at one step.

    Attributes:
        kind: the same for the same mistake at another step.
        order: how much it asks to believe.
        says: what is said of it.
        passes: for a mistake of the derivative, what the argument gets in place of what it ought to.
        scales: by what that is multiplied, where it is a number.
        computes: for a mistake of the function, what is computed in the place of the step, of recorded values.
    """

    kind: tuple[Any, ...]
    order: int
    says: Callable[[StepTexts], str]
    passes: Callable[[Passed], Any] | None = None
    scales: float | None = None
    computes: Callable[..., Any] | None = None


def scaled(kind: tuple[Any, ...], order: int, factor: float, says: Callable[[StepTexts], str]) -> Mistake:
    """The mistake that multiplies what an argument gets by a number."""
    return Mistake(kind, order, says, lambda passed: factor * passed.pulled, factor)
