"""The time that a check may take."""

import math
import queue
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from gradcli.answers.checks.problem import time_budget
from gradcli.errors import OutOfTimeError

PATIENCE = 20.0  # seconds, after which a call that nobody ends gives up


def waits():
    """A call that goes on for long, whatever Ctrl-C does."""
    signal.raise_signal(signal.SIGINT)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        pass


def waits_for_a_program():
    """Which waits itself, in a process of its own."""
    subprocess.run([sys.executable, "-c", f"import time; time.sleep({PATIENCE})"], check=True)


def waits_for_a_socket():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        select.select([ours], [], [], PATIENCE)


BLOCKING = {
    "time.sleep": lambda: time.sleep(PATIENCE),
    "queue.get": lambda: queue.Queue().get(timeout=PATIENCE),
    "Event.wait": lambda: threading.Event().wait(PATIENCE),
    "subprocess.run": waits_for_a_program,
    "select": waits_for_a_socket,
}


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="such a call ends when it returns")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a program that was killed
@pytest.mark.parametrize("name", BLOCKING)
def test_the_alarm_ends_a_call_that_waits_in_the_system(name, monkeypatch):
    monkeypatch.setattr(time_budget, "GRACE", 0.05)
    started = time.monotonic()
    with pytest.raises(OutOfTimeError):
        time_budget.Clock(0.05).limit(BLOCKING[name])

    assert time.monotonic() - started < PATIENCE / 2


def test_no_alarm_rings_after_the_end(monkeypatch):
    monkeypatch.setattr(time_budget, "GRACE", 0.0)
    for n in range(200):
        with suppress(OutOfTimeError):
            time_budget.Clock(0.001).limit(lambda: time.sleep(0.001 + 1e-6 * (n - 100)))


@pytest.mark.parametrize("seconds", [None, math.inf])
def test_no_time_and_an_infinite_one_are_no_limit(seconds):
    before = threading.active_count()

    assert before == time_budget.Clock(seconds).limit(threading.active_count)


@pytest.fixture
def ignored():
    """A process that ignores Ctrl-C, as one does that a script started in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    yield
    signal.signal(signal.SIGINT, before)


def test_the_alarm_rings_where_ctrl_c_is_ignored(ignored, monkeypatch):
    monkeypatch.setattr(time_budget, "GRACE", 0.1)
    started = time.monotonic()
    with pytest.raises(OutOfTimeError):
        time_budget.Clock(0.1).limit(waits)

    assert time.monotonic() - started < PATIENCE / 2
    assert signal.SIG_IGN is signal.getsignal(signal.SIGINT)


class Told(time_budget.ProgressListener):
    """Lets the code end once it is told that the code ignores the interrupt."""

    def __init__(self):
        self.errors = []

    def ignored(self, error):
        self.errors.append(error)


def ignores_an_interrupt(told):
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not told.errors:
        with suppress(BaseException):
            time.sleep(0.01)


def ignores_the_signal(told):
    """Code that turns it off."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        ignores_an_interrupt(told)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("code", [ignores_an_interrupt, ignores_the_signal])
def test_code_that_ignores_the_interrupt_is_told_of(code, monkeypatch):
    monkeypatch.setattr(time_budget, "GRACE", 0.05)
    monkeypatch.setattr(time_budget, "LATE", 0.05)
    told = Told()
    time_budget.Clock(0.05, told).limit(lambda: code(told))

    assert [error.kind for error in told.errors] == ["timeout"]


def test_code_that_ends_soon_after_the_interrupt_is_not_told_of(monkeypatch):
    monkeypatch.setattr(time_budget, "GRACE", 0.05)
    told = Told()

    def tidies_up():
        try:
            time.sleep(PATIENCE)
        finally:
            time.sleep(0.05)

    with pytest.raises(OutOfTimeError):
        time_budget.Clock(0.05, told).limit(tidies_up)

    assert not told.errors
