"""Findings: a line each, once."""

from gradcli.shared.records.result_and_finding import Finding
from gradcli.terminal.render import Look, findings_text

UNUSED = Finding("G401", "note", "w is never used.", "/home/user/f.py", 3)


def test_a_code_that_is_not_in_the_catalogue() -> None:
    assert findings_text([Finding("G999", "warning", "odd")], Look()) == "warning[G999] odd\n"


def test_the_same_finding_is_shown_once() -> None:
    expected = "note[G401 unused input] f.py:3: w is never used. (3 times)\nerror[G101 not finite] log(0) = -inf\n"

    assert findings_text([UNUSED, Finding("G101", "error", "log(0) = -inf"), UNUSED, UNUSED], Look()) == expected


def test_a_long_one_breaks_between_words() -> None:
    finding = Finding("G101", "error", "log(0) = -inf, a_name_that_is_longer_than_the_line: mend it.")

    assert [
        "error[G101 not finite]",
        "  log(0) = -inf,",
        "  a_name_that_is_longer_than_the_line:",
        "  mend it.",
    ] == findings_text([finding], Look(width=24)).splitlines()


def test_in_colour() -> None:
    assert findings_text([UNUSED], Look(coloured=True)).startswith("\x1b[36mnote[G401 unused input]\x1b[0m f.py:3")
