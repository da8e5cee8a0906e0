"""Ctrl-C while a check judges what it has gathered."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from gradcli.checks import complete_check
from gradcli.checks.complete_check import Plan, checked
from gradcli.checks.problem.interrupts import deferred_interrupt
from gradcli.checks.problem.time_budget import Clock, ProgressListener
from gradcli.errors import Exit
from gradcli.records import Verdict
from gradcli.targets.functions import function_target


class Heard(ProgressListener):
    """Counts the interruptions that it is told of."""

    interruptions = 0

    def interrupted(self):
        self.interruptions += 1


@pytest.fixture(autouse=True)
def default_handler():
    """As in a process of its own, whatever runs the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press():
    """Ctrl-C."""
    signal.raise_signal(signal.SIGINT)


def test_the_first_stops_the_clock_and_the_second_interrupts():
    """And afterwards the first does again."""
    heard = Heard()
    clock = Clock(listener=heard)
    with deferred_interrupt(clock, []):
        press()
        stopped = clock.stopped
        with pytest.raises(KeyboardInterrupt):
            press()

    assert ("interrupted", 1) == (stopped, heard.interruptions)
    with pytest.raises(KeyboardInterrupt):
        press()


def test_code_of_the_user_is_interrupted_at_once():
    """It may run without an end; so it is where it calls another function, or runs with other globals."""
    clock = Clock()

    def endless():
        press()

    again = type(endless)(endless.__code__.replace(), {"press": press}, "again", None, endless.__closure__)
    with deferred_interrupt(clock, [endless]), pytest.raises(KeyboardInterrupt):
        again()

    assert clock.stopped is None


def test_the_rows_of_a_check_are_kept(monkeypatch):
    """As they are judged: there were no more calls to make."""
    compare = complete_check.compare

    def interrupted(*arguments, **options):
        found = compare(*arguments, **options)
        press()
        return found

    monkeypatch.setattr(complete_check, "compare", interrupted)
    target = function_target("f", "f", lambda x: np.sum(x * x))
    found = checked(target, {"x": np.array([1.0, 2.0])}, ["x"], Plan(resumes=True))

    assert ("pass", "interrupted", Exit.INTERRUPTED) == (found.verdict, found.stopped, found.exit)
    assert [Verdict.PASS] * 2 == [row.verdict for row in found.components]


def test_who_does_not_resume_is_interrupted(monkeypatch):
    """As a user of the library is."""

    def interrupted(*arguments, **options):
        press()

    monkeypatch.setattr(complete_check, "compare", interrupted)
    target = function_target("f", "f", lambda x: x * x)
    with pytest.raises(KeyboardInterrupt):
        checked(target, {"x": 1.0}, ["x"], Plan())
