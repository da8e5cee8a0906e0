"""What is said of a function at a point: its derivatives, their closed form, and how many digits are good."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gradcli.errors import Exit
from gradcli.record_base import Frozen
from gradcli.records.base import ByName, Finding, Result, Structure, if_finite


class Gradient(Result):
    """The result of `gradcli grad`: a value and the derivative by each input."""

    command = "grad"
    mirrored = MappingProxyType({"gradient": 1})

    target: str
    point: ByName
    value: float
    gradient: ByName
    reading: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def exit(self) -> Exit:
        """Whether the numbers are finite."""
        return if_finite(self.value, self.gradient)


class Derived(Result):
    """The result of `gradcli derive`: a program as text.

    Args:
        target, point: what was derived, and where it was run.
        language: what the text is written in.
        source: the text.
        agrees_with_tape, agrees_with_differences: at how many points.
    """

    command = "derive"

    target: str
    point: ByName
    language: str
    source: str
    agrees_with_tape: int
    agrees_with_differences: int
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Jacobian(Result):
    """The result of `gradcli jacobian`: `jacobian[name]` has the shape of the value, then that of the input."""

    command = "jacobian"
    mirrored = MappingProxyType({"jacobian": 1})

    target: str
    point: ByName
    value: Structure
    jacobian: ByName
    reading: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def exit(self) -> Exit:
        """Whether the numbers are finite."""
        return if_finite(self.value, self.jacobian)


class Hessian(Result):
    """The result of `gradcli hessian`: `hessian[a][b]` has the shape of `a` followed by that of `b`.

    `a` and `b` are the inputs, or where an input is a structure the numbers and arrays in it, such as `params.w`.
    """

    command = "hessian"
    mirrored = MappingProxyType({"gradient": 1, "hessian": 2})

    target: str
    point: ByName
    value: float
    gradient: ByName
    hessian: Mapping[str, ByName]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def exit(self) -> Exit:
        """Whether the numbers are finite."""
        return if_finite(self.value, self.gradient, self.hessian)


class ClosedForm(Result):
    """The result of `gradcli symbolic`: the value and each partial derivative, in the formula language and LaTeX.

    `point` is where the path of the formulas was taken, and `chosen` whether that was for want of one.
    """

    command = "symbolic"

    target: str
    inputs: tuple[str, ...]
    value: str
    gradient: Mapping[str, str]
    latex: Mapping[str, str]
    note: str | None = None
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
    point: ByName = MappingProxyType({})
    chosen: bool = False


class Known(Frozen):
    """A number that a program computed, a bound of its rounding error, and how many of its digits are good."""

    name: str
    value: float
    error: float
    digits: float


class Loss(Frozen):
    """A node that costs digits.

    `lost` is how many digits its result has less than its arguments; `of_value` and `of_gradient` are the parts that
    its own rounding has in the error of the value, and of the derivative that is known worst.  `rewrite` is a formula
    that was tried, and of whose value `rewritten` digits are good at the point.
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
    """The result of `gradcli precision`: how many digits are good, and the nodes that cost the others, costliest first.

    `worst` names the derivative that has the fewest good digits.
    """

    command = "precision"

    target: str
    point: ByName
    value: Known
    gradient: tuple[Known, ...]
    worst: str | None
    nodes: tuple[Loss, ...]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def exit(self) -> Exit:
        """Whether the numbers are finite."""
        return if_finite([each.value for each in (self.value, *self.gradient)])
