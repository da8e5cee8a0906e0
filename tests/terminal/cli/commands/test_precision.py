"""`gradcli precision`: what it asks, what it prints, with which exit code."""

import json
import math

from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


def test_precision(call: Call, queries: Queries) -> None:
    """The digits go to stdout; lost ones are no failure."""
    queries.answers("precision", samples.PRECISION)
    answer = call("precision", "bell.py:bell", "--at", "x=1e-4,y=2", "--wrt", "x")

    assert (answer.code, answer.out.splitlines()[-1]) == (0, "in place of 1.0 - cos(x) write 2 * sin(x / 2)**2")
    assert queries.asked == [("precision", ("bell.py:bell", "x=1e-4,y=2"), {"wrt": "x", "libraries": False})]


def test_json(call: Call, queries: Queries) -> None:
    queries.answers("precision", samples.PRECISION)
    answer = call("precision", "bell.py:bell", "--at", "x=1e-4,y=2", "--json")
    body = json.loads(answer.out)

    assert body["value"] == {"name": "value", "value": 0.4999999969612645, "error": 8.9e-08, "digits": 6.8}
    assert [node["rewrite"] for node in body["nodes"]] == [None, "2 * sin(x / 2)**2"]


def test_what_is_not_finite(call: Call, queries: Queries) -> None:
    lost = samples.PRECISION.value.changed(value=math.inf)
    queries.answers("precision", samples.PRECISION.changed(value=lost))

    assert call("precision", "bell.py:bell", "--at", "x=1e-4,y=2").code == 4
