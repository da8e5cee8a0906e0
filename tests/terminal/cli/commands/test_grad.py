"""`gradcli grad`: what it asks, what it prints, how it ends."""

import json

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


def test_a_gradient(call: Call, queries: Queries) -> None:
    """The record goes to stdout, nothing to stderr, and the exit code is 0."""
    queries.answers("gradient", samples.GRADIENT)

    assert call("grad", "examples/hyperbox.py:f4", "--at", "1,2,3,4") == (0, VECTOR, "")


def test_what_is_asked(call: Call, queries: Queries) -> None:
    """Target, point, names and device are handed on as typed."""
    queries.answers("gradient", samples.GRADIENT)
    call("grad", "--wrt", "x,y", "f.py:f", "--device", "gpu", "--at", "x=[1, 2],y=3")

    assert queries.asked == [("gradient", ("f.py:f", "x=[1, 2],y=3"), {"wrt": "x,y", "device": "gpu"})]


def test_json(call: Call, queries: Queries) -> None:
    queries.answers("gradient", samples.GRADIENT)
    answer = call("grad", "f.py:f", "--at", "1,2,3,4", "--json")

    assert answer.code == 0
    assert json.loads(answer.out) == JSON
    assert answer.out.count("\n") == 1
    assert answer.err == ""


def test_findings_go_to_stderr(call: Call, queries: Queries) -> None:
    queries.answers("gradient", samples.EXPRESSION)
    answer = call("grad", "x^2 + sin(y)", "--at", "1,2")

    assert answer.code == 0
    assert answer.err == "note[G401 unused input] hyperbox.py:3: z is never used.\n"
    assert "G401" not in answer.out


def test_findings_are_in_the_json(call: Call, queries: Queries) -> None:
    queries.answers("gradient", samples.EXPRESSION)
    answer = call("grad", "x^2 + sin(y)", "--at", "1,2", "--json")

    assert [finding["code"] for finding in json.loads(answer.out)["findings"]] == ["G401"]
    assert answer.err == ""


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


def test_the_same_text_on_a_terminal_and_in_a_pipe(
    call: Call, queries: Queries, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries.answers("gradient", samples.GRADIENT)
    monkeypatch.setenv("NO_COLOR", "1")

    assert call("grad", "f.py:f", "--at", "1,2,3,4", terminal=True).out == VECTOR


def test_in_colour_on_a_terminal(call: Call, queries: Queries) -> None:
    queries.answers("gradient", samples.GRADIENT)

    assert "\x1b[1m52.0\x1b[0m" in call("grad", "f.py:f", "--at", "1,2,3,4", terminal=True).out


def test_a_dumb_terminal(call: Call, queries: Queries, monkeypatch: pytest.MonkeyPatch) -> None:
    queries.answers("gradient", samples.GRADIENT)
    monkeypatch.setenv("TERM", "dumb")

    assert call("grad", "f.py:f", "--at", "1,2,3,4", terminal=True).out == VECTOR


def test_an_encoding_without_our_signs(call: Call, queries: Queries) -> None:
    queries.answers("gradient", samples.GRADIENT)
    answer = call("grad", "f.py:f", "--at", "1,2,3,4", encoding="ascii")

    assert (0, VECTOR.replace("─", "-")) == (answer.code, answer.out)


def test_a_width(call: Call, queries: Queries) -> None:
    queries.answers("gradient", samples.GRADIENT)
    answer = call("grad", "f.py:f", "--at", "1,2,3,4", "--width", "30")

    assert "at width 30 left out: point" in answer.out
