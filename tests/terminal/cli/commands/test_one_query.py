"""The commands that ask one query: `hessian`, `jacobian`, `precision`, `symbolic`: what they ask, print, end with."""

import json
import math
from typing import Any

import pytest

from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples

POINT = ("--at", "x=[1,2],k=3")
ANSWERED = {
    "hessian": ((*POINT, "--wrt", "x,k"), {"wrt": "x,k", "device": "cpu"}, samples.HESSIAN,
        "k          0.5      7.0      9.0", {"hessian": {"k": {"x": [0.5, 7.0], "k": 9.0}}}),
    "jacobian": ((*POINT, "--wrt", "x"), {"wrt": "x", "device": "cpu"}, samples.JACOBIAN,
        "value[2]   1e-10     3.0     8.0",
        {"jacobian": {"x": [[1.0, 2.0], [0.5, -0.25], [1e-10, 3.0]], "k": [0.0, 7.0, 8.0]}}),
    "precision": ((*POINT, "--wrt", "x"), {"wrt": "x", "libraries": False}, samples.PRECISION,
        "in place of 1.0 - cos(x) write 2 * sin(x / 2)**2",  # lost digits are no failure
        {"value": {"name": "value", "value": 0.4999999969612645, "error": 8.9e-08, "digits": 6.8}}),
    "symbolic": ((), {"wrt": None}, samples.CLOSED_FORM, "∂/∂y  = cos(y)",
        {"gradient": {"x": "2*x", "y": "cos(y)"}, "latex": {"x": "2 x"}}),
}  # fmt: skip


@pytest.mark.parametrize("command", ANSWERED)
def test_what_is_asked_and_printed(command: str, call: Call, queries: Queries) -> None:
    """The record goes to stdout, as text and as JSON; where no point is needed, none is asked for."""
    options, asked, record, last, fields = ANSWERED[command]
    queries.answers(command, record)
    answer, as_json = (call(command, "f.py:g", *options, *more) for more in ((), ("--json",)))
    body = json.loads(as_json.out)

    assert (answer.code, answer.err, last in answer.out.splitlines()) == (0, "", True)
    assert queries.asked == [(command, ("f.py:g", options[1] if options else None), asked)] * 2
    assert (as_json.code, {name: holds(body[name], held) for name, held in fields.items()}) == (
        0,
        dict.fromkeys(fields, True),
    )


def holds(body: Any, held: Any) -> bool:
    """Whether a JSON value has certain fields, at any depth."""
    if isinstance(held, dict):
        return all(holds(body[name], part) for name, part in held.items())
    return bool(body == held)


LOST = samples.PRECISION.value.changed(value=math.inf)


@pytest.mark.parametrize(
    ("command", "record"),
    [
        ("hessian", samples.HESSIAN.changed(hessian={"x": {"x": math.nan}})),
        ("precision", samples.PRECISION.changed(value=LOST)),
    ],
)
def test_what_is_not_finite(command: str, record: Any, call: Call, queries: Queries) -> None:
    queries.answers(command, record)

    assert call(command, "f.py:g", "--at", "1", "--json").code == 4


def test_formulas_as_latex(call: Call, queries: Queries) -> None:
    queries.answers("symbolic", samples.CLOSED_FORM)
    answer = call("symbolic", "--format", "latex", "x^2 + sin(y)", "--at", "1,2")

    assert (answer.code, answer.out.splitlines()[1]) == (0, r"\frac{\partial f}{\partial x} = 2 x")
    assert queries.asked == [("symbolic", ("x^2 + sin(y)", "1,2"), {"wrt": None})]
