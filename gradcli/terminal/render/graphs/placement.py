"""The positions and sizes of the parts of a diagram, in points from the upper left corner."""

from __future__ import annotations

from collections.abc import Mapping

from gradcli.shared.frozen_record import Frozen
from gradcli.terminal.render.graphs.diagram import Box
from gradcli.terminal.render.layout.wrapped_text import width_of

CHARACTER, LINE = 6.7, 15.0  # of the monospaced font at 11 points
PADDING = 9.0
GROUP_HEAD = 18.0
Point = tuple[float, float]


class Area(Frozen):
    """A rectangle: its upper left corner, its width and its height."""

    x: float
    y: float
    width: float
    height: float

    @property
    def corner(self) -> Point:
        return self.x, self.y

    @property
    def middle(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2


class Placement(Frozen):
    """The layout of a diagram.

    Args:
        boxes: by key.
        groups: by the index of the scope.
        edges: in the order of the diagram; the first point of a curve, then three for each of its cubic pieces.
        labels: in the order of the edges, the middle of each label; None where there is none.
        width, height: of all of it.
    """

    boxes: Mapping[str, Area]
    groups: Mapping[int, Area]
    edges: tuple[tuple[Point, ...], ...]
    labels: tuple[Point | None, ...]
    width: float
    height: float


def size_of(box: Box) -> tuple[float, float]:
    """The width and height that a box needs for its text."""
    widest = max(map(width_of, box.rows), default=1)
    return max(44.0, widest * CHARACTER + 2 * PADDING), len(box.rows) * LINE + 10.0
