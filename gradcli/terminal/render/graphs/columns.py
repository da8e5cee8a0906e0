"""A tall level of a layout in columns, read like those of a newspaper: a long run uses the width of its canvas."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from gradcli.terminal.render.graphs.placement import Area, Point

TOP, BOTTOM = "top", "bottom"
"""The ends of lines that come from above a level, or leave it below."""
ASPECT = 1.6  # width of a picture in columns, as a part of its height
TALL = 1200.0  # points of a level that is parted, if it is also twice as high as wide
GUTTER, LANE = 40.0, 6.0  # between columns; between the lines that lead from one column to the next
ARROW = 4.0  # room above a column for the ends of these lines
MOST_LANES = 8


class Link(NamedTuple):
    """The part of a diagram's edge within one level."""

    edge: int
    tail: Hashable
    head: Hashable


def in_columns(
    areas: Mapping[Hashable, Area], ways: Mapping[Link, list[Point]], size: Point, margins: tuple[float, float]
) -> tuple[dict[Hashable, Area], dict[Link, list[Point]], Point]:
    """The areas, lines and size of a level, in columns if it is tall.

    A line from above enters its column at the top, one that leaves the level does so below its column, and any other
    runs through the gutter before the next column.

    Args:
        areas, ways, size: those of the level in one column.
        margins: the room above and below what is in a column.
    """
    width, height = size
    if height < max(TALL, 2 * width):
        return dict(areas), dict(ways), size
    inner = [area for key, area in areas.items() if key not in (TOP, BOTTOM)]
    cuts = list(_cuts(inner, margins[0], height - margins[1], round(math.sqrt(ASPECT * height / width))))
    crossing = [link for link, way in ways.items() if _column(way[0][1], cuts) != _column(way[-1][1], cuts)]
    offsets = {link: n % MOST_LANES * LANE for n, link in enumerate(crossing)}
    columns = _Columns(cuts, size, margins, min(len(crossing), MOST_LANES) * LANE)
    routed = {link: columns.routed(link, way, offsets.get(link, 0.0)) for link, way in ways.items()}
    return {key: columns.placed(key, area) for key, area in areas.items()}, routed, columns.size


class _Columns:
    """The columns of a level.

    Args:
        cuts: the heights at which they are parted.
        size, margins: those of the level in one column.
        room: for the lanes of lines that lead from one column to the next.
    """

    def __init__(self, cuts: list[float], size: Point, margins: tuple[float, float], room: float) -> None:
        self._cuts = cuts
        self._starts = [margins[0], *cuts]
        self._width, self._step = size[0], size[0] + GUTTER + room
        self._top = margins[0] + room
        longest = max(end - start for start, end in pairwise([*self._starts, size[1] - margins[1]]))
        self._lanes_y = self._top + longest + room
        self.size = self._step * len(self._starts) - GUTTER - room, self._lanes_y + margins[1]

    def placed(self, key: Hashable, area: Area) -> Area:
        """The area of a vertex in its column."""
        x, y = self._moved(area.corner, _column(area.y + area.height / 2, self._cuts))
        return area.changed(x=x, y=0.0 if key == TOP else self.size[1] if key == BOTTOM else y)

    def routed(self, link: Link, way: list[Point], offset: float) -> list[Point]:
        """The points of a line: all in one column, or from one through the gutter to another."""
        columns = [_column(y, self._cuts) for _, y in way]
        last = columns[0] if link.head == BOTTOM else columns[-1]
        first = last if link.tail == TOP else columns[0]
        of_column = {
            column: [self._moved(point, column) for point, at in zip(way, columns, strict=True) if at == column]
            for column in {first, last}
        }
        points = of_column[first]
        if first != last:
            gutter = first * self._step + self._width + GUTTER / 2 + offset
            (x, _), (right, _) = points[-1], of_column[last][0]
            below, above = self._lanes_y - offset, self._top - offset - ARROW
            points = [*points, (x, below), (gutter, below), (gutter, above), (right, above), *of_column[last]]
        if link.tail == TOP:
            points = [(points[0][0], 0.0), *(point for point in points if point[1] > 0.0)]
        if link.head == BOTTOM:
            points = [*(point for point in points if point[1] < self.size[1]), (points[-1][0], self.size[1])]
        return points

    def _moved(self, point: Point, column: int) -> Point:
        return point[0] + column * self._step, point[1] - self._starts[column] + self._top


def _column(y: float, cuts: list[float]) -> int:
    return sum(y >= cut for cut in cuts)


def _cuts(areas: list[Area], top: float, bottom: float, count: int) -> Iterator[float]:
    """Heights that pass between areas and part the level into columns of about the same height."""
    goal, wanted = (bottom - top) / count, 1
    covered_to = -math.inf
    for area in sorted(areas, key=lambda area: area.y):
        if area.y > covered_to and area.y - top >= wanted * goal - goal / 4 and covered_to > -math.inf:
            yield (area.y + covered_to) / 2
            wanted = math.floor((area.y - top) / goal + 0.25) + 1
        covered_to = max(covered_to, area.y + area.height)
