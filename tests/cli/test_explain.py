"""`gradcli explain`: what it asks, what it prints."""

from __future__ import annotations

import json

from tests.cli.conftest import Call, Queries
from tests.render import samples


def test_an_explanation(call: Call, queries: Queries) -> None:
    """The sweep goes to stdout."""
    queries.answers("explain", samples.EXPLANATION)
    answer = call("explain", "f.py:f", "--at", "2,3", "--wrt", "x")

    assert (0, "") == (answer.code, answer.err)
    assert "  s_x += y * s_p  3.0 = 0.0 + 3.0" in answer.out
    assert [("explain", ("f.py:f", "2,3"), {"wrt": "x"})] == queries.asked


def test_every_turn(call: Call, queries: Queries) -> None:
    """A loop is folded; with --expand it is not."""
    queries.answers("explain", samples.EXPLAINED_LOOP)

    assert "×4" in call("explain", "f.py:f", "--at", "2").out
    assert "×4" not in call("explain", "f.py:f", "--at", "2", "--expand").out


def test_json(call: Call, queries: Queries) -> None:
    """In JSON every number is whole, and no loop is folded."""
    queries.answers("explain", samples.EXPLAINED_LOOP)
    body = json.loads(call("explain", "f.py:f", "--at", "2", "--json").out)
    addition = {"node": 3, "name": "s_x#4", "term": "2 * s_x#5", "amount": 2.0, "before": 0.0, "after": 2.0}

    assert ("explain", 4, 16.0) == (body["command"], len(body["statements"]), body["gradient"])
    assert [addition] == body["statements"][0]["additions"]


def test_what_is_not_finite(call: Call, queries: Queries) -> None:
    """It has its own exit code, as `grad` has."""
    queries.answers("explain", samples.EXPLANATION.changed(gradient={"x": float("nan"), "y": 1.0}))

    assert 4 == call("explain", "f.py:f", "--at", "2,3").code
