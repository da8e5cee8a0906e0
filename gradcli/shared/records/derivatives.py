"""Records of derivatives at a point: gradient, Jacobian and Hessian."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import ByName, Finding, Result, Structure


class Gradient(Result):
    """The result of `gradcli grad`: the value and its derivative by each input."""

    command = "grad"
    finite = ("value", "gradient")
    mirrored = MappingProxyType({"gradient": 1})

    target: str
    point: ByName
    value: float
    gradient: ByName
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Jacobian(Result):
    """The result of `gradcli jacobian`: `jacobian[name]` has the shape of the value followed by that of the input."""

    command = "jacobian"
    finite = ("value", "jacobian")
    mirrored = MappingProxyType({"jacobian": 1})

    target: str
    point: ByName
    value: Structure
    jacobian: ByName
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Hessian(Result):
    """The result of `gradcli hessian`: `hessian[a][b]` has the shape of `a` followed by that of `b`.

    `a` and `b` are inputs or, for a structured input, its numbers and arrays, such as `params.w`.
    """

    command = "hessian"
    finite = ("value", "gradient", "hessian")
    mirrored = MappingProxyType({"gradient": 1, "hessian": 2})

    target: str
    point: ByName
    value: float
    gradient: ByName
    hessian: Mapping[str, ByName]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class SparsityPattern(Result):
    """The result of `gradcli jacobian --pattern`, or of `hessian --pattern`: the entries that may differ from 0.

    Attributes:
        command: the name of the command.
        shape: the numbers of rows and columns.
        entries: the rows and columns of the entries, counted from 0, row by row.
        colours: the numbers of colours of the columns and of the rows; columns that share no row have one colour.
    """

    command: str  # type: ignore[misc]  # that of the matrix
    target: str
    point: ByName
    shape: tuple[int, int]
    entries: tuple[tuple[int, int], ...]
    colours: tuple[int, int]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class MeasuredCost(Frozen):
    """What one computation costs.

    Attributes:
        name: the computation.
        seconds: the shortest time of a call.
        ratio: the time divided by that of the function.
        break_even: the fewest inputs by which one-sided differences, n + 1 calls of the function, are slower; None for
            the function and the differences.
    """

    name: str
    seconds: float
    ratio: float
    break_even: int | None = None


class GradientCost(Result):
    """The result of `gradcli grad --cost`: the time of the gradient beside that of the function.

    Attributes:
        value, gradient: as `gradcli grad` gives them.
        count: the number of inputs to differentiate by.
        costs: the measured computations.
        eager: why the gradient is not compiled; empty if it is.
    """

    command = "grad"
    finite = ("value", "gradient")

    target: str
    point: ByName
    value: float
    gradient: ByName
    count: int
    costs: tuple[MeasuredCost, ...]
    eager: str
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
