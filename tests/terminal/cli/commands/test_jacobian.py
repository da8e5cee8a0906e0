"""`gradcli jacobian`: what it asks, what it prints."""

import json

from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


def test_a_jacobian(call: Call, queries: Queries) -> None:
    queries.answers("jacobian", samples.JACOBIAN)
    answer = call("jacobian", "f.py:g", "--at", "x=[1,2],k=3", "--wrt", "x")

    assert (answer.code, answer.out.splitlines()[-1]) == (0, "value[2]   1e-10     3.0     8.0")
    assert queries.asked == [("jacobian", ("f.py:g", "x=[1,2],k=3"), {"wrt": "x", "device": "cpu"})]


def test_json(call: Call, queries: Queries) -> None:
    queries.answers("jacobian", samples.JACOBIAN)
    answer = call("jacobian", "f.py:g", "--at", "x=[1,2],k=3", "--json")

    assert answer.code == 0
    assert json.loads(answer.out)["jacobian"] == {"x": [[1.0, 2.0], [0.5, -0.25], [1e-10, 3.0]], "k": [0.0, 7.0, 8.0]}
