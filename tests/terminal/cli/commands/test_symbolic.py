"""`gradcli symbolic`: what it asks, what it prints."""

import json

from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


def test_formulas(call: Call, queries: Queries) -> None:
    """The formulas go to stdout; no point is needed."""
    queries.answers("symbolic", samples.CLOSED_FORM)
    answer = call("symbolic", "x^2 + sin(y)")

    assert answer.code == 0
    assert "∂/∂y  = cos(y)\n" in answer.out
    assert queries.asked == [("symbolic", ("x^2 + sin(y)", None), {"wrt": None})]


def test_latex(call: Call, queries: Queries) -> None:
    queries.answers("symbolic", samples.CLOSED_FORM)
    answer = call("symbolic", "--format", "latex", "x^2 + sin(y)", "--at", "1,2")

    assert answer.code == 0
    assert answer.out.splitlines()[1] == r"\frac{\partial f}{\partial x} = 2 x"
    assert queries.asked == [("symbolic", ("x^2 + sin(y)", "1,2"), {"wrt": None})]


def test_json_has_both(call: Call, queries: Queries) -> None:
    queries.answers("symbolic", samples.CLOSED_FORM)
    answer = call("symbolic", "x^2 + sin(y)", "--json")

    assert answer.code == 0
    assert json.loads(answer.out)["gradient"] == {"x": "2*x", "y": "cos(y)"}
    assert json.loads(answer.out)["latex"]["x"] == "2 x"
