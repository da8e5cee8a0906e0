"""The catalogue: every code that the program can say has an entry that helps."""

import re
from pathlib import Path

import pytest

import gradcli
from gradcli.shared.findings import finding
from gradcli.shared.findings.catalogue import CATALOGUE
from gradcli.shared.findings.entry import Entry
from gradcli.shared.records.result_and_finding import Finding

ENTRIES = list(CATALOGUE.values())
PACKAGE = Path(gradcli.__path__[0])


@pytest.mark.parametrize("entry", ENTRIES, ids=[entry.code for entry in ENTRIES])
def test_an_entry_is_complete(entry: Entry) -> None:
    """An entry has a code, a title of a few words, sentences on cause and fix, and an example."""
    assert re.fullmatch(r"G\d{3}", entry.code)
    assert entry.title == entry.title.strip(". ")
    assert len(entry.title.split()) <= 4
    assert entry.cause.endswith((".", "!"))
    assert entry.fix.endswith(".")
    assert entry.example


def test_codes_are_in_order() -> None:
    assert sorted(CATALOGUE) == list(CATALOGUE)


def test_every_code_in_the_package_has_an_entry() -> None:
    """No module names a code that `gradcli help` cannot explain."""
    named = {code for path in PACKAGE.rglob("*.py") for code in re.findall(r"\bG\d{3}\b", path.read_text("utf-8"))}

    assert named - set(CATALOGUE) == set()


def test_a_finding_is_as_grave_as_its_entry() -> None:
    expected = Finding("G101", "error", "log(0.0) = -inf", "f.py", 3, 7, {"x": 0.0})

    assert finding("G101", "log(0.0) = -inf", file="f.py", line=3, node=7, numbers={"x": 0.0}) == expected
