"""Curves and bars as a picture in a file, drawn by matplotlib. An SVG follows the reader's theme."""

from __future__ import annotations

import math
from io import BytesIO
from typing import Any

from gradcli.errors import UsageError
from gradcli.shared.records.plots import Bars, Plot, Series
from gradcli.terminal.render.file_marks import PNG_SOFTWARE, marked_svg
from gradcli.terminal.render.graphs.diagram import cut, point_text
from gradcli.terminal.render.layout.heading import fixed_inputs
from gradcli.terminal.render.layout.numbers import rounded
from gradcli.terminal.render.palette import DARK, LIGHT
from gradcli.terminal.render.plots.poles import CUT_OFF, with_poles

WIDTH, PANEL, BAR = 7.0, 2.9, 0.24  # inches
MOST_BARS = 40
DIGITS = 5
LONGEST_NAME, LONGEST_TITLE, LONGEST_NOTE = 32, 64, 80  # characters that fit beside, above and below the title
STYLE: Any = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "gradcli",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": LIGHT.line,
    "axes.labelcolor": LIGHT.ink,
    "axes.titlecolor": LIGHT.ink,
    "text.color": LIGHT.ink,
    "xtick.color": LIGHT.line,
    "ytick.color": LIGHT.line,
    "xtick.labelcolor": LIGHT.quiet,
    "ytick.labelcolor": LIGHT.quiet,
    "axes.grid": True,
    "grid.color": LIGHT.line,
    "grid.alpha": 0.25,
    "figure.facecolor": LIGHT.paper,
    "axes.facecolor": LIGHT.paper,
    "legend.frameon": False,
    "legend.fontsize": 9,
}
ROLES = ("paper", "ink", "quiet", "line", "accent", "curve", "second")


def data(record: Plot | Bars, form: str) -> str | bytes:
    """Curves or bars as a picture, `png` or `svg`, with gradcli's mark.

    Raises:
        UsageError: matplotlib is not installed.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        hint = "pip install 'gradcli[plot]', or leave out --out and --format to see it in the terminal."
        raise UsageError("A picture needs matplotlib, which is not installed.", hint=hint) from None
    file = BytesIO()
    with rc_context(STYLE):
        figure = Figure(layout="constrained")
        figure.suptitle(cut(record.target, LONGEST_TITLE), parse_math=False, fontsize=11, fontweight="bold")
        draw_bars(record, figure) if isinstance(record, Bars) else draw(record, figure)
        if form == "svg":
            figure.savefig(file, format="svg", metadata={"Date": None, "Title": record.target})
            return marked_svg(themed(file.getvalue().decode()))
        figure.savefig(file, format="png", dpi=160, metadata=PNG_SOFTWARE)
    return file.getvalue()


def themed(svg: str) -> str:
    """A drawing in light colours, with a style for dark themes."""
    rules = "".join(
        f'[style*="{kind}: {getattr(LIGHT, role)}"]{{{kind}:{getattr(DARK, role)}!important}}'
        for role in ROLES
        for kind in ("fill", "stroke")
    )
    style = f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"
    return svg.replace("<defs>", f"{style}\n <defs>", 1)


def draw(record: Plot, figure: Any) -> None:
    """One panel for each curve, with the point, its value and the tangent."""
    figure.set_size_inches(WIDTH, PANEL * len(record.series) + 0.6)
    panels = figure.subplots(len(record.series), sharex=True, squeeze=False)[:, 0]
    for panel, series in zip(panels, record.series, strict=True):
        _curve(record, series, panel)
        panel.set_ylabel(cut(series.name, LONGEST_NAME), parse_math=False)
    figure.align_ylabels(panels)
    if record.logarithmic:
        _decades(record, panels[0])
    else:
        _tangent(record, panels[0])
    if note := fixed_inputs(record) if record.direction is None else f"at {point_text(record.point)}":
        panels[0].set_title(cut(note, LONGEST_NOTE), parse_math=False, fontsize=9, color=LIGHT.quiet, loc="left")
    panels[-1].set_xlabel(cut(_axis(record), LONGEST_NOTE), parse_math=False)
    for panel in panels:
        if panel.get_legend_handles_labels()[0]:
            for text in panel.legend(loc="best").get_texts():
                text.set_parse_math(False)


def draw_bars(record: Bars, figure: Any) -> None:
    """A bar for each named number in order, with its line and its sensitivity; of many, the first."""
    figure.set_size_inches(WIDTH, BAR * min(len(record.names), MOST_BARS) + 1.2)
    panel = figure.subplots()
    lines = record.lines or (None,) * len(record.names)
    made = [f"line {line[1]}:  {name}" if line else name for name, line in zip(record.names, lines, strict=True)]
    sizes = record.sizes[:MOST_BARS]
    lengths = [size if math.isfinite(size) else 0.0 for size in sizes]
    bars = panel.barh(range(len(sizes)), lengths, color=[LIGHT.second if size < 0 else LIGHT.curve for size in sizes])
    panel.bar_label(bars, [rounded(size, DIGITS) for size in sizes], padding=3, fontsize=8, color=LIGHT.ink)
    labels = [cut(name, LONGEST_NAME) for name in made[:MOST_BARS]]
    panel.set_yticks(range(len(sizes)), labels, parse_math=False)
    panel.set_ylim(len(sizes) - 0.4, -0.6)
    panel.margins(x=0.15)
    panel.grid(visible=False, axis="y")
    panel.axvline(0.0, linewidth=1, color=LIGHT.line)
    more = f"; {len(made) - MOST_BARS} more are not shown" if len(made) > MOST_BARS else ""
    note = cut(f"at {point_text(record.point)}{more}", LONGEST_NOTE)
    panel.set_title(note, parse_math=False, fontsize=9, color=LIGHT.quiet, loc="left")
    panel.set_xlabel("sensitivity of the result")


def _axis(record: Plot) -> str:
    """What varies; along a direction t is the number of times that it is added to the point."""
    if record.direction is None:
        return record.across or record.along
    return f"{record.across or record.along}, along t times {point_text(record.direction)}"


def _curve(record: Plot, series: Series, panel: Any) -> None:
    """The curve with gaps for numbers that are missing, or not positive on a logarithmic scale; the marked point."""
    if record.logarithmic:
        panel.loglog(series.x, [y if y > 0 else math.nan for y in series.y], color=LIGHT.curve, linewidth=1.6)
    else:
        xs, ys, limits = with_poles(series)
        style = {"marker": ".", "linestyle": "", "markersize": 3} if record.scattered else {"linewidth": 1.6}
        panel.plot(xs, ys, color=LIGHT.curve, **style)
        if limits:
            panel.set_ylim(*limits)
        if title := _gap(series) if limits is None else CUT_OFF:
            panel.set_title(title, fontsize=9, color=LIGHT.quiet, loc="right")
    if record.marked is None:
        return
    panel.axvline(record.marked, linestyle=":", linewidth=1, color=LIGHT.accent)
    if series.marked is not None and math.isfinite(series.marked) and (series.marked > 0 or not record.logarithmic):
        label = f"{_at(record)}: {rounded(series.marked, DIGITS)}"
        panel.plot([record.marked], [series.marked], "o", color=LIGHT.accent, markersize=6, zorder=4, label=label)


def _gap(series: Series) -> str:
    return "" if all(map(math.isfinite, series.y)) else "a gap where it is not finite"


def _at(record: Plot) -> str:
    word = "chosen step" if record.logarithmic else record.along
    return f"{cut(word, LONGEST_NAME)} = {rounded(record.marked, DIGITS)}"


def _tangent(record: Plot, panel: Any) -> None:
    """The tangent at the point, over the range of the curve."""
    value, slope = (series.marked for series in record.series)
    x = record.marked
    if x is None or value is None or slope is None or not (math.isfinite(value) and math.isfinite(slope)):
        return
    panel.autoscale_view()
    low, high = panel.get_ylim()
    left, right = record.series[0].x[0], record.series[0].x[-1]
    label = f"tangent, slope {rounded(slope, DIGITS)}"
    ends = (left, right)
    panel.plot(ends, [value + slope * (end - x) for end in ends], "--", color=LIGHT.second, linewidth=1.3, label=label)
    panel.set_ylim(low, high)


def _decades(record: Plot, panel: Any) -> None:
    """Powers of ten on both axes, and the number of steps without an error, which a logarithmic scale cannot show."""
    from matplotlib.ticker import FuncFormatter, NullFormatter

    for axis in (panel.xaxis, panel.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda number, _: power(number)))
        axis.set_minor_formatter(NullFormatter())
    (series,) = record.series
    exact = [x for x, y in zip(series.x, series.y, strict=True) if y == 0]
    if exact:
        label = f"no error at {len(exact)} step{'s' if len(exact) > 1 else ''}: a gap"
        panel.plot(
            exact, [0.02] * len(exact), "|", color=LIGHT.second, transform=panel.get_xaxis_transform(), label=label
        )


SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power(number: float) -> str:
    """`10⁻³`."""
    exponent = round(math.log10(number))
    return f"10{str(exponent).translate(SUPERSCRIPTS)}"
