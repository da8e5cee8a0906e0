"""`gradcli tape`: what it asks, what it prints."""

from __future__ import annotations

import json

from tests.cli.conftest import Call, Queries
from tests.render import samples


def test_a_tape(call: Call, queries: Queries) -> None:
    """The nodes go to stdout, with the names of the user."""
    queries.answers("tape", samples.TAPE)
    answer = call("tape", "examples/hyperbox.py:f4", "--at", "2,3,4,5")

    assert 0 == answer.code
    assert "  %3  t_ab          mul t_a, t_b          6.0" in answer.out
    assert [("tape", ("examples/hyperbox.py:f4", "2,3,4,5"), {"device": "cpu"})] == queries.asked


def test_json(call: Call, queries: Queries) -> None:
    """In JSON a node has all its fields."""
    queries.answers("tape", samples.TAPE)
    answer = call("tape", "f.py:f", "--at", "2,3,4,5", "--json")
    expected = {
        "index": 3,
        "name": "t_ab",
        "operation": "mul",
        "inputs": [1, 2],
        "value": 6.0,
        "sensitivity": 18.0,
        "file": samples.FILE,
        "line": 12,
        "source": "    t_ab = t_a * t_b",
        "expression": None,
    }

    assert (0, expected) == (answer.code, json.loads(answer.out)["nodes"][3])
