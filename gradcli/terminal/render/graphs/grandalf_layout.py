"""Layout of a diagram by the library grandalf. Each scope is laid out alone and is one vertex in the scope around it.

Labels are vertices too, so that nothing lies over them.  Where an edge leaves or enters a scope it passes its border at
a place that is found with the boxes within.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from itertools import combinations, pairwise, takewhile
from typing import Any, NamedTuple

from gradcli.errors import UsageError
from gradcli.terminal.render.graphs.columns import BOTTOM, TOP, Link, in_columns
from gradcli.terminal.render.graphs.diagram import Diagram, Edge
from gradcli.terminal.render.graphs.placement import GROUP_HEAD, Area, Placement, Point, size_of
from gradcli.terminal.render.layout.wrapped_text import width_of

SPACE, RANK, BORDER = 22.0, 30.0, 12.0
Vertex = Hashable
"""The key of a box, the index of a cluster, ("label", edge), or TOP or BOTTOM of the cluster itself."""


class _Level(NamedTuple):
    """The direct content of a cluster, positioned relative to the cluster's upper left corner."""

    areas: dict[Vertex, Area]
    ways: dict[Link, list[Point]]
    width: float
    height: float


def placed(diagram: Diagram) -> Placement:
    """The layout that the library computes.

    Raises:
        UsageError: it is not installed.
    """
    try:
        import grandalf.layouts  # noqa: F401 - whether it is there
    except ImportError:
        raise UsageError(
            "A graph needs the library grandalf, which is not installed.",
            hint="pip install 'gradcli[plot]', or write a .dot file for Graphviz.",
        ) from None
    return _Nested(diagram).placement()


class _Nested:
    """The levels of a diagram, innermost first."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.parents = {group.index: group.parent for group in diagram.groups}
        self.group_of = {box.key: box.group for box in diagram.boxes}
        self.links: dict[int | None, list[Link]] = defaultdict(list)
        for number, edge in enumerate(diagram.edges):
            for level, link in self._pieces(number, edge):
                self.links[level].append(link)
        self.levels: dict[int | None, _Level] = {}
        for group in sorted(diagram.groups, key=lambda group: -len(self._path(group.index))):
            self.levels[group.index] = self._level(group.index)
        self.levels[None] = self._level(None)

    def placement(self) -> Placement:
        """The positions of all levels, relative to the corner of the picture."""
        corners: dict[int | None, Point] = {None: (0.0, 0.0)}
        for group in sorted(self.diagram.groups, key=lambda group: len(self._path(group.index))):
            corners[group.index] = _sum(self._area(group.index, group.parent).corner, corners[group.parent])
        groups = {index: self._area(index, self.parents[index]) for index in self.parents}
        boxes = {key: self._area(key, group) for key, group in self.group_of.items()}
        ways = [self._way(number, corners) for number in range(len(self.diagram.edges))]
        labels = [self._label(number, corners) for number in range(len(self.diagram.edges))]
        whole = self.levels[None]
        return Placement(
            {key: _shifted(area, corners[self.group_of[key]]) for key, area in boxes.items()},
            {index: _shifted(area, corners[self.parents[index]]) for index, area in groups.items()},
            tuple(map(_curve, ways)),
            tuple(labels),
            whole.width,
            whole.height,
        )

    def _area(self, vertex: Vertex, group: int | None) -> Area:
        return self.levels[group].areas[vertex]

    def _path(self, group: int | None) -> list[int | None]:
        """A cluster and its enclosing clusters, from the outside in, starting with the whole picture."""
        clusters: list[int | None] = [group]
        while clusters[-1] is not None:
            clusters.append(self.parents[clusters[-1]])
        return clusters[::-1]

    def _pieces(self, number: int, edge: Edge) -> Iterator[tuple[int | None, Link]]:
        """The parts of an edge from tail to head: out of clusters, across, and into clusters."""
        here, there = self._path(self.group_of[edge.tail]), self._path(self.group_of[edge.head])
        same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(here, there, strict=False)))
        out: Vertex = edge.tail
        for group in reversed(here[same:]):
            yield group, Link(number, out, BOTTOM)
            out = group
        inner: list[Vertex] = [*there[same:], edge.head]
        yield here[same - 1], Link(number, out, inner[0])
        for group, vertex in zip(there[same:], inner[1:], strict=True):
            yield group, Link(number, TOP, vertex)

    def _level(self, group: int | None) -> _Level:
        sizes: dict[Vertex, tuple[float, float]] = {
            box.key: size_of(box) for box in self.diagram.boxes if box.group == group
        }
        for index, parent in self.parents.items():
            if parent == group:
                sizes[index] = self.levels[index].width, self.levels[index].height
        for link in self.links[group]:
            sizes |= {end: (1.0, 1.0) for end in (link.tail, link.head) if end in (TOP, BOTTOM)}
            if self._has_label(link):
                sizes["label", link.edge] = width_of(self.diagram.edges[link.edge].label) * 6.1 + 6, 14.0
        least = next((width_of(inner.label) * 6.1 + 16 for inner in self.diagram.groups if inner.index == group), 0.0)
        return _placed(sizes, self.links[group], self._has_label, self._border, least)

    def _border(self, link: Link, vertex: Vertex, side: str) -> float | None:
        """The horizontal position at which an edge crosses a cluster's border; None for a box."""
        if not isinstance(vertex, int):
            return None
        ways = self.levels[vertex].ways
        return next(way[0 if side == TOP else -1][0] for piece, way in ways.items()
                    if piece.edge == link.edge and side in (piece.tail, piece.head))  # fmt: skip

    def _has_label(self, link: Link) -> bool:
        """Whether a part carries the edge's label; the part across does."""
        return bool(self.diagram.edges[link.edge].label) and link.tail != TOP and link.head != BOTTOM

    def _way(self, number: int, corners: dict[int | None, Point]) -> list[Point]:
        points: list[Point] = []
        for group, link in self._pieces(number, self.diagram.edges[number]):
            points += (_sum(point, corners[group]) for point in self.levels[group].ways[link])
        return points

    def _label(self, number: int, corners: dict[int | None, Point]) -> Point | None:
        for group, level in self.levels.items():
            if area := level.areas.get(("label", number)):
                return _sum(area.middle, corners[group])
        return None


class _RoutedEdge:
    """An edge as the library expects it; the library calls it with the points of its route."""

    points: list[Point]

    def setpath(self, points: list[Point]) -> None:
        self.points = points


def _placed(
    sizes: dict[Vertex, tuple[float, float]], links: list[Link], has_label: Any, border: Any, least: float
) -> _Level:
    """One level, with its connected components side by side, each laid out by the library.

    A cluster has a `least` width for its own label, the whole picture has none.
    """
    from grandalf.graphs import Edge as Arc
    from grandalf.graphs import Graph
    from grandalf.graphs import Vertex as Place
    from grandalf.layouts import SugiyamaLayout, VertexViewer

    places = {key: Place(key) for key in sizes}
    for key, (width, height) in sizes.items():
        places[key].view = VertexViewer(width, height)
    arcs: dict[tuple[Vertex, Vertex], Any] = {}
    for tail, head in dict.fromkeys(step for link in links for step in _steps(link, has_label(link))):
        arcs[tail, head] = Arc(places[tail], places[head])
        arcs[tail, head].view = _RoutedEdge()
    around = BORDER if least else 0.0
    right, top = around, BORDER + GROUP_HEAD if least else 0.0
    lower = top
    order = {key: number for number, key in enumerate(places)}
    parts = Graph(list(places.values()), list(arcs.values())).C
    for part in parts:
        layout = SugiyamaLayout(part)
        layout.xspace, layout.yspace = SPACE, RANK
        roots = [vertex for vertex in part.sV if not vertex.e_in()]
        layout.init_all(roots=roots, inverted_edges=[])
        layout.draw(8)
        _read_from_the_left(part, sorted(roots, key=lambda vertex: order[vertex.data]))
        bounds = _bounds(part)
        _move(part, right - bounds.x, top - bounds.y)
        right, lower = right + bounds.width + SPACE, max(lower, top + bounds.height)
    width, height = max(least, right - SPACE + around), lower + around
    for part in parts:
        _move(part, (width - (right - SPACE + around)) / 2, 0.0)
    areas = {key: _area(place.view) for key, place in places.items()}
    ways = {}
    for link in links:
        lines = [arcs[step].view.points for step in _steps(link, has_label(link))]
        ends = border(link, link.tail, BOTTOM), border(link, link.head, TOP)
        ways[link] = _joined(lines, link, areas, height, ends)
    areas, ways, size = in_columns(areas, ways, (width, height), (top, around))
    return _Level(areas, ways, *size)


def _steps(link: Link, has_label: bool) -> list[tuple[Vertex, Vertex]]:
    """The lines of a part: one, or two with the label between them."""
    if not has_label:
        return [(link.tail, link.head)]
    label = ("label", link.edge)
    return [(link.tail, label), (label, link.head)]


def _area(view: Any) -> Area:
    x, y = view.xy
    return Area(x - view.w / 2, y - view.h / 2, view.w, view.h)


def _bounds(part: Any) -> Area:
    areas = [_area(place.view) for place in part.sV]
    points = [point for arc in part.sE for point in arc.view.points]
    left = min([area.x for area in areas] + [x for x, _ in points])
    right = max([area.x + area.width for area in areas] + [x for x, _ in points])
    top, lower = min(area.y for area in areas), max(area.y + area.height for area in areas)
    return Area(left, top, right - left, lower - top)


def _read_from_the_left(part: Any, roots: Sequence[Any]) -> None:
    """Mirror a component in which what comes first stands on the right."""
    across = [root.view.xy[0] for root in roots]
    if sum(math.copysign(1, after - before) for before, after in combinations(across, 2)) >= 0:
        return
    for place in part.sV:
        place.view.xy = -place.view.xy[0], place.view.xy[1]
    for arc in part.sE:
        arc.view.points = [(-x, y) for x, y in arc.view.points]


def _move(part: Any, right: float, down: float) -> None:
    for place in part.sV:
        x, y = place.view.xy
        place.view.xy = x + right, y + down
    for arc in part.sE:
        arc.view.points = [(x + right, y + down) for x, y in arc.view.points]


def _joined(
    lines: list[list[Point]], link: Link, areas: dict[Vertex, Area], height: float, borders: Sequence[float | None]
) -> list[Point]:
    """The points of a part, from the lower edge of its tail to the upper edge of its head."""
    points = [point for line in lines for point in line[1:-1]]
    if len(lines) > 1:
        points.insert(len(lines[0]) - 2, areas["label", link.edge].middle)
    tail, head = areas[link.tail], areas[link.head]
    first = _across(tail, borders[0]), tail.y + tail.height
    last = _across(head, borders[1]), head.y
    if link.tail == TOP:
        first = (points[0] if points else last)[0], 0.0
    if link.head == BOTTOM:
        last = (points[-1] if points else first)[0], height
    return [first, *points, last]


def _across(area: Area, border: float | None) -> float:
    return area.middle[0] if border is None else area.x + border


def _curve(points: list[Point]) -> tuple[Point, ...]:
    """A curve through points that is vertical at each of them."""
    points_of_curve = [points[0]]
    for (x, y), (right, lower) in pairwise(points):
        half = (lower - y) / 2
        points_of_curve += [(x, y + half), (right, lower - half), (right, lower)]
    return tuple(points_of_curve)


def _shifted(area: Area, corner: Point) -> Area:
    return area.changed(x=area.x + corner[0], y=area.y + corner[1])


def _sum(point: Point, corner: Point) -> Point:
    return point[0] + corner[0], point[1] + corner[1]
