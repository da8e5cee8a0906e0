"""What a picture shows: the texts, kinds and shades of boxes, the labels of edges, the groups."""

import math

import pytest

from gradcli.errors import UsageError
from gradcli.shared.records.tape_graphs import NodeUse
from gradcli.shared.records.tapes import Node
from gradcli.terminal.render.graphs.diagram import (
    MOST_BOXES,
    Box,
    Cluster,
    brief,
    diagram,
    number,
    shade,
    spread,
    with_short_numbers,
)
from tests.terminal.render import samples


def boxes(**changes: object) -> dict[str, Box]:
    """The boxes of the sample by their keys."""
    return {box.key: box for box in diagram(samples.GRAPH.changed(**changes)).boxes}


def test_kinds() -> None:
    assert ["input", "operation", "operation", "operation", "operation", "result"] == [
        box.kind for box in diagram(samples.GRAPH).boxes
    ]


def test_texts() -> None:
    """A name, the formula and short numbers; nodes without a name are no numbers in a formula."""
    gap = "\N{NO-BREAK SPACE}" * 3

    assert ("t_ab", "mul t_a, t_b", f"6{gap}s = 18") == boxes()["n3"].rows
    assert ("ret", "add •, t_ab", f"308{gap}s = 1") == boxes()["n5"].rows
    assert boxes()["n4"].rows == ("neg t_ab", "-6")
    assert f"[4]{gap}s = 52 … 94" == boxes()["n0"].rows[-1]


def test_edges_have_the_partials() -> None:
    edge = diagram(samples.GRAPH).edges[2]

    assert (edge.tail, edge.head, edge.label, edge.weight) == ("n1", "n3", "3", "flows")
    assert edge.tip == "partial 3 · s_a += t_b * s_ab · = 54"


@pytest.mark.parametrize(("weight", "partial"), [("idle", (0.0,)), ("broken", (math.inf,)), ("flows", (2.0, 3.0))])
def test_the_weight_of_an_edge(weight: str, partial: tuple[float, ...]) -> None:
    """Nothing flows through a partial of 0, and one that is not finite breaks the sweep."""
    found = diagram(samples.GRAPH.changed(uses=(NodeUse(1, 3, partial, "s_a += t_b * s_ab"),))).edges

    assert weight == found[0].weight


def test_groups() -> None:
    """A call is a group around the boxes that it made."""
    shown = diagram(samples.GRAPH)

    assert (Cluster(0, None, "call", "area(a=t_a, b=t_b)"),) == shown.groups
    assert [box.key for box in shown.boxes if box.group == 0] == ["n3", "n4"]
    assert [depth for depth, _ in shown.nested()] == [0, 0, 0, 0, 0, 1, 1, 0]


def test_nodes_that_lead_nowhere() -> None:
    """They are left out, and it is said; with `expand` they are there."""
    node = Node(6, None, "mul", (1, 1), 4.0, 0.0, samples.FILE, 11)
    record = samples.GRAPH.changed(nodes=(*samples.GRAPH.nodes, node), within=(*samples.GRAPH.within, None))

    assert (6, "1 node that leads to comparisons alone is left out (--expand)") == (
        len(diagram(record).boxes), diagram(record).left_out
    )  # fmt: skip
    assert (len(diagram(record, expand=True).boxes), diagram(record, expand=True).left_out) == (7, "")


def test_too_many_boxes() -> None:
    nodes = [Node(n, f"x{n}", "sin", (n - 1,) if n else (), 1.0, 1.0) for n in range(MOST_BOXES + 1)]
    record = samples.GRAPH.changed(nodes=tuple(nodes), within=(None,) * len(nodes), uses=(), result=MOST_BOXES)
    with pytest.raises(UsageError) as raised:
        diagram(record)

    assert f"A graph of {MOST_BOXES + 1} boxes cannot be read; at most {MOST_BOXES} are drawn." == raised.value.message
    assert "--path X..Y draws a part" in str(raised.value.hint)
    assert len(diagram(record, path="x1..x3").boxes) == 3


@pytest.mark.parametrize(
    ("expected", "sensitivity"),
    [(0, 0.0), (4, 100.0), (-4, -100.0), (1, 6.0), (2, 7.0), (2, 25.0), (3, 26.0), (4, 57.0), (0, 0.05),
     (None, math.nan), (None, [1.0, math.inf]), (-3, [1.0, -30.0]), (0, None)],
)  # fmt: skip
def test_shades(expected: int | None, sensitivity: object) -> None:
    """By the square root, so that small ones are told apart; an array by its extreme."""
    assert shade(sensitivity, 100.0) == expected


@pytest.mark.parametrize(
    ("expected", "value"),
    [("12", 12.0), ("0", -0.0), ("0.3333", 1 / 3), ("28080", 28078.3), ("1.235e+08", 123456789.0), ("nan", math.nan),
     ("True", True), ("7", 7), ("1+2j", 1 + 2j)],
)  # fmt: skip
def test_numbers(expected: str, value: object) -> None:
    assert number(value) == expected


def test_arrays() -> None:
    assert ["[1, 2, 3]", "[4]", "[2×2]", "[[1], [2]]"] == [
        brief([1.0, 2.0, 3.0]), brief([1.0] * 4), brief([[1.0, 2.0], [3.0, 4.0]]), brief([[1.0], [2.0]])
    ]  # fmt: skip
    assert ["-1 … 4", "2", "nan", ""] == [
        spread([1.0, -1.0, 4.0, 0.0]), spread([2.0] * 4), spread([math.nan] * 4), spread(None)
    ]  # fmt: skip


def test_a_part_of_a_typed_expression() -> None:
    """It is called by its text; what only hands a number on by its operation."""
    x = Node(0, "x", "input", (), 2.0, 4.0)
    square = Node(1, "x^2", "pow", (0,), 4.0, 1.0, expression="x^2")
    cast = Node(2, None, "cast", (1,), 4.0, 1.0, "f.py", 1, "", "%1")
    record = samples.GRAPH.changed(
        nodes=(x, square, cast), within=(None,) * 3, uses=(), reading="f(x) = x**2", result=None
    )

    assert [box.title for box in diagram(record).boxes] == ["x", "x^2", "cast"]
    assert (box := diagram(record.changed(result=2)).boxes[-1]).rows[:2] == ("result", "•"), box


def test_long_floats_of_formulas_are_short() -> None:
    assert with_short_numbers("3.141592653589793 * •") == "3.142 * •"
    assert with_short_numbers("1.2345678901234e-280 * x + 1.0 * y") == "1.235e-280 * x + 1.0 * y"
    assert with_short_numbers("x1234567[1234567] + a.1234567") == "x1234567[1234567] + a.1234567"
