"""Every page of help is whole at 80 columns, and says what the code does."""

import pytest

from gradcli.errors import EXIT_MEANINGS
from gradcli.shared.records.checks import OUTCOME_EXITS, Verdict
from gradcli.terminal.render import Look, as_text
from gradcli.terminal.render.topics import PAGES, codes, operations, page, view

LOOK = Look(width=80)


def text(word: str) -> str:
    found = page(word)
    assert found is not None
    return as_text(view(found, LOOK), LOOK)


def test_a_page_fits_80_columns() -> None:
    """No line is longer than the terminal, and no column of a table is left out."""
    drawn = {word: text(word) for word in (*PAGES, *codes())}

    assert [line for page in drawn.values() for line in page.splitlines() if len(line) > 80] == []
    assert [word for word, page in drawn.items() if "left out at" in page] == []


@pytest.mark.parametrize("word", ["g201", "G201"])
def test_a_code_in_any_case(word: str) -> None:
    """The page of a code is found however it is written."""
    assert text(word).startswith("G201 kink\n\nThe function is continuous at the point")


def test_no_page() -> None:
    assert page("nonsense") is None


def test_all_exit_codes_are_explained() -> None:
    """The page on exit codes has every code with its meaning."""
    drawn = text("exit-codes")

    assert all(f" {int(code)}  {meaning}" in drawn for code, meaning in EXIT_MEANINGS.items())


def test_all_verdicts_are_explained() -> None:
    """The page on verdicts has every verdict, and every overall verdict with its exit code."""
    drawn = text("verdicts")

    assert all(verdict.value in drawn for verdict in Verdict)
    assert all(f"  {v.counts_as} " in drawn and f"exit {int(OUTCOME_EXITS[v.counts_as])}" in drawn for v in Verdict)


def test_all_findings_are_listed() -> None:
    assert all(code in text("findings") for code in codes())


def test_conventions_beside_the_neighbours() -> None:
    """The table of conventions has our value and theirs in one row."""
    row = next(line for line in text("conventions").splitlines() if line.startswith("abs(x)"))

    assert row.split() == ["abs(x),", "x", "=", "0", "0", "1", "0", "0"]


def test_operations() -> None:
    text = as_text(view(operations([("words", ["abs", "add"]), ("more", ["sum"])]), LOOK), LOOK)
    assert text.startswith("Operations with a derivative rule\n\nwords:\n\nabs, add\n\nmore:\n\nsum\n")
