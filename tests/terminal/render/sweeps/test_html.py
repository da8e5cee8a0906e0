"""A sweep as a page of HTML."""

from html.parser import HTMLParser

import pytest

from gradcli.shared.records.explanations import Explanation, ForwardSweep, Scope
from gradcli.terminal.render import Look, record_text
from tests.terminal.render import samples

VOID = {"meta"}


class Balance(HTMLParser):
    """Reads a page: every element is closed in turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.deepest = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)
            self.deepest = max(self.deepest, self.open.count("details"))

    def handle_endtag(self, tag: str) -> None:
        """It ends, and it is the one that began last."""
        assert tag == self.open.pop()


def nested() -> Explanation:
    call = Scope("call", samples.OWN_FILE, 1, "return g(x)", "g", 1, 1)
    loop, *iterations = samples.EXPLAINED_LOOP.scopes
    scopes = (loop.changed(parent=5), *iterations, call)
    return samples.EXPLAINED_LOOP.changed(scopes=scopes)


@pytest.mark.parametrize(
    ("deep", "record"),
    [(0, samples.EXPLANATION), (0, samples.FORWARD_SWEEP), (1, samples.EXPLAINED_LOOP), (2, nested())],
)
@pytest.mark.parametrize("expand", [False, True])
def test_a_page_is_well_formed(deep: int, record: Explanation | ForwardSweep, expand: bool) -> None:
    """Every element is closed, loops and calls fold, and nothing is loaded from elsewhere."""
    text = record_text(record, Look(), form="html", expand=expand)
    balance = Balance()
    balance.feed(text)

    assert ([], deep) == (balance.open, balance.deepest)
    assert "http" not in text
    assert "prefers-color-scheme: dark" in text


def test_what_a_page_shows() -> None:
    """The source line, the term and the numbers, each name marked as such; what a user wrote is text."""
    first = samples.EXPLANATION.statements[0].changed(source="r = p < 0.25")
    text = record_text(samples.EXPLANATION.changed(statements=(first,)), Look(), form="html")

    assert '<code class="source">r = p &lt; 0.25</code>' in text
    assert '<tr><td><b data-n="s_p">s_p</b></td><td class="term">+= 1</td><td>1.0</td>' in text
    assert "<tr><td>y</td><td></td><td>2.0</td></tr>" in text
