"""`gradcli hessian`: what it asks, what it prints."""

import json

from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


def test_a_hessian(call: Call, queries: Queries) -> None:
    queries.answers("hessian", samples.HESSIAN)
    answer = call("hessian", "f.py:g", "--at", "x=[1,2],k=3", "--wrt", "x,k")

    assert (answer.code, answer.out.splitlines()[-1]) == (0, "k          0.5      7.0      9.0")
    assert queries.asked == [("hessian", ("f.py:g", "x=[1,2],k=3"), {"wrt": "x,k", "device": "cpu"})]


def test_json(call: Call, queries: Queries) -> None:
    queries.answers("hessian", samples.HESSIAN)
    answer = call("hessian", "f.py:g", "--at", "x=[1,2],k=3", "--json")

    assert answer.code == 0
    assert json.loads(answer.out)["hessian"]["k"] == {"x": [0.5, 7.0], "k": 9.0}


def test_a_hessian_that_is_not_finite(call: Call, queries: Queries) -> None:
    queries.answers("hessian", samples.HESSIAN.changed(hessian={"x": {"x": float("nan")}}))

    assert call("hessian", "f.py:g", "--at", "1", "--json").code == 4
