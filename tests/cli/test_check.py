"""`gradcli check`: what it asks, what it prints, and the verdict as the exit code."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Call, Queries
from tests.render import samples


def test_a_gradient_that_passes(call: Call, queries: Queries) -> None:
    """A gradient that is right ends with 0."""
    queries.answers("check", samples.PASSING)
    answer = call("check", "f.py:f", "--at", "1,2,3,4")

    assert (0, "") == (answer.code, answer.err)
    assert "pass · the gradient is right · 2 checked: 2 PASS · exit 0\n" == answer.out.splitlines(keepends=True)[-1]
    assert [("check", ("f.py:f", "1,2,3,4"), {"against": None, "wrt": None, "strict": False})] == queries.asked


def test_a_gradient_that_fails(call: Call, queries: Queries) -> None:
    """A gradient that is wrong ends with 1, and names the component first."""
    queries.answers("check", samples.FAILING)
    answer = call("check", "f.py:f", "--against", "f.py:g", "--at", "1,2,3,4", "--strict", "--wrt", "x")

    assert 1 == answer.code
    assert "FAIL     side_lengths[3]  26.0       22.0" in answer.out.splitlines()[7]
    assert [("check", ("f.py:f", "1,2,3,4"), {"against": "f.py:g", "wrt": "x", "strict": True})] == queries.asked


@pytest.mark.parametrize(
    ("expected", "verdict"), [(0, "pass"), (1, "fail"), (3, "inconclusive"), (4, "nonfinite"), (6, "unchecked")]
)
def test_the_verdict_is_the_exit_code(expected: int, verdict: str, call: Call, queries: Queries) -> None:
    """Every overall verdict has its exit code, in text and in JSON."""
    queries.answers("check", samples.PASSING.changed(verdict=verdict))

    assert expected == call("check", "f.py:f", "--at", "1").code
    assert expected == call("check", "f.py:f", "--at", "1", "--json").code


def test_json(call: Call, queries: Queries) -> None:
    """In JSON a component has a number or null for each method."""
    queries.answers("check", samples.FAILING)
    answer = call("check", "f.py:f", "--against", "f.py:g", "--at", "1,2,3,4", "--json")
    kink = json.loads(answer.out)["components"][1]

    assert (1, "fail") == (answer.code, json.loads(answer.out)["verdict"])
    assert ("KINK", 0.0, None, None) == (kink["verdict"], kink["candidate"], kink["reference"], kink["symbolic"])
