"""`gradcli step`: off a terminal it says so; what it is told to walk through is looked at first."""

import sys

import pytest

from tests.terminal.cli.conftest import Call, Queries, Stream


def test_off_a_terminal(call: Call, queries: Queries) -> None:
    answer = call("step", "f.py:f", "--at", "1")

    assert answer == (2, "", "error: step needs a terminal.\n`gradcli explain` prints the same as text.\n")
    assert queries.asked == []


def test_a_missing_target(call: Call) -> None:
    assert "gradcli step needs a TARGET" in call("step").err


@pytest.mark.parametrize("option", ["--json", "--width"])
def test_it_has_no_other_form(option: str, call: Call) -> None:
    """A screen is neither JSON nor so many columns wide."""
    assert call("step", "f.py:f", "--at", "1", option).code == 2


def test_at_a_dumb_terminal(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    screen = Stream(terminal=True)
    monkeypatch.setattr(sys, "stdin", screen)
    monkeypatch.setattr(sys, "__stdout__", screen)
    monkeypatch.setenv("TERM", "dumb")

    assert (2, "error: step needs a terminal.") == (
        (answer := call("step", "x^2", "--at", "1")).code,
        answer.err.splitlines()[0],
    )
