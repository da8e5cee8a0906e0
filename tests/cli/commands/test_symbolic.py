"""`gradcli symbolic`: what it asks, what it prints."""

import json

from tests.cli.conftest import Call, Queries
from tests.render import samples


def test_formulas(call: Call, queries: Queries) -> None:
    """The formulas go to stdout; no point is needed."""
    queries.answers("symbolic", samples.CLOSED_FORM)
    answer = call("symbolic", "x^2 + sin(y)")

    assert 0 == answer.code
    assert "∂/∂y  = cos(y)\n" in answer.out
    assert [("symbolic", ("x^2 + sin(y)", None), {})] == queries.asked


def test_latex(call: Call, queries: Queries) -> None:
    queries.answers("symbolic", samples.CLOSED_FORM)
    answer = call("symbolic", "--format", "latex", "x^2 + sin(y)", "--at", "1,2")

    assert 0 == answer.code
    assert r"\frac{\partial f}{\partial x} = 2 x" == answer.out.splitlines()[1]
    assert [("symbolic", ("x^2 + sin(y)", "1,2"), {})] == queries.asked


def test_json_has_both(call: Call, queries: Queries) -> None:
    queries.answers("symbolic", samples.CLOSED_FORM)
    answer = call("symbolic", "x^2 + sin(y)", "--json")

    assert 0 == answer.code
    assert {"x": "2*x", "y": "cos(y)"} == json.loads(answer.out)["gradient"]
    assert "2 x" == json.loads(answer.out)["latex"]["x"]
