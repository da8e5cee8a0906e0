"""Curves in the terminal: a canvas of braille signs, two by four dots a sign."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

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
