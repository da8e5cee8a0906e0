"""`gradcli plot`: curves in braille, one panel below the other over the same scale, the place of interest marked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import clean
from gradcli.shared.records.plots import Curves, Plot, Series
from gradcli.terminal.render.layout.heading import at, fixed_inputs, heading
from gradcli.terminal.render.layout.numbers import rounded
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Stack, line
from gradcli.terminal.render.layout.theme import NAME, PLAIN, QUIET, RESULT
from gradcli.terminal.render.plots.poles import CUT_OFF, jump_text, with_poles

BLANK = 0x2800
DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # the bit of each dot, by row and column


class Canvas:
    """Dots on a grid, from the upper left.

    Args:
        columns, rows: how many signs it is wide and high.
    """

    def __init__(self, columns: int, rows: int) -> None:
        self.width, self.height = 2 * columns, 4 * rows
        self.cells = [[0] * columns for _ in range(rows)]

    def dot(self, x: int, y: int) -> None:
        """Set one dot, if it is on the canvas."""
        if 0 <= x < self.width and 0 <= y < self.height:
            self.cells[y // 4][x // 2] |= DOTS[y % 4][x % 2]

    def stroke(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """A straight line of dots."""
        (x, y), (dx, dy) = start, (end[0] - start[0], end[1] - start[1])
        count = max(1, math.ceil(max(abs(dx), abs(dy))))
        for n in range(count + 1):
            self.dot(round(x + dx * n / count), round(y + dy * n / count))

    def curve(self, xs: Sequence[float], ys: Sequence[float], x_ends: Ends, y_ends: Ends) -> None:
        """A curve through points, with gaps where a number is not finite."""
        points = [
            (scaled(x, x_ends, self.width - 1), self.height - 1 - scaled(y, y_ends, self.height - 1))
            for x, y in zip(xs, ys, strict=True)
        ]
        for start, end in pairwise(points):
            for point in (start, end):
                if all(map(math.isfinite, point)):
                    self.stroke(point, point)
            if all(map(math.isfinite, (*start, *end))):
                self.stroke(start, end)

    def lines(self, in_ascii: bool) -> list[str]:
        """The canvas as lines; a star for a sign that has dots, where there is no braille."""
        if in_ascii:
            return ["".join("*" if cell else " " for cell in row) for row in self.cells]
        return ["".join(chr(BLANK + cell) if cell else " " for cell in row) for row in self.cells]


Ends = tuple[float, float]


def scaled(number: float, ends: Ends, size: int) -> float:
    """Where a number stands on a scale of so many dots."""
    low, high = ends
    return (number - low) / (high - low) * size


def ends_of(numbers: Sequence[float]) -> Ends:
    """The least and the greatest finite number, a little apart where they are the same."""
    finite = [number for number in numbers if math.isfinite(number)] or [0.0]
    low, high = min(finite), max(finite)
    if high - low > 1e-12 * max(abs(low), abs(high)):
        return low, high
    room = abs(low) or 1.0
    return low - room, high + room


WIDEST = 80
ROWS, SMALL_ROWS = 9, 5
AXIS, CORNER, FLOOR, POINTER, POINT = "│", "└", "─", "▲", "●"
DIGITS = 5
GAP = 2  # columns between two labels of an axis
SIGNS = str.maketrans({AXIS: "|", CORNER: "+", FLOOR: "-", POINTER: "^"})


def view(record: Plot | Curves, look: Look) -> Stack:
    """Curves as they are shown."""
    top = heading(record.target, record.reading, record.point, look)
    if isinstance(record, Curves):
        return Stack(*top, *(Panel(plot, plot.series[0], SMALL_ROWS) for plot in record.plots))
    way = [at(record.direction, look, "along t times")] if record.direction else []
    fixed = [line((clean(fixed_inputs(record)), QUIET))] if fixed_inputs(record) else []
    return Stack(*top, *way, *fixed, *(Panel(record, series) for series in record.series))


class Panel(Frozen, Drawing):
    """One curve over its scale."""

    record: Plot
    series: Series
    rows: int = ROWS

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """A title, the curve beside its scale, the axis with its ends and the mark."""
        xs, ys, limits = self.curve()
        if not self.record.logarithmic and not any(map(math.isfinite, ys)):
            low, high = ends_of(xs)
            yield []
            yield [
                (clean(self.series.name), NAME),
                (f": nothing to draw, the value is not finite anywhere from {low:.4g} to {high:.4g}", QUIET),
            ]
            return
        x_ends, y_ends = ends_of(xs), limits or ends_of(ys)
        labels = [self.label(y_ends[1]), *[""] * (self.rows - 2), self.label(y_ends[0])]
        margin = max(map(len, labels))
        columns = max(10, min(width, WIDEST) - margin - 2)
        canvas = Canvas(columns, self.rows)
        canvas.curve(*(separated(xs), separated(ys)) if self.record.scattered else (xs, ys), x_ends, y_ends)
        rows = self.with_point(canvas.lines(in_ascii), columns, x_ends, y_ends, in_ascii)
        yield []
        notes = filter(None, (CUT_OFF if limits else "", jump_text(self.series)))
        by = clean(self.record.across or self.record.along)
        title = [(clean(self.series.name), NAME), (f" by {by}", QUIET), *self.number()]
        yield [*title, *((f"; {note}", QUIET) for note in notes)]
        for label, row in zip(labels, rows, strict=True):
            yield [(signs(f"{label:>{margin}} {AXIS}", in_ascii), QUIET), (row, RESULT)]
        yield [(signs(f"{'':{margin}} {self.floor(columns, x_ends)}", in_ascii), QUIET)]
        yield [(" " * (margin + 2), PLAIN), (signs(self.feet(columns, x_ends), in_ascii), QUIET)]

    def curve(self) -> tuple[list[float], list[float], Ends | None]:
        """The curve as it is drawn; at a pole it ends a panel's height beyond its limits, so that few dots are lost."""
        if self.record.logarithmic:
            return self.scale(self.series.x), self.scale(self.series.y), None
        xs, ys, limits = with_poles(self.series)
        if limits is None:
            return xs, ys, None
        low, high = limits
        return xs, [min(max(y, 2 * low - high), 2 * high - low) for y in ys], limits

    def number(self) -> Line:
        """The value at the point, and the number of errors that a logarithmic scale cannot show."""
        pieces: list[tuple[str, str]] = []
        if self.series.marked is not None and self.record.marked is not None:
            what = "chosen step" if self.record.logarithmic else clean(self.record.along)
            pieces.append((f", at {what} = {self.record.marked:.4g}: ", QUIET))
            pieces.append((rounded(self.series.marked, DIGITS), RESULT))
        zeros = self.series.y.count(0.0) if self.record.logarithmic else 0
        if zeros:
            pieces.append((f"; no error at {zeros} step{'s' if zeros > 1 else ''}: a gap", QUIET))
        return pieces

    def with_point(self, rows: list[str], columns: int, x_ends: Ends, y_ends: Ends, in_ascii: bool) -> list[str]:
        """The rows with a sign where the curve passes the marked point."""
        if self.record.marked is None or self.series.marked is None:
            return rows
        (x,), (y,) = self.scale((self.record.marked,)), self.scale((self.series.marked,))
        across, up = scaled(x, x_ends, columns - 1), scaled(y, y_ends, 4 * self.rows - 1)
        if not (math.isfinite(across) and math.isfinite(up)):  # also far beyond the ends of a tiny scale
            return rows
        column, row = round(across), self.rows - 1 - round(up) // 4
        if 0 <= column < columns and 0 <= row < self.rows:
            rows[row] = rows[row][:column] + ("o" if in_ascii else POINT) + rows[row][column + 1 :]
        return rows

    def scale(self, numbers: tuple[float, ...]) -> list[float]:
        """The numbers as they are drawn: themselves, or their powers of ten."""
        if not self.record.logarithmic:
            return list(numbers)
        return [math.log10(number) if number > 0 else math.nan for number in numbers]

    def label(self, end: float) -> str:
        """An end of a scale, rounded."""
        return f"{10**end:.2g}" if self.record.logarithmic else f"{end:.4g}"

    def floor(self, columns: int, ends: Ends) -> str:
        """The axis, with a sign at the place of interest."""
        signs = [FLOOR] * columns
        if (place := self.marked_column(columns, ends)) is not None:
            signs[place] = POINTER
        return CORNER + "".join(signs)

    def marked_column(self, columns: int, ends: Ends) -> int | None:
        """The column of the place of interest; None if there is none, or it is outside the scale."""
        if self.record.marked is None:
            return None
        (marked,) = self.scale((self.record.marked,))
        place = scaled(marked, ends, columns - 1)  # nan where the ends are further apart than a float can tell
        return round(place) if -0.5 <= place < columns - 0.5 else None

    def feet(self, columns: int, ends: Ends) -> str:
        """The ends of the axis, and the place of interest below its sign, as far as there is room between the ends."""
        low, high = map(self.label, ends)
        place = self.marked_column(columns, ends)
        what = "chosen step" if self.record.logarithmic else clean(self.record.along)
        mark = "" if place is None else f"{what} = {self.record.marked:.4g}"
        first, last = len(low) + GAP, columns - len(high) - GAP - len(mark)
        if place is None or first > last:
            return f"{low}{'':{max(1, columns - len(low) - len(high))}}{high}"
        start = min(max(place - len(mark) // 2, first), last)
        return f"{low}{'':{start - len(low)}}{mark}{'':{columns - start - len(mark) - len(high)}}{high}"


def separated(numbers: Sequence[float]) -> list[float]:
    """The numbers with a gap after each, so that no line joins them."""
    return [part for number in numbers for part in (number, math.nan)]


def signs(text: str, in_ascii: bool) -> str:
    """The lines of an axis in signs that the stream can hold."""
    return text.translate(SIGNS) if in_ascii else text
