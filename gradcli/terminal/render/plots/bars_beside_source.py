"""`gradcli plot --bars` as a picture: the source, with the sensitivities of each line's quantities beside it."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records import Bars, ProgramText
from gradcli.terminal.render.file_marks import SVG_MARK
from gradcli.terminal.render.graphs.diagram import cut, number, point_text, shade
from gradcli.terminal.render.graphs.svg import fill_class, scale, style
from gradcli.terminal.render.layout.theme import ELLIPSIS
from gradcli.terminal.render.layout.wrapped_text import width_of
from gradcli.terminal.render.rasterized_svg import rasterized
from gradcli.terminal.render.tapes.node_labels import place

ROW, HEAD, MARGIN, GAP, LEGEND = 18.0, 76.0, 16.0, 18.0, 40.0
CHARACTER = 6.7
LEAST_WIDTH = 570.0  # what the legend needs
LONGEST_CODE, LONGEST_NAME = 64, 22
BAR = 190.0  # points for the longest bar, or for both sides
MOST_CELLS = 64  # numbers of an array that are drawn one by one
MOST_AT_A_LINE = 8  # quantities of one line that are drawn


class Quantity(Frozen):
    """A named quantity: its name without indices, and its sensitivities."""

    name: str
    numbers: tuple[float, ...]
    line: tuple[str, int] | None


def data(record: Bars, form: str) -> str | bytes:
    """The picture, `png` or `svg`.

    Raises:
        UsageError: the library for `png` is not installed.
    """
    return svg(record) if form == "svg" else rasterized(svg(record))


def svg(record: Bars) -> str:
    """The picture as SVG, which follows the reader's theme."""
    rows = list(_rows(record))
    code = max([width_of(text) for _, text, _ in rows] + [10])
    name = max([width_of(bar.name) for _, _, bar in rows if bar] + [4])
    bar_at = MARGIN + (code + 5) * CHARACTER + GAP + name * CHARACTER + GAP
    widest = max([width_of(_ends(bar)) for _, _, bar in rows if bar] + [14])
    width = max(LEAST_WIDTH, bar_at + BAR + GAP + widest * CHARACTER) + MARGIN
    below = HEAD + ROW * len(rows) + MARGIN
    height = below + LEGEND
    room = int((width - 2 * MARGIN) / CHARACTER)
    title, point = html.escape(record.target), html.escape(cut(f"at {point_text(record.point)}", room))
    shown = html.escape(cut(record.target, int(room * 0.82)))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
        f'height="{height:.0f}" role="img" aria-labelledby="strip-title">',
        SVG_MARK,
        f'<title id="strip-title">Sensitivities of {title} beside its source</title>',
        f'<style>{style()}</style><rect class="paper" width="100%" height="100%"/>',
        f'<text class="title" x="{MARGIN}" y="24">{shown}</text>',
        f'<text class="quiet" x="{MARGIN}" y="42">{point}</text>',
        f'<text class="small quiet" x="{MARGIN}" y="{HEAD - 12}">source</text>',
        f'<text class="small quiet" x="{bar_at}" y="{HEAD - 12}">sensitivity of the result</text>',
        *_drawn(rows, bar_at, name),
        f'<g transform="translate({MARGIN} {below:.1f})">{"".join(_legend(rows))}</g>',
        "</svg>", "",
    ])  # fmt: skip


Row = tuple[str, str, Quantity | None]
"""A line number, the line's text, and a quantity that the line made."""


def _rows(record: Bars) -> Iterator[Row]:
    """The inputs, then the source line by line, with one row for each quantity that a line made."""
    by_line: dict[tuple[str, int] | None, list[Quantity]] = {}
    for quantity in quantities(record):
        by_line.setdefault(quantity.line, []).append(quantity)
    yield from _beside("", "inputs" if record.reading is None else record.target, by_line.pop(None, []))
    above = None
    for source in record.program if record.reading is None else ():
        yield "", place(source.file, None) if source.file != above else "", None
        above = source.file
        yield from _function(source, by_line)
    for line, made in by_line.items():  # of a file whose source is not at hand
        yield from _beside(str(line[1] if line else ""), place(*line) if line else "", made)


def _function(source: ProgramText, by_line: dict[tuple[str, int] | None, list[Quantity]]) -> Iterator[Row]:
    for line, text in enumerate(source.lines, source.first):
        made = by_line.pop((source.file or "", line), [])
        yield from _beside(str(line), cut(text, LONGEST_CODE), made)


def _beside(line: str, text: str, made: Sequence[Quantity]) -> Iterator[Row]:
    shown = made[:MOST_AT_A_LINE]
    yield line, text, shown[0] if shown else None
    yield from (("", "", bar) for bar in shown[1:])
    if len(made) > len(shown):
        yield "", f"  {len(made) - len(shown)} more of this line", None


def quantities(record: Bars) -> Iterator[Quantity]:
    """The bars grouped by quantity; an array is one group."""
    lines = record.lines or (None,) * len(record.names)
    by_quantity: dict[tuple[str, tuple[str, int] | None], list[float]] = {}
    for name, size, line in zip(record.names, record.sizes, lines, strict=True):
        by_quantity.setdefault((name.partition("[")[0], line), []).append(size)
    for (name, line), numbers in by_quantity.items():
        yield Quantity(cut(name, LONGEST_NAME), tuple(numbers), line)


def _greatest(rows: Sequence[Row]) -> float:
    sizes = [size for _, _, bar in rows if bar for size in bar.numbers if math.isfinite(size)]
    return max(map(abs, sizes), default=0.0)


def _legend(rows: Sequence[Row]) -> Iterator[str]:
    """The scale of the shades, which alone says what the cells of an array are."""
    is_bad = any(not math.isfinite(size) for _, _, bar in rows if bar for size in bar.numbers)
    if _greatest(rows) or is_bad:
        yield from scale(_greatest(rows), is_bad)


def _ends(each: Quantity) -> str:
    """A number, or the least and the greatest of an array."""
    return f" {ELLIPSIS} ".join(map(number, dict.fromkeys((min(each.numbers), max(each.numbers)))))


def _drawn(rows: Sequence[Row], bar_at: float, name_width: int) -> Iterator[str]:
    greatest = _greatest(rows) or 1.0
    below = any(size < 0 for _, _, bar in rows if bar and len(bar.numbers) == 1 for size in bar.numbers)
    zero, reach = (bar_at + BAR / 2, BAR / 2) if below else (bar_at, BAR)
    yield f'<g class="group"><path class="axis" d="M{zero:.1f},{HEAD} V{HEAD + ROW * len(rows):.1f}"/></g>'
    for at, (line, text, bar) in enumerate(rows):
        y = HEAD + ROW * at
        kind = "row" if line or not text else "small quiet"
        yield f'<text class="small quiet" x="{MARGIN + 22:.1f}" y="{y + 13:.1f}" text-anchor="end">{line}</text>'
        spaces = len(text) - len(text.lstrip())
        x = MARGIN + 32 + spaces * CHARACTER
        yield f'<text class="{kind}" x="{x:.1f}" y="{y + 13:.1f}">{html.escape(text.strip())}</text>'
        if bar is not None:
            name_at = bar_at - GAP - name_width * CHARACTER
            yield f'<text class="name" x="{name_at:.1f}" y="{y + 13:.1f}">{html.escape(bar.name)}</text>'
            if len(bar.numbers) == 1:
                yield _bar(bar.numbers[0], y, zero, reach, greatest)
            else:
                yield from _cells(bar, y, bar_at, greatest)
            yield f'<text class="row" x="{bar_at + BAR + GAP:.1f}" y="{y + 13:.1f}">{_ends(bar)}</text>'


def _bar(size: float, y: float, zero: float, reach: float, greatest: float) -> str:
    length = reach * abs(size) / greatest if math.isfinite(size) else 12.0
    left = zero - length if size < 0 else zero
    return _rect(left, y + 4, max(length, 0.5), ROW - 8, fill_class(shade(size, greatest)))


def _cells(each: Quantity, y: float, left: float, greatest: float) -> Iterator[str]:
    """An array as a strip of cells. Each cell of a long array shows the number farthest from 0 in its part."""
    parts = min(len(each.numbers), MOST_CELLS)
    width = BAR / parts
    for part in range(parts):
        numbers = each.numbers[part * len(each.numbers) // parts : (part + 1) * len(each.numbers) // parts]
        size = max(numbers, key=lambda size: abs(size) if math.isfinite(size) else math.inf)
        yield _rect(left + part * width, y + 3, width, ROW - 6, fill_class(shade(size, greatest)))


def _rect(x: float, y: float, width: float, height: float, kind: str) -> str:
    return f'<g class="box {kind}"><rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/></g>'
