"""The summary of a run at many points: verdicts, quantiles, the worst points and a histogram."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.shared.message_wording import clean, list_text
from gradcli.shared.records.plots import Bars
from gradcli.shared.records.point_runs import QUANTILES, PointRun
from gradcli.terminal.render.layout.numbers import aligned, rough
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import NAME, QUIET, TITLE
from gradcli.terminal.render.plots.bars import Chart

DIGITS = 5
MOST = 20  # columns
RANKS = (0, 1, 2, 0, 2, 1, 0)  # which quantiles are left out first where there is little room


def view(record: PointRun, look: Look) -> Stack:
    """The view of a run: its columns beyond MOST are left to the file."""
    counted = list_text([f"{number:,} {verdict}" for verdict, number in record.verdicts.items()])
    return Stack(
        line((record.target, TITLE)),
        line(f"{record.count:,} points: {counted}"),
        line(),
        *_columns(record),
        line(),
        line(("the worst points", QUIET)),
        _worst(record),
        *(_histogram(record) if record.histogram else ()),
    )


def _columns(record: PointRun) -> Iterator[Drawing]:
    shown = record.quantiles[:MOST]
    numbers = [(summary.least, *summary.quantiles, summary.greatest) if summary.quantiles else () for summary in shown]
    names = Column("column", [clean(summary.name) for summary in shown], NAME)
    titles = ("least", *(f"{share:.0%}" for share in QUANTILES), "greatest")
    cells = ([rough(row[n], DIGITS) if row else "" for row in numbers] for n in range(len(titles)))
    ranked = zip(titles, cells, RANKS, strict=True)
    yield Sheet(names, *(Column(title, aligned(texts), rank=rank) for title, texts, rank in ranked))
    if len(record.quantiles) > MOST:
        yield line((f"and {len(record.quantiles) - MOST} columns more in the file", QUIET))


def _worst(record: PointRun) -> Sheet:
    size = "largest error" if record.asked == "check" else "largest derivative"
    return Sheet(
        Column("point", [str(row.index) for row in record.worst], NAME, right=True),
        Column("verdict", [row.verdict for row in record.worst]),
        Column("findings", [" ".join(row.findings) for row in record.worst]),
        Column(size, [rough(row.size, DIGITS) for row in record.worst]),
    )


def _histogram(record: PointRun) -> Iterator[Drawing]:
    some = f", of {record.sampled:,} rows" if record.sampled < record.count else ""
    names = tuple(f"{low:.4g} to {high:.4g}" for low, high, _ in record.histogram)
    yield line()
    yield line((clean(record.quantiles[0].name) + some, QUIET))
    yield Chart(Bars("", {}, names, tuple(count for _, _, count in record.histogram)))
