"""Curves and bars as a picture in a file, drawn by matplotlib. An SVG follows the reader's theme."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Any

from gradcli.errors import UsageError
from gradcli.shared import notebook_display
from gradcli.shared.records.plots import Bars, Contour, Curves, Plot, Series
from gradcli.terminal.render.file_marks import PNG_SOFTWARE, marked_svg
from gradcli.terminal.render.graphs.diagram import point_text
from gradcli.terminal.render.layout.heading import fixed_inputs
from gradcli.terminal.render.layout.numbers import rounded
from gradcli.terminal.render.layout.wrapped_text import cut
from gradcli.terminal.render.palette import DARK, LIGHT, Palette
from gradcli.terminal.render.plots.contour import fixed_text, levels
from gradcli.terminal.render.plots.poles import CUT_OFF, jump_text, with_poles

WIDTH, PANEL, BAR = 7.0, 2.9, 0.24  # inches
MOST_BARS = 40
ACROSS, SMALL = 3, 2.4  # panels in a row, and the inches of each
BANDS = 8  # of a contour
FACET = 2  # places of the grid along each side of a surface's facet
DIGITS = 5
LONGEST_NAME, LONGEST_TITLE, LONGEST_NOTE = 32, 64, 80  # characters that fit beside, above and below the title
Record = Plot | Bars | Curves | Contour
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


def data(record: Record, form: str) -> str | bytes:
    """A plot as a picture, `png` or `svg`, with gradcli's mark.

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
        DRAWINGS[type(record)](record, figure)
        if form == "svg":
            figure.savefig(file, format="svg", metadata={"Date": None, "Title": record.target})
            return marked_svg(themed(_shortened(file.getvalue().decode())))
        figure.savefig(file, format="png", dpi=160, metadata=PNG_SOFTWARE)
    return file.getvalue()


def _shortened(svg: str) -> str:
    """A drawing whose paths have two decimals, in points."""
    paths = r'(?<= d=")[^"]*'
    return re.sub(paths, lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), svg)


def in_notebook(record: Record) -> str:
    """A plot for the output of a cell, in the notebook's theme.

    Raises:
        UsageError: matplotlib is not installed.
    """
    picture = str(data(record, "svg"))
    head = picture.index("<style>"), picture.index("</style>")
    style = notebook_display.themed(_rules(LIGHT), _rules(DARK), ".gradcli")
    # The copies of a marker have no ancestors for a selector: they take their colours from where they are used.
    body = re.sub(r'(<path id="m[^>]*?) style="[^"]*"', r"\1", picture[head[1] :])
    return picture[picture.index("<svg") : head[0]] + f"<style>{style}" + body


def themed(svg: str) -> str:
    """A drawing in light colours, with a style for dark themes."""
    style = f"<style>@media (prefers-color-scheme:dark){{{_rules(DARK)}}}</style>"
    return svg.replace("<defs>", f"{style}\n <defs>", 1)


def _rules(palette: Palette) -> str:
    """The style of a drawing in light colours for a palette."""
    pairs = zip(_colours(LIGHT), _colours(palette), strict=True)
    kinds = ("fill", "stroke")
    return "".join(f'[style*="{kind}: {old}"]{{{kind}:{new}!important}}' for old, new in pairs for kind in kinds)


def _colours(palette: Palette) -> list[str]:
    return [*(getattr(palette, role) for role in ROLES), *palette.below, *palette.above]


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


def draw_all(record: Curves, figure: Any) -> None:
    """A small panel for each number of the point: the value, the point and the tangent."""
    across = min(ACROSS, len(record.plots))
    down = -(-len(record.plots) // across)
    figure.set_size_inches(SMALL * across + 0.4, SMALL * 0.8 * down + 0.6)
    panels = list(figure.subplots(down, across, squeeze=False).flat)
    for plot, panel in zip(record.plots, panels, strict=False):
        _curve(plot, plot.series[0], panel)
        _tangent(plot, panel)
        panel.set_title(cut(plot.along, LONGEST_NAME), parse_math=False, fontsize=9, loc="left")
        panel.tick_params(labelsize=7)
    for panel in panels[len(record.plots) :]:
        panel.set_axis_off()


def draw_contour(record: Contour, figure: Any) -> None:
    """Bands between levels that part the values evenly, lines at the levels, the point and the path; or a surface."""
    figure.set_size_inches(WIDTH, 5.6)
    finite = [value for row in record.values for value in row if math.isfinite(value)]
    least, most = min(finite), max(finite)
    edges = [least, *(part for part in levels(record, BANDS) if least < part < most), most]
    if least == most:
        edges = [least - 1, least + 1]
    colours = (LIGHT.below[::-1] + LIGHT.above)[: len(edges) - 1]
    panel = figure.add_subplot(projection="3d" if record.surface else None)
    if record.surface:
        _surface(record, panel, edges, colours)
    else:
        filled = panel.contourf(record.x, record.y, record.values, levels=edges, colors=colours)
        panel.contour(record.x, record.y, record.values, levels=edges, colors=LIGHT.line, linewidths=0.6)
        scale = figure.colorbar(filled, ax=panel, spacing="uniform", label="value")
        scale.set_ticks(edges, labels=[f"{edge:.3g}" for edge in edges])
        scale.outline.set_edgecolor(LIGHT.line)
        panel.grid(visible=False)
    _points(record, panel)
    if note := fixed_text(record):
        panel.set_title(cut(note, LONGEST_NOTE), parse_math=False, fontsize=9, color=LIGHT.quiet, loc="left")
    panel.set_xlabel(cut(record.along[0], LONGEST_NAME), parse_math=False)
    panel.set_ylabel(cut(record.along[1], LONGEST_NAME), parse_math=False)


def _points(record: Contour, panel: Any) -> None:
    """The path and the point on a contour, or on a surface."""
    path, marked = (_on_drawing(record, places) for places in (record.path, [record.marked]))
    if path:
        label = f"path of {len(record.path)} points"
        panel.plot(*zip(*path, strict=True), "o-", color=LIGHT.ink, markersize=4, linewidth=1.2, label=label)
    for place in marked:
        panel.plot(*([number] for number in place), "o", color=LIGHT.accent, markersize=7, label="the point")
    panel.legend(loc="upper right", facecolor=LIGHT.paper, framealpha=1, frameon=True, edgecolor=LIGHT.line)


def _on_drawing(record: Contour, places: Sequence[tuple[float, float]]) -> list[tuple[float, ...]]:
    """Places of a contour; those on a surface, with the heights between the four places of the grid around them."""
    inside = ((x, y) for x, y in places if record.x[0] <= x <= record.x[-1] and record.y[0] <= y <= record.y[-1])
    return [(x, y, _height(record, x, y)) for x, y in inside] if record.surface else [*places]


def _height(record: Contour, x: float, y: float) -> float:
    (i, s), (j, t) = (_between(axis, at) for axis, at in ((record.x, x), (record.y, y)))
    near, far = ((1 - s) * row[i] + s * row[i + 1] for row in record.values[j : j + 2])
    return (1 - t) * near + t * far


def _between(axis: Sequence[float], at: float) -> tuple[int, float]:
    """The interval of an axis that holds a number, and its place there between 0 and 1."""
    n = min(max(bisect_right(axis, at) - 1, 0), len(axis) - 2)
    return n, (at - axis[n]) / (axis[n + 1] - axis[n])


def _surface(record: Contour, panel: Any, edges: list[float], colours: tuple[str, ...]) -> None:
    """Facets, each in the colour of the band of its middle; none where a corner has no value."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    facets, fills = [], []
    for j in range(0, len(record.y) - 1, FACET):
        for i in range(0, len(record.x) - 1, FACET):
            corners = ((i, j), (i + FACET, j), (i + FACET, j + FACET), (i, j + FACET))
            facet = [(record.x[n], record.y[m], record.values[m][n]) for n, m in corners]
            middle = sum(z for *_, z in facet) / len(facet)
            if math.isfinite(middle):
                facets.append(facet)
                fills.append(colours[min(max(bisect_right(edges, middle) - 1, 0), len(colours) - 1)])
    panel.add_collection3d(Poly3DCollection(facets, facecolors=fills, edgecolors=LIGHT.line, linewidths=0.3))
    panel.set(xlim=(record.x[0], record.x[-1]), ylim=(record.y[0], record.y[-1]), zlim=(edges[0], edges[-1]))
    for axis in (panel.xaxis, panel.yaxis, panel.zaxis):
        axis.pane.set_visible(False)
        axis.line.set_color(LIGHT.line)
    panel.set_zlabel("value")
    panel.computed_zorder = False  # the path is drawn over the facets


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
        gap = "" if all(map(math.isfinite, series.y)) else "a gap where it is not finite"
        if title := CUT_OFF if limits is not None else jump_text(series) or gap:
            panel.set_title(title, fontsize=9, color=LIGHT.quiet, loc="right")
    if record.marked is None:
        return
    panel.axvline(record.marked, linestyle=":", linewidth=1, color=LIGHT.accent)
    if series.marked is not None and math.isfinite(series.marked) and (series.marked > 0 or not record.logarithmic):
        label = f"{_at(record)}: {rounded(series.marked, DIGITS)}"
        panel.plot([record.marked], [series.marked], "o", color=LIGHT.accent, markersize=6, zorder=4, label=label)


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


DRAWINGS: dict[type, Callable[[Any, Any], None]] = {
    Plot: draw,
    Bars: draw_bars,
    Curves: draw_all,
    Contour: draw_contour,
}
