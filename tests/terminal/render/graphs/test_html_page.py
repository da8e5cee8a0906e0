"""The page of a tape: the source beside the graph, safe, reachable with the keyboard, and without a network."""

from html.parser import HTMLParser

import pytest

from gradcli import queries
from gradcli.terminal.render.graphs.html_page import page
from tests.terminal.render import samples

pytest.importorskip("grandalf")

VOID = {"meta", "input"}
NASTY = "</script><img src=x onerror=alert(1)> & <b>"


class Page(HTMLParser):
    """Reads a page: its elements with their attributes, and its text; every element is closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.said: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        """It ends, and it is the one that began last."""
        assert tag == self.open.pop()

    def handle_data(self, data: str) -> None:
        self.said.append(data)


def test_the_source_is_linked_to_the_boxes() -> None:
    found = Page(page(samples.GRAPH))
    linked = {
        attributes["data-line"] for tag, attributes in found.elements if tag == "li" and "data-line" in attributes
    }
    boxes = {attributes.get("data-line") for tag, attributes in found.elements if tag == "g" and "id" in attributes}

    assert found.open == []
    assert {f"hyperbox.py:{line}" for line in (11, 12, 13)} == linked
    assert linked == boxes - {None}


def test_the_keyboard_reaches_all() -> None:
    """Every box and every line; the search has a label, and says what it found."""
    found = Page(page(samples.GRAPH)).elements

    assert all(each.get("tabindex") == "0" for tag, each in found if tag == "g" and "id" in each)
    assert all(each.get("tabindex") == "0" for tag, each in found if tag == "li" and "data-line" in each)
    assert ("label", {"for": "find"}) in found
    assert ("output", {"id": "count", "for": "find"}) in found
    assert ("html", {"lang": "en"}) in found


def test_it_is_one_file() -> None:
    text = page(samples.GRAPH)
    found = Page(text)

    assert "default-src 'none'" in text
    assert not [
        each for tag, each in found.elements if {"src", "href"} & each.keys() or tag in {"link", "img", "iframe"}
    ]


def test_what_a_program_holds_is_text() -> None:
    node = samples.GRAPH.nodes[3].changed(name=NASTY, expression=NASTY)
    source = samples.GRAPH.program[0].changed(lines=(NASTY, NASTY))
    nodes = (*samples.GRAPH.nodes[:3], node, *samples.GRAPH.nodes[4:])
    found = Page(page(samples.GRAPH.changed(target=NASTY, nodes=nodes, program=(source,))))

    assert sum(1 for tag, _ in found.elements if tag == "script") == 1
    assert not [tag for tag, _ in found.elements if tag in {"img", "b"}]
    assert 2 <= found.said.count(NASTY)
    assert found.open == []


def test_both_themes() -> None:
    assert page(samples.GRAPH).count("@media (prefers-color-scheme:dark)") == 2


def test_every_node_is_in_the_table() -> None:
    rows = [each["data-box"] for tag, each in Page(page(samples.GRAPH)).elements if tag == "tr" and "data-box" in each]

    assert [f"n{index}" for index in range(6)] == rows


def test_no_folder_of_the_machine() -> None:
    """A page that is handed on says which file it is about, not where that lies."""
    assert "/home/user" not in page(samples.GRAPH)


def test_the_zoom_can_be_used_by_buttons() -> None:
    """Each has a name; the script fits the picture when it opens."""
    text = page(queries.tape_graph("x * y", "1,2"))

    assert [text.count(f'data-by="{by}"') for by in ("0.8", "1.25", "0", "1")] == [1, 1, 1, 1]
    assert "fit(); window.addEventListener('resize'" in text
