"""The record of a value and its partial derivatives as formulas."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from gradcli.shared.records.result_and_finding import ByName, Finding, Result


class ClosedForm(Result):
    """The result of `gradcli symbolic`: the value and each partial derivative, in the formula language and in LaTeX.

    `point` is the point whose path through the program the formulas follow. `chosen` says whether gradcli chose it
    because none was given.
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
