"""`gradcli check`: a row a component, worst first, and the verdict in words."""

# The tables are as wide as they are drawn, in the signs that are drawn.

import math

import pytest

from gradcli.shared.records.checks import Comparison, Component, Verdict
from gradcli.shared.records.result_and_finding import Finding
from gradcli.terminal.render import Look, record_text
from tests.terminal.render import samples

BESIDE = Finding("G305", "warning", "also checked at x=0.1: fail")
BENT, NAN = samples.component("k", Verdict.KINK, 0.0, 0.0), samples.component("k", Verdict.NONFINITE, math.nan, 4.0)
LEFT_OUT = (samples.component("x"), samples.component("y", Verdict.SKIPPED))
PASSED = samples.PASSING.components
LAST = {
    "a kink": (
        samples.PASSING.changed(components=(BENT, *PASSED)),
        "pass · the gradient is one of the valid choices · 3 checked: 1 KINK, 2 PASS · exit 0",
    ),
    "a number that is not finite, where no row says FAIL": (
        samples.PASSING.changed(verdict="fail", components=(NAN, *PASSED)),
        "fail · the gradient is wrong: not finite where the derivative is · 3 checked: 1 NONFINITE, 2 PASS · exit 1",
    ),
    "no components": (
        Comparison("f.py:f", None, {"k": 1.0}, 1.0, "unchecked", ()),
        "unchecked · nothing was checked · 0 checked · exit 6",
    ),
    "a component that was skipped": (
        samples.PASSING.changed(components=LEFT_OUT),
        "pass · the gradient is right in the components that were checked · 1 checked: 1 PASS, 1 SKIPPED · exit 0",
    ),
    "wrong beside the point": (
        samples.PASSING.changed(findings=(BESIDE,)),
        "pass · the gradient is right at this point, but wrong beside it · 2 checked: 2 PASS · exit 0",
    ),
    "wrong beside the point, strictly": (
        samples.PASSING.changed(verdict="inconclusive", findings=(BESIDE,)),
        "inconclusive · the gradient is right at this point, but wrong beside it, "
        "which neither a strict check nor one of a box accepts · 2 checked: 2 PASS · exit 3",
    ),
    "right beside the point": (
        samples.PASSING.changed(findings=(BESIDE.changed(severity="note"),)),
        "pass · the gradient is right · 2 checked: 2 PASS · exit 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("record", "last"), LAST.values(), ids=LAST)
def test_the_last_line(record: Comparison, last: str) -> None:
    assert record_text(record, Look()).splitlines()[-1] == last


@pytest.mark.parametrize(
    ("failing", "more"),
    [(1, "\n… 90 more: 90 PASS (--all"), (50, "\n… 139 more: 40 FAIL, 99 PASS (--all shows them)\n")],
)
@pytest.mark.parametrize("terminal", [True, False])
def test_many_components(failing: int, more: str, terminal: bool) -> None:
    """Rows that ask for attention are shown before rows that pass; what is left is counted by verdict."""
    rows = tuple(samples.component(f"x[{index}]", Verdict.FAIL, 1.0, 2.0) for index in range(failing))
    record = samples.MANY.changed(components=(*rows, *samples.MANY.components[1:]))

    assert more in record_text(record, Look(width=80, terminal=terminal))


def test_every_component_on_request() -> None:
    text = record_text(samples.MANY, Look(), every=True)

    assert text.count("PASS     x[") == 99
    assert "more" not in text
    assert text.endswith("\nfail · the gradient is wrong · 100 checked: 1 FAIL, 99 PASS · exit 1\n")


def test_verdicts_have_colours_and_words() -> None:
    """A verdict is coloured by what it counts as."""
    text = record_text(samples.FAILING, Look(width=200, coloured=True))

    assert "\x1b[1;31mFAIL   \x1b[0m" in text
    assert "\x1b[32mPASS   \x1b[0m" in text
    assert "\x1b[1;31mfail\x1b[0m · the gradient is wrong" in text


def test_in_ascii() -> None:
    """Every sign of the table has a form in ASCII."""
    text = record_text(samples.FAILING, Look(unicode=False))

    assert text.isascii()
    assert "22.0000000001 +- 3.2e-09" in text
    assert "fail | the gradient is wrong" in text


def long_numbers(**changes: object) -> Comparison:
    """A comparison whose numbers have all digits."""
    row = Component(
        "side_lengths[3]", Verdict.FAIL, 9443.439614566492, 9442.495365029989, 9442.495365029989, 9442.495365029989,
        9442.49536503, 2.2e-8, 0.00094, "off by 0.94425",
    )  # fmt: skip
    return samples.FAILING.changed(components=(row.changed(**changes),))


def table(record: Comparison, width: int) -> list[str]:
    """The lines of the table at a width, up to the empty line."""
    text = record_text(record, Look(width=width)).partition("value  100.0\n\n")[2]
    return text.partition("\n\n")[0].splitlines()


@pytest.mark.parametrize("width", range(58, 100, 6))
def test_the_reference_is_never_left_out(width: int) -> None:
    titles, _, row, *_ = table(long_numbers(), width)

    assert ["verdict", "component", "candidate", "symbolic"] == [word for word in titles.split() if word in (
        "verdict", "component", "candidate", "symbolic"
    )]  # fmt: skip
    assert "9442.495365" in row


def test_numbers_with_fewer_digits() -> None:
    _, _, row, *remark = table(long_numbers(), 58)

    assert row.split()[:4] == ["FAIL", "side_lengths[3]", "9443.439615", "9442.495365"]
    assert "at width 58 numbers to 10 digits; left out: reverse," in remark[0]


def test_the_differences_where_they_are_the_reference() -> None:
    titles, *_ = table(long_numbers(reverse=None, symbolic=None), 80)

    assert "differences" in titles
    assert "symbolic" not in titles


def test_a_row_as_lines_on_the_narrowest_screen() -> None:
    titles = [line.split()[0] for line in table(long_numbers(), 40)]

    assert titles[:6] == ["verdict", "component", "candidate", "reverse", "symbolic", "differences"]


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        ([Verdict.NOISY], "no reference could decide"),
        ([Verdict.KINK], "a strict check does not accept kinks"),
        ([Verdict.CUT, Verdict.PASS], "a strict check does not accept cut inputs"),
        ([Verdict.CUT, Verdict.KINK], "a strict check does not accept kinks and cut inputs"),
        ([Verdict.KINK, Verdict.NOISY], "no reference could decide"),
    ],
)
def test_the_last_line_of_an_inconclusive_check(verdicts: list[Verdict], said: str) -> None:
    rows = [row for each in verdicts for row in long_numbers(verdict=each).components]
    record = long_numbers().changed(verdict="inconclusive", components=tuple(rows))

    last = " ".join(record_text(record, Look()).split())

    assert f"inconclusive · {said} · {len(verdicts)} checked" in last
