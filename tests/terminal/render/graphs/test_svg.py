"""The drawing of a tape: well-formed, in both themes, and safe whatever a program holds."""

from xml.etree import ElementTree

import pytest

from gradcli.terminal.render.graphs import svg
from gradcli.terminal.render.graphs.diagram import diagram
from gradcli.terminal.render.graphs.grandalf_layout import placed
from tests.terminal.render import samples

pytest.importorskip("grandalf")

SVG = "{http://www.w3.org/2000/svg}"
NASTY = "</script><b onload=alert(1)> & \"quoted\" 'too'"


def test_every_box_and_edge() -> None:
    root = ElementTree.fromstring(svg.svg(samples.GRAPH))
    groups = list(root.iter(f"{SVG}g"))
    boxes = {group.get("id"): group for group in groups if group.get("id")}

    assert {f"n{index}" for index in range(6)} == set(boxes)
    assert boxes["n0"].get("class") == "box input p4"
    assert boxes["n5"].get("class") == "box result p1"
    assert boxes["n3"].findtext(f"{SVG}title") == "t_ab = mul t_a, t_b · value 6.0 · sensitivity 18.0 · hyperbox.py:12"
    assert sum(1 for group in groups if group.get("data-from")) == 7
    assert "area(a=t_a, b=t_b)" in [text.text for text in root.iter(f"{SVG}text")]


def test_it_says_what_it_is() -> None:
    """A title and a description for who cannot see it."""
    root = ElementTree.fromstring(svg.svg(samples.GRAPH))

    assert root.get("role") == "img"
    assert root.findtext(f"{SVG}title") == "examples/hyperbox.py:f4"
    assert "6 boxes, 7 edges" in (root.findtext(f"{SVG}desc") or "")


def test_both_themes() -> None:
    text = svg.svg(samples.GRAPH)

    assert "@media (prefers-color-scheme:dark)" in text
    assert text.count("http") == 1


def test_what_a_program_holds_is_text() -> None:
    node = samples.GRAPH.nodes[3].changed(name=NASTY, expression=NASTY)
    record = samples.GRAPH.changed(target=NASTY, nodes=(*samples.GRAPH.nodes[:3], node, *samples.GRAPH.nodes[4:]))
    root = ElementTree.fromstring(svg.svg(record))

    assert root.findtext(f"{SVG}title") == NASTY
    assert {"svg", "title", "desc", "style", "rect", "text", "g", "path", "polygon"} >= {
        each.tag.removeprefix(SVG) for each in root.iter() if isinstance(each.tag, str)
    }


def test_a_number_that_is_not_finite() -> None:
    nodes = (samples.GRAPH.nodes[0].changed(sensitivity=[float("nan")] * 4), *samples.GRAPH.nodes[1:])
    text = svg.svg(samples.GRAPH.changed(nodes=nodes))

    assert 'class="box input bad" id="n0"' in text
    assert ">not finite</text>" in text


def test_the_legend_says_what_the_picture_has() -> None:
    """Dashed edges, the ends of arrays; nothing of shades and partials where there are none."""
    whole = svg.svg(samples.GRAPH)
    alone = svg.svg(
        samples.GRAPH.changed(nodes=samples.GRAPH.nodes[:1], within=(None,), uses=(), result=None), expand=True
    )
    idle = samples.GRAPH.changed(uses=(samples.GRAPH.uses[0].changed(partial=(0.0,)), *samples.GRAPH.uses[1:]))

    assert "on an edge: the partial" in whole
    assert "dashed edges add nothing" in svg.svg(idle)
    assert "the least and the greatest number of an array" in alone
    assert "on an edge" not in alone


def test_no_line_passes_through_a_partial() -> None:
    text = svg.svg(samples.GRAPH)

    assert text.count('class="label"') == text.count('class="under"')


def test_the_shades_have_a_legend() -> None:
    shown = diagram(samples.GRAPH)

    assert shown.greatest == 94.0
    assert ">-94</text>" in svg.drawn(shown, placed(shown))
