"""`gradcli symbolic`: one formula a line, in the formula language or in LaTeX."""

import pytest

from gradcli.shared.records.closed_form import ClosedForm
from gradcli.shared.records.result_and_finding import Finding
from gradcli.terminal.render import Look, record_text
from gradcli.terminal.render.closed_form import latex_name
from tests.terminal.render import samples


@pytest.mark.parametrize(
    ("expected", "reading", "chosen", "findings"),
    [
        ("at x=1.0", "f(x) = x**2", False, ()),
        ("at x=1.0, chosen for want of --at", None, True, ()),
        ("at x=1.0, chosen for want of --at", "f(x) = x**2", True, (Finding("G806", "note", "along a path"),)),
        ("", "f(x) = x**2", True, ()),
    ],
)
def test_the_point_whose_path_is_followed(expected, reading, chosen, findings) -> None:
    """Except where it was chosen and the formula of an expression holds everywhere."""
    record = ClosedForm("f", ("x",), "x**2", {"x": "2*x"}, {}, None, reading, findings, {"x": 1.0}, chosen)
    lines = record_text(record, Look()).splitlines()

    assert next((each for each in lines if each.startswith("at ")), "") == expected


def test_a_formula_is_never_broken() -> None:
    """A formula stays on one line however narrow the terminal, so that it can be copied."""
    long = " + ".join(f"x**{power}" for power in range(50))
    record = ClosedForm("f.py:f", ("x",), long, {"x": long}, {})

    assert f"value = {long}" in record_text(record, Look(width=40, terminal=True)).splitlines()


def test_in_ascii() -> None:
    """Where the sign of a partial derivative cannot be written, d stands for it, aligned."""
    lines = record_text(samples.CLOSED_FORM, Look(unicode=False)).splitlines()

    assert lines[3:6] == ["value = x**2 + sin(y)", "d/dx  = 2*x", "d/dy  = cos(y)"]


def test_latex_of_one_input() -> None:
    record = ClosedForm("x**2", ("x",), "x**2", {"x": "2*x"}, {"value": "x^{2}", "x": "2 x"})

    assert "f = x^{2}\n\\frac{\\mathrm{d} f}{\\mathrm{d} x} = 2 x\n" == record_text(
        record, Look(width=20), form="latex"
    )


@pytest.mark.parametrize(
    ("expected", "name"),
    [
        ("x", "x"),
        ("x_{0}", "x[0]"),
        ("w_{0,1}", "w[0,1]"),
        (r"\mathrm{t\_ab}", "t_ab"),
        (r"\mathrm{side}_{2}", "side[2]"),
    ],
)
def test_names_in_latex(expected: str, name: str) -> None:
    """A letter stays italic, a word is upright, an index is a subscript."""
    assert latex_name(name) == expected
