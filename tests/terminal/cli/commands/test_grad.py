"""`gradcli grad`: what it asks, what it prints, how it ends."""

import json
from typing import Any

import pytest

from gradcli.errors import ExpressionError
from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples
from tests.terminal.render.test_gradient import VECTOR

JSON = {
    "schema": "gradcli/1",
    "command": "grad",
    "target": "examples/hyperbox.py:f4",
    "point": {"side_lengths": [1.0, 2.0, 3.0, 4.0]},
    "value": 100.0,
    "gradient": [52.0, 38.0, 28.0, 22.0],
    "reading": None,
    "findings": [],
}


@pytest.mark.parametrize(
    ("stream", "environment", "expected"),
    [
        ({}, {}, VECTOR),
        ({"terminal": True}, {"NO_COLOR": "1"}, VECTOR),  # the same text as in a pipe
        ({"terminal": True}, {"TERM": "dumb"}, VECTOR),
        ({"encoding": "ascii"}, {}, VECTOR.replace("─", "-")),
    ],
)
def test_a_gradient(
    stream: dict[str, Any], environment: dict[str, str], expected: str, call: Call, queries: Queries,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """The record goes to stdout, nothing to stderr, and the exit code is 0."""
    queries.answers("gradient", samples.GRADIENT)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    assert call("grad", "examples/hyperbox.py:f4", "--at", "1,2,3,4", **stream) == (0, expected, "")


def test_findings_go_to_stderr_or_into_the_json(call: Call, queries: Queries) -> None:
    queries.answers("gradient", samples.EXPRESSION)
    answer, as_json = (call("grad", "x^2 + sin(y)", "--at", "1,2", *more) for more in ((), ("--json",)))

    assert (answer.code, answer.err) == (0, "note[G401 unused input] hyperbox.py:3: z is never used.\n")
    assert "G401" not in answer.out
    assert [finding["code"] for finding in json.loads(as_json.out)["findings"]] == ["G401"]
    assert as_json.err == ""


def test_a_gradient_that_is_not_finite(call: Call, queries: Queries) -> None:
    """An infinite derivative is shown, and the exit code is 4; in JSON it is a text."""
    queries.answers("gradient", samples.NOT_FINITE)
    answer, as_json = call("grad", "sqrt(x)", "--at", "0"), call("grad", "sqrt(x)", "--at", "0", "--json")

    assert (answer.code, answer.out.splitlines()[-1]) == (4, "x     0.0    inf")
    assert (as_json.code, json.loads(as_json.out)["gradient"]) == (4, "Infinity")


def test_an_error_of_the_language(call: Call, queries: Queries) -> None:
    """An expression that cannot be read ends with 2, the place and the hint on stderr, nothing on stdout."""
    queries.answers("gradient", ExpressionError("There is no function sn.", "sn(x)", 0, 2, hint="Did you mean sin?"))
    expected = "error: There is no function sn.\n  sn(x)\n  ^^\nDid you mean sin?\n"

    assert call("grad", "sn(x)", "--at", "1") == (2, "", expected)


def test_what_the_function_prints(call: Call, queries: Queries) -> None:
    """What the user's code prints while it runs goes to stderr, so that stdout holds the result only."""

    def chatty() -> object:
        print("step 1")
        return samples.GRADIENT

    queries.answers("gradient", chatty)

    assert call("grad", "f.py:f", "--at", "1,2,3,4") == (0, VECTOR, "step 1\n")
