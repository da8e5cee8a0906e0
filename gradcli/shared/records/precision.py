"""Records of the number of correct digits, and of the operations that lose digits."""

from __future__ import annotations

import math

from gradcli.errors import Exit
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import ByName, Finding, Result, Structure, if_finite


class NumberAccuracy(Frozen):
    """A computed number, a bound on its rounding error, and the number of its correct digits.

    Where no bound was found, the error is infinite and the number of digits 0.
    """

    name: str
    value: float
    error: float
    digits: float

    @property
    def is_unbounded(self) -> bool:
        """Whether no bound was found for a finite number, whose digits are then unknown."""
        return math.isinf(self.error) and math.isfinite(self.value)


class DigitLoss(Frozen):
    """A node whose operation loses digits.

    `lost` is the number of digits that the result has fewer than the arguments. `of_value` and `of_gradient` are the
    shares of this node's rounding in the error of the value and of the least accurate derivative. `rewrite` is an
    equivalent formula; evaluated at the point, its value has `rewritten` correct digits.
    """

    index: int
    name: str | None
    operation: str
    expression: str
    value: Structure
    lost: float
    of_value: float
    of_gradient: float
    rewrite: str | None = None
    file: str | None = None
    line: int | None = None
    source: str | None = None
    rewritten: float | None = None


class Precision(Result):
    """The result of `gradcli precision`: the number of correct digits, and the nodes that lose digits, worst first.

    `worst` names the derivative with the fewest correct digits.
    """

    command = "precision"

    target: str
    point: ByName
    value: NumberAccuracy
    gradient: tuple[NumberAccuracy, ...]
    worst: str | None
    nodes: tuple[DigitLoss, ...]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def exit(self) -> Exit:
        """The exit code: it says whether all numbers are finite."""
        return if_finite([part.value for part in (self.value, *self.gradient)])
