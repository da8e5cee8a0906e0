"""`gradcli check`: what it asks, what it prints, and the verdict as the exit code."""

import math

import pytest

import gradcli
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Comparison, Mutant, SelfTest
from gradcli.shared.records.result_and_finding import Finding
from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


def request_of(queries: Queries) -> CheckRequest:
    """What the first check was asked."""
    name, (target, _, request), _ = queries.asked[0]
    assert (name, target) == ("check", "f.py:f")
    return request


def test_a_gradient_that_fails(call: Call, queries: Queries) -> None:
    """A gradient that is wrong ends with 1, and names the component first."""
    queries.answers("check", samples.FAILING)
    answer = call("check", "f.py:f", "--against", "f.py:g", "--at", "1,2,3,4", "--strict", "--wrt", "x")

    assert answer.code == 1
    assert "FAIL     side_lengths[3]  26.0       22.0" in answer.out.splitlines()[7]
    assert CheckRequest(against="f.py:g", wrt="x", strict=True, resumes=True) == request_of(queries)


@pytest.mark.parametrize(
    ("expected", "verdict"), [(0, "pass"), (1, "fail"), (3, "inconclusive"), (4, "nonfinite"), (6, "unchecked")]
)
def test_the_verdict_is_the_exit_code(expected: int, verdict: str, call: Call, queries: Queries) -> None:
    """Every overall verdict has its exit code, in text and in JSON."""
    queries.answers("check", samples.PASSING.changed(verdict=verdict))

    assert call("check", "f.py:f", "--at", "1").code == expected
    assert call("check", "f.py:f", "--at", "1", "--json").code == expected


def test_how_it_is_run(call: Call, queries: Queries) -> None:
    queries.answers("check", samples.PASSING)
    typed = "--points 3 --box x=0:1 --box y=2:3 --seed 7 --max-seconds 1.5".split()
    answer = call("check", "f.py:f", "--at", "1", *typed)

    assert answer.code == 0
    expected = CheckRequest(points=3, box=("x=0:1", "y=2:3"), seed=7, max_seconds=1.5, resumes=True)
    assert request_of(queries) == expected


def test_what_was_stopped_has_its_exit_code(call: Call, queries: Queries) -> None:
    queries.answers("check", samples.PASSING.changed(stopped="interrupted"))
    answer = call("check", "f.py:f", "--at", "1")

    assert answer.code == 130
    assert "side_lengths[0]" in answer.out


def test_an_infinite_time_is_no_limit(call: Call, queries: Queries) -> None:
    queries.answers("check", samples.PASSING)

    assert call("check", "f.py:f", "--at", "1", "--max-seconds", "inf").code == 0
    assert request_of(queries).max_seconds == math.inf


@pytest.mark.parametrize(
    "typed",
    [("--points", "-1"), ("--seed", "a"), *(("--max-seconds", text) for text in ("x", "-1", "-inf", "nan", ""))],
)
def test_what_cannot_be_meant(typed: tuple[str, str], call: Call) -> None:
    answer = call("check", "f.py:f", "--at", "1", *typed)

    assert answer.code == 2
    assert typed[0] in answer.err


def test_what_was_said_before_is_not_said_again(call: Call, queries: Queries) -> None:
    """A finding that had to be known at once is not repeated at the end."""
    slow = Finding("G907", "note", "f takes 1 s")

    def check() -> Comparison:
        queries.asked[0][2]["listener"].say(slow)
        return samples.PASSING.changed(findings=(slow,))

    queries.answers("check", check)

    assert call("check", "f.py:f", "--at", "1").err == "note[G907 slow] f takes 1 s\n"


def test_a_bar_is_drawn_where_a_person_watches(call: Call, queries: Queries, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gradcli.terminal.cli.progress.PATIENCE", 0.0)
    monkeypatch.setattr("gradcli.terminal.cli.progress.EVERY", 0.0)

    def check() -> Comparison:
        queries.asked[-1][2]["listener"].tick(10, 40)
        return samples.PASSING

    queries.answers("check", check)

    assert "━━━━━━────────── 10 of" not in call("check", "f.py:f", "--at", "1").err
    shown = call("check", "f.py:f", "--at", "1", terminal=True).err
    assert "\r\x1b[K" + "━" * 6 + "─" * 18 + " 10 of about 40 calls" in shown
    assert shown.endswith("\r\x1b[K")


@pytest.mark.parametrize(("outcome", "expected"), [("caught", 0), ("missed", 1)])
def test_the_selftest_needs_no_target(outcome: str, expected: int, call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    record = SelfTest((Mutant("sin", "x", "sign", "-(cos(x))", outcome, "0.3"),), (), 1.0)
    monkeypatch.setattr(gradcli, "check_rules", lambda progress: record)

    assert call("check", "--selftest").code == expected
    assert call("check", "--selftest", "--json").code == expected


def test_without_a_target(call: Call) -> None:
    assert (2, "error: gradcli check needs a TARGET, and none came.") == (
        call("check").code, call("check").err.splitlines()[0]
    )  # fmt: skip
