"""Curves and bar charts, to be drawn in a terminal or a file."""

from __future__ import annotations

from types import MappingProxyType

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import ByName, Finding, Result


class Series(Frozen):
    """The numbers of one curve: `y` over `x`; nan marks a gap, as between the two sides of each of the `jumps`.

    `marked` is the number at the marked place.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    marked: float | None = None
    jumps: tuple[float, ...] = ()


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


class Curves(Result):
    """The result of `gradcli plot --all`: the value along each number of the point."""

    command = "plot"

    target: str
    point: ByName
    plots: tuple[Plot, ...]
    reading: str | None = None
    findings: tuple[Finding, ...] = ()


class Contour(Result):
    """The result of `gradcli plot --along x,y`: the value over two numbers of the point.

    `values[j][i]` is the value at `x[i]` and `y[j]`, nan where there is none; `marked` is the place of the point,
    and `path` has the places of further points, such as those of an optimiser. With `surface` it is drawn as one.
    """

    command = "plot"

    target: str
    point: ByName
    along: tuple[str, str]
    x: tuple[float, ...]
    y: tuple[float, ...]
    values: tuple[tuple[float, ...], ...]
    marked: tuple[float, float]
    path: tuple[tuple[float, float], ...] = ()
    surface: bool = False
    reading: str | None = None
    fixed: ByName = MappingProxyType({})
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
