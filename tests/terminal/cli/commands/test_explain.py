"""`gradcli explain`: what it asks, what it prints."""

import pytest

from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


@pytest.mark.parametrize("text", ["0", "x", "2.", "5"])
def test_no_iteration(text: str, call: Call, queries: Queries) -> None:
    queries.answers("explain", samples.EXPLAINED_LOOP)

    assert call("explain", "f.py:f", "--at", "2", "--iteration", text).code == 2


def test_what_is_not_finite(call: Call, queries: Queries) -> None:
    """It has its own exit code, as `grad` has."""
    queries.answers("explain", samples.EXPLANATION.changed(gradient={"x": float("nan"), "y": 1.0}))

    assert call("explain", "f.py:f", "--at", "2,3").code == 4


@pytest.mark.parametrize(
    ("along", "options"), [(None, ["--forward"]), ("x", ["--along", "x"]), ("x", ["--forward", "--along", "x"])]
)
def test_forwards(along: str | None, options: list[str], call: Call, queries: Queries) -> None:
    queries.answers("forward_sweep", samples.FORWARD_SWEEP)
    answer = call("explain", "f.py:f", "--at", "2,3", *options)

    assert (answer.code, answer.out.splitlines()[-1]) == (0, "the derivative in this direction  3.0")
    assert [("forward_sweep", ("f.py:f", "2,3"), {"along": along, "wrt": None, "libraries": False})] == queries.asked


def test_options_that_exclude_each_other(call: Call) -> None:
    answer = call("explain", "f.py:f", "--at", "2,3", "--node", "p", "--along", "x")

    assert (answer.code, answer.err) == (2, "error: --node and --along ask for different things.\nGive one of them.\n")
