"""`gradcli plot --along x,y`: the value over two inputs as a map of shades, with the point and a path."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import clean
from gradcli.shared.records.plots import Contour
from gradcli.terminal.render.layout.heading import heading
from gradcli.terminal.render.layout.numbers import few
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Stack, line
from gradcli.terminal.render.layout.theme import NAME, QUIET, RESULT
from gradcli.terminal.render.plots.terminal import AXIS, CORNER, FLOOR, POINT, signs

SHADES, SHADES_IN_ASCII = " ·░▒▓█", " .:+*#"
ROWS, COLUMNS = 21, 60
STEP = "•"


def levels(record: Contour, count: int) -> list[float]:
    """Numbers that part the finite values into `count` parts of equal size, so that a steep wall hides no valley."""
    finite = sorted(value for row in record.values for value in row if math.isfinite(value))
    return sorted({finite[len(finite) * n // count] for n in range(1, count)})


def fixed_text(record: Contour) -> str:
    """Which inputs do not vary; empty where all do."""
    texts = [f"{name} = {few(value)}" for name, value in record.fixed.items()]
    return f"fixed: {', '.join(texts)}" if texts else ""


def view(record: Contour, look: Look) -> Stack:
    """The map as it is shown."""
    top = heading(record.target, record.reading, record.point, look)
    fixed = [line((clean(fixed_text(record)), QUIET))] if record.fixed else []
    return Stack(*top, *fixed, line(), ShadeMap(record))


class ShadeMap(Frozen, Drawing):
    """The values as shades, darker where they are greater, over both axes."""

    record: Contour

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """A title, the map beside its scale, the axis, and the meaning of the shades."""
        record, shades = self.record, SHADES_IN_ASCII if in_ascii else SHADES
        xs, ys, parts = record.x, record.y, levels(record, len(shades))
        labels = [f"{ys[-1]:.4g}", *[""] * (ROWS - 2), f"{ys[0]:.4g}"]
        margin = max(map(len, labels))
        columns = max(10, min(width - margin - 2, COLUMNS))
        rows = [
            [self._sign(row[nearest(column, columns, len(xs))], parts, shades) for column in range(columns)]
            for row in (record.values[nearest(ROWS - 1 - n, ROWS, len(ys))] for n in range(ROWS))
        ]
        step, point = ("o", "@") if in_ascii else (STEP, POINT)
        for place, sign in (*((place, step) for place in record.path), (record.marked, point)):
            across, up = (
                (number - ends[0]) / (ends[-1] - ends[0]) for number, ends in zip(place, (xs, ys), strict=True)
            )
            if 0 <= across <= 1 and 0 <= up <= 1:
                rows[ROWS - 1 - round(up * (ROWS - 1))][round(across * (columns - 1))] = sign
        yield [("value", NAME), (f" over {clean(record.along[0])} (across) and {clean(record.along[1])} (up)", QUIET)]
        for label, row in zip(labels, rows, strict=True):
            yield [(signs(f"{label:>{margin}} {AXIS}", in_ascii), QUIET), ("".join(row).rstrip(), RESULT)]
        low, high = f"{xs[0]:.4g}", f"{xs[-1]:.4g}"
        yield [(signs(f"{'':{margin}} {CORNER}{FLOOR * columns}", in_ascii), QUIET)]
        yield [(f"{'':{margin}}  {low}{high:>{max(1, columns - len(low))}}", QUIET)]
        scale = "".join(f"{shade} {end:.3g} " for shade, end in zip(shades, parts, strict=False)) + shades[len(parts)]
        path = f"; {step} path of {len(record.path)} points" if record.path else ""
        yield [(f"{'':{margin}}  {point} the point{path}", QUIET)]
        yield [(f"{'':{margin}}  shades by value: {scale}", QUIET)]

    @staticmethod
    def _sign(value: float, parts: Sequence[float], shades: str) -> str:
        return shades[bisect_right(parts, value)] if math.isfinite(value) else "?"


def nearest(n: int, count: int, size: int) -> int:
    """The index among `size` places that is nearest to place n of `count`."""
    return round(n * (size - 1) / (count - 1))
