"""Curves and bar charts, to be drawn in a terminal or a file."""

from __future__ import annotations

from gradcli.record_base import Frozen
from gradcli.records.base import ByName, Finding, Result


class Series(Frozen):
    """The numbers of one curve: `y` over `x`; nan marks a missing value."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


class Plot(Result):
    """The result of `gradcli plot`: curves over one number of the point, or over the step of finite differences.

    `marked` is the number's own value, or the chosen step. If `logarithmic`, both axes are. With a `direction` (the
    rate of change of each input, by name), `along` is `t` and the point lies at t = 0.
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
    findings: tuple[Finding, ...] = ()


class Bars(Result):
    """The result of `gradcli plot --bars`: the sensitivity of the result to each named number."""

    command = "plot"

    target: str
    point: ByName
    names: tuple[str, ...]
    sizes: tuple[float, ...]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()
