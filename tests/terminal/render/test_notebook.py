"""Results as a notebook shows them."""

import html.parser
import re

import numpy as np
import pytest

import gradcli
from gradcli import queries
from gradcli.shared.notebook_display import IN_DARK, IN_LIGHT
from gradcli.terminal.render.notebook import bundle
from tests.terminal.render import samples


class Checker(html.parser.HTMLParser):
    """Counts tags that are open; `br` and the parts of a picture need no end."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag == self.open.pop()


RECORDS = {
    name: record
    for name, record in vars(samples).items()
    if name.isupper() and type(record).__name__ in ("Comparison", "Explanation", "Gradient", "Precision", "TapeListing")
}


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_is_a_page_that_is_well_formed(name: str) -> None:
    found = bundle(RECORDS[name])
    checker = Checker()
    checker.feed(found["text/html"])

    assert checker.open == []
    assert found["text/plain"].strip()
    assert RECORDS[name]._repr_html_() == RECORDS[name]._repr_mimebundle_()["text/html"] == found["text/html"]


def test_what_the_user_typed_is_escaped() -> None:
    record = queries.gradient("x * (x < 3)", "2").changed(target="<script>alert(1)</script>")

    assert "<script" not in bundle(record)["text/html"]
    assert "&lt;script&gt;" in bundle(record)["text/html"]


def test_both_themes_have_their_colours() -> None:
    page = bundle(samples.GRADIENT)["text/html"]

    assert "prefers-color-scheme:dark" in page
    assert f"{IN_DARK} .gradcli{{" in page


def test_forms_for_other_readers() -> None:
    """Markdown of a table, and LaTeX of an explanation alone."""
    assert bundle(samples.GRADIENT).keys() == {"text/plain", "text/html", "text/markdown"}
    assert bundle(samples.EXPLANATION).keys() == {"text/plain", "text/html", "text/markdown", "text/latex"}


def test_a_trace_is_its_graph() -> None:
    number = bundle(gradcli.trace(lambda x: np.sum(x * x), np.array([1.0, 2.0])))
    array = bundle(gradcli.trace(lambda x: x * 2.0, np.array([1.0, 2.0])))

    assert "<svg" in number["text/html"]
    assert array.keys() == {"text/plain", "text/html"}
    assert "&lt;Trace of" in array["text/html"]


def test_a_trace_has_the_theme_of_the_notebook() -> None:
    pytest.importorskip("grandalf")
    page = bundle(gradcli.trace(lambda x: x * x, 3.0))["text/html"]
    rules = "".join(re.findall("<style>(.*?)</style>", page, re.DOTALL)).replace(
        "@media(prefers-color-scheme:dark){", ""
    )
    selectors = [each for found in re.findall(r"([^{}]+)\{", rules) for each in re.split(r",(?![^(]*\))", found)]

    assert f"{IN_DARK} .gradcli .paper{{" in page
    assert f"{IN_LIGHT} .gradcli .paper{{" in page
    assert [each for each in selectors if ".gradcli" not in each] == []


def test_a_report_has_the_theme_of_the_notebook() -> None:
    """The colours of its verdicts; its ground and its text are those of the notebook."""
    page = gradcli.Report((), root=".")._repr_html_()

    assert f"{IN_DARK} .gradcli-report{{" in page
    assert "background:var(--back)" not in page


def test_what_derive_returns_is_its_text() -> None:
    found = bundle(gradcli.derive("x ** 2", at=3.0))

    assert "def grad_f" in found["text/plain"] or "def " in found["text/plain"]
    assert found["text/html"].count("<pre>") == 1


def test_the_text_of_a_trace_is_its_tape(monkeypatch: pytest.MonkeyPatch) -> None:
    """`str` lists the nodes as `gradcli tape` does; a run whose result is no number has its short form."""
    monkeypatch.setenv("COLUMNS", "80")

    def square(x: float) -> float:
        return x * x

    assert str(gradcli.trace(square, 3.0)).splitlines()[5].split()[:4] == ["node", "name", "operation", "value"]
    assert str(gradcli.trace(lambda x: {"a": x}, 3.0)).startswith("<Trace of ")


def test_the_message_of_an_assertion_is_short() -> None:
    """It has the worst components, the blocks, and the first numbers of a long point."""
    point = np.arange(1.0, 1001.0)
    with pytest.raises(AssertionError) as raised:
        gradcli.assert_grad(lambda x: np.sum(x**2), at=point, against=lambda x: 3 * x)

    lines = str(raised.value).splitlines()
    assert "  x: FAIL, all 1.5 times the derivative" in lines
    assert len(lines) < 20
    assert max(map(len, lines)) < 200


def test_the_text_of_a_report_has_a_line_for_each_case() -> None:
    """`str` lists the cases, then the failures and the counts, as `gradcli verify` does."""

    @gradcli.gradient_of(lambda x: x * x, at=3.0)
    def right(x: float) -> float:
        return 2 * x

    @gradcli.gradient_of(lambda x: x * x, at=3.0)
    def wrong(x: float) -> float:
        return 3 * x

    lines = str(gradcli.verify(right, wrong)).splitlines()
    assert [line.split()[0] for line in lines[:2]] == ["pass", "fail"]
    assert lines[-1].startswith("2 cases: 1 pass, 1 fail")


def test_an_untrusted_notebook_asks_for_a_run_instead_of_the_texts_of_a_picture():
    """JupyterLab keeps the texts of a drawing that it takes out, and leaves out styles by class."""
    picture = bundle(gradcli.trace(lambda x: x * x, 3.0))["text/html"]

    assert '<div style="font-size:0"><svg' in picture
    assert picture.index("</svg>") < picture.index('<p class="untrusted">Run the cell')
    assert ".untrusted{display:none}" in picture
