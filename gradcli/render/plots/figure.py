"""A plot as a picture in a file, by matplotlib."""

from __future__ import annotations

from io import BytesIO
from typing import Any

from gradcli.errors import UsageError
from gradcli.records import Bars, Plot
from gradcli.render.file_marks import PNG_SOFTWARE, marked_svg


def data(record: Plot | Bars, form: str) -> str | bytes:
    """Curves or bars as a picture, `png` or `svg`, with the mark that says whose it is.

    Raises:
        UsageError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        hint = "pip install 'gradcli[plot]', or leave out --out and --format to see it in the terminal."
        raise UsageError("A picture needs matplotlib, which is not installed.", hint=hint) from None
    figure, file = Figure(layout="constrained"), BytesIO()
    if isinstance(record, Bars):
        draw_bars(record, figure)
    else:
        draw_curves(record, figure)
    if form == "svg":
        figure.savefig(file, format="svg")
        return marked_svg(file.getvalue().decode())
    figure.savefig(file, format="png", metadata=PNG_SOFTWARE)
    return file.getvalue()


def draw_curves(record: Plot, figure: Any) -> None:
    """A panel for each curve, the place of interest as a dotted line."""
    figure.set_size_inches(7, 3 * len(record.series))
    panels = figure.subplots(len(record.series), sharex=True, squeeze=False)[:, 0]
    for panel, series in zip(panels, record.series, strict=True):
        (panel.loglog if record.logarithmic else panel.plot)(series.x, series.y)
        panel.set_ylabel(series.name)
        if record.marked is not None:
            panel.axvline(record.marked, linestyle=":", color="grey")
    panels[0].set_title(record.target, parse_math=False)
    panels[-1].set_xlabel(record.across or record.along, parse_math=False)


def draw_bars(record: Bars, figure: Any) -> None:
    """A bar for each number, the first on top."""
    figure.set_size_inches(7, 1 + 0.25 * len(record.names))
    panel = figure.subplots()
    panel.barh(range(len(record.names)), record.sizes)
    panel.set_yticks(range(len(record.names)), record.names, parse_math=False)
    panel.invert_yaxis()
    panel.set_xlabel("sensitivity")
    panel.set_title(record.target, parse_math=False)
