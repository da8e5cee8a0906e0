"""Curves and bar charts, to be drawn in a terminal or a file."""

from __future__ import annotations

from types import MappingProxyType

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import ByName, Finding, Result


class Series(Frozen):
    """The numbers of one curve: `y` over `x`; nan marks a missing value. `marked` is the number at the marked place."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    marked: float | None = None


class Plot(Result):
    """The result of `gradcli plot`: curves over one number of the point, or over the step of finite differences.

    `marked` is the number's own value, or the chosen step. If `logarithmic`, both axes are. With a `direction` (the
    rate of change of each input, by name), `along` is `t` and the point lies at t = 0.
    `fixed` has the inputs that do not vary. `scattered` points are not joined.
    """

    command = "plot"

    target: str
    point: ByName
    along: str
    series: tuple[Series, ...]
    marked: float | None
    logarithmic: bool = False
    across: str | None = None
    reading: str | None = None
    direction: ByName | None = None
    fixed: ByName = MappingProxyType({})
    scattered: bool = False
    findings: tuple[Finding, ...] = ()


class Bars(Result):
    """The result of `gradcli plot --bars`: the sensitivity of the result to each named number.

    `lines` has the file and the line that made each; None of inputs.
    """

    command = "plot"

    target: str
    point: ByName
    names: tuple[str, ...]
    sizes: tuple[float, ...]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
    lines: tuple[tuple[str, int] | None, ...] = ()
