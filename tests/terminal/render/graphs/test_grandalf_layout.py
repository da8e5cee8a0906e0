"""The places of a diagram: boxes apart and inside their groups, edges from box to box."""

from itertools import combinations, pairwise

import pytest

from gradcli import queries
from gradcli.terminal.render.graphs import grandalf_layout
from gradcli.terminal.render.graphs.diagram import Diagram, diagram
from gradcli.terminal.render.graphs.placement import Area, Placement, size_of

pytest.importorskip("grandalf")

pytestmark = pytest.mark.sampled(3)  # many like cases

PROGRAMS = {
    "examples/hyperbox.py:f4": "1,2,3,4",
    "examples/newton_sqrt.py:newton_sqrt": "2",
    "examples/power.py:power": "x=1.5,n=19",
    "examples/kalman.py:misfit": "state=[1,2],drift=0.1,noise=0.2,measured=1.3",
    "examples/perceptron.py:error": "w1=[[0.1,0.2],[0.3,0.4]],b1=[0,0],w2=[[1,2]],b2=[0.5]",
    "x^2 * sin(y) + x": "3,2",
    "x": "1",
}
SLACK = 1.0  # points by which what touches may overlap


@pytest.fixture(params=PROGRAMS)
def placed(request: pytest.FixtureRequest) -> tuple[Diagram, Placement]:
    """The diagram of a program with its places."""
    shown = diagram(queries.tape_graph(request.param, PROGRAMS[request.param]))
    return shown, grandalf_layout.placed(shown)


def overlap(one: Area, other: Area) -> bool:
    """Whether two areas have more than their borders in common."""
    across = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
    down = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
    return across > SLACK and down > SLACK


def inside(inner: Area, outer: Area) -> bool:
    """Whether one area lies in another."""
    return (
        outer.x - SLACK <= inner.x
        and outer.y - SLACK <= inner.y
        and inner.x + inner.width <= outer.x + outer.width + SLACK
        and inner.y + inner.height <= outer.y + outer.height + SLACK
    )


def test_boxes(placed: tuple[Diagram, Placement]) -> None:
    shown, places = placed
    whole = Area(0.0, 0.0, places.width, places.height)

    assert {box.key for box in shown.boxes} == set(places.boxes)
    assert not [pair for pair in combinations(places.boxes.values(), 2) if overlap(*pair)]
    for box in shown.boxes:
        width, height = size_of(box)
        assert places.boxes[box.key].width >= width - SLACK
        assert places.boxes[box.key].height >= height - SLACK
        assert inside(places.boxes[box.key], whole)


def test_groups(placed: tuple[Diagram, Placement]) -> None:
    """A group holds its boxes and groups, and no others."""
    shown, places = placed
    parents = {group.index: group.parent for group in shown.groups}
    for box in shown.boxes:
        around: set[int] = set()
        index = box.group
        while index is not None:
            around.add(index)
            index = parents[index]
        for group, area in places.groups.items():
            holds = inside(places.boxes[box.key], area) if group in around else not overlap(places.boxes[box.key], area)
            assert holds, (box.key, group)


def test_groups_have_room_for_their_labels(placed: tuple[Diagram, Placement]) -> None:
    shown, places = placed

    assert not [each.label for each in shown.groups if places.groups[each.index].width < 6.1 * len(each.label) + 12]


def test_the_inputs_stand_in_their_order() -> None:
    shown = diagram(queries.tape_graph("a/b + c/d", "1,2,3,4"))
    places = grandalf_layout.placed(shown)
    across = [places.boxes[box.key].x for box in shown.boxes if box.kind == "input"]

    assert sorted(across) == across


def test_edges(placed: tuple[Diagram, Placement]) -> None:
    shown, places = placed
    for edge, points in zip(shown.edges, places.edges, strict=True):
        tail, head = places.boxes[edge.tail], places.boxes[edge.head]

        assert len(points) % 3 == 1
        assert points[0][1] == pytest.approx(tail.y + tail.height, abs=tail.height)
        assert head.x - SLACK <= points[-1][0] <= head.x + head.width + SLACK
        assert points[-1][1] == pytest.approx(head.y, abs=head.height)


def test_labels(placed: tuple[Diagram, Placement]) -> None:
    shown, places = placed
    for edge, at in zip(shown.edges, places.labels, strict=True):
        assert (at is not None) == bool(edge.label)
        for area in places.boxes.values() if at else ():
            assert not (area.x < at[0] < area.x + area.width and area.y < at[1] < area.y + area.height)  # type: ignore[index]


def test_curves_hang_together() -> None:
    """Where an edge passes the border of a scope it goes on at the same place."""
    shown = diagram(queries.tape_graph("examples/newton_sqrt.py:newton_sqrt", "2"))
    for points in grandalf_layout.placed(shown).edges:
        ends = points[::3]

        ups = [(before, after) for before, after in pairwise(ends) if before[1] > after[1] + SLACK]
        assert all(before[0] == after[0] for before, after in ups)  # in the gutter between columns
