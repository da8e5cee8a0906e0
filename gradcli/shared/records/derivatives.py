"""Records of derivatives at a point: gradient, Jacobian and Hessian."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

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
