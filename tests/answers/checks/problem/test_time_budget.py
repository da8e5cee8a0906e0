"""The time that a check may take."""

from __future__ import annotations

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

import numpy as np
import pytest

from gradcli.answers.checks import multi_point_check
from gradcli.answers.checks.multi_point_check import checked
from gradcli.answers.checks.problem import time_budget
from gradcli.answers.checks.problem.bound_check import BoundCheck
from gradcli.answers.checks.problem.compared_case import RunEnvironment
from gradcli.answers.checks.problem.time_budget import Clock, ProgressListener, deferred_interrupt
from gradcli.answers.targets.functions import function_target
from gradcli.engine.traces.trace import Trace
from gradcli.errors import Exit, OutOfTimeError
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Verdict

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


class Limited(time_budget.ProgressListener):
    """Keeps after how many seconds the process may be ended."""

    def __init__(self):
        self.limits = []

    def limited(self, seconds, given):
        self.limits.append((seconds, given))


def test_the_process_may_be_ended_later_than_the_code_is_interrupted_until_it_returns():
    told = Limited()
    time_budget.Clock(5, told).limit(lambda: None)
    (seconds, given), after = told.limits

    assert (given, after) == (5, (math.inf, 5))
    assert 5 + time_budget.GRACE + time_budget.LATE < seconds < 10


def test_it_has_as_much_time_again_to_judge_what_is_finished(monkeypatch):
    monkeypatch.setattr(time_budget, "GRACE", 0.01)
    monkeypatch.setattr(time_budget, "LATE", 0.01)
    told = Limited()
    clock = time_budget.Clock(0.05, told)

    def judges():
        with suppress(KeyboardInterrupt):
            time.sleep(PATIENCE)
        clock.stopped = "out of time"
        while len(told.limits) < 2:
            time.sleep(0.001)

    clock.limit(judges)

    assert ((0.05 + 0.01), 0.05) == told.limits[1]


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


RESUMES = CheckRequest(resumes=True)


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

    assert (stopped, heard.interruptions) == ("interrupted", 1)
    with pytest.raises(KeyboardInterrupt):
        press()


def judged(goes_on):
    """What a check of no more than 0.05 seconds returns, which `goes_on` to judge once the time is over."""
    clock = Clock(0.05)

    def work():
        with deferred_interrupt(clock, []):
            while goes_on(clock):
                time.sleep(0.001)
        return clock.stopped

    return clock.limit(work)


def test_the_end_of_the_time_leaves_time_to_judge_what_is_finished(monkeypatch):
    monkeypatch.setattr(time_budget, "GRACE", 0.01)

    assert judged(lambda clock: clock.stopped is None) == "out of time"


def test_what_is_finished_is_not_judged_forever(monkeypatch):
    monkeypatch.setattr(time_budget, "GRACE", 0.01)
    monkeypatch.setattr(time_budget, "LATE", 0.01)

    with pytest.raises(OutOfTimeError):
        judged(lambda clock: True)


def test_code_of_the_user_is_interrupted_at_once():
    """It may run without an end; so it is where it calls another function, or runs with other globals."""
    clock = Clock()

    def endless():
        press()

    again = type(endless)(endless.__code__.replace(), {"press": press}, "again", None, endless.__closure__)
    with deferred_interrupt(clock, [endless]), pytest.raises(KeyboardInterrupt):
        again()

    assert clock.stopped == "interrupted"


def test_the_rows_of_a_check_are_kept(monkeypatch):
    """As they are judged: there were no more calls to make."""
    compare = multi_point_check.compare

    def interrupted(*arguments, **options):
        found = compare(*arguments, **options)
        press()
        return found

    monkeypatch.setattr(multi_point_check, "compare", interrupted)
    target = function_target("f", "f", lambda x: np.sum(x * x))
    found = checked(BoundCheck(target, {"x": np.array([1.0, 2.0])}, ["x"], request=RESUMES))

    assert ("pass", "interrupted", Exit.INTERRUPTED) == (found.verdict, found.stopped, found.exit)
    assert [row.verdict for row in found.components] == [Verdict.PASS] * 2


class Program:
    """A function of four numbers with branches; it presses Ctrl-C in one of its calls, and counts those after it."""

    def __init__(self, enough: int, scale: float = 1.0) -> None:
        self.left, self.after, self.scale = enough, 0, scale

    def __call__(self, x):
        self.after += self.left <= 0
        self.left -= 1
        if not self.left:
            press()
        total = 0.0
        for k in range(4):
            total = total + (np.sin(x[k]) if x[k] > 0.15 else x[k] ** 2) * self.scale
        return total


POINT = {"x": np.array([0.1, 0.2, 0.3, 0.4])}


def interrupted_check(program, against=None):
    """The check of a program that presses Ctrl-C."""
    target = function_target("f", "f", lambda x: program(x))
    return checked(BoundCheck(target, POINT, ["x"], against, RESUMES))


def calls_of_a_check():
    """The number of calls that a check makes."""
    program = Program(10**9)
    interrupted_check(program)
    return 10**9 - program.left


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5, 0.8, 0.95])
def test_nothing_is_called_after_an_interruption(share):
    """Neither plainly nor for a record: the rows that are finished are judged by what is known."""
    program = Program(round(share * calls_of_a_check()))
    found = interrupted_check(program)
    verdicts = {row.verdict for row in found.components}

    assert (0, "interrupted", Exit.INTERRUPTED) == (program.after, found.stopped, found.exit)
    assert Verdict.PASS in verdicts <= {Verdict.PASS, Verdict.SKIPPED}
    assert not {"G303", "G304", "G301"} & {each.code for each in found.findings}


def test_an_interruption_in_the_last_run_keeps_all_rows():
    """It repeats a call that was made before."""
    found = interrupted_check(Program(calls_of_a_check()))

    assert [found.stopped, *(row.verdict for row in found.components)] == ["interrupted", *[Verdict.PASS] * 4]


def test_an_interruption_of_a_run_for_the_findings_keeps_the_rows():
    """A recorded run with the user's names and lines, which says where an input is rounded."""
    clock = Clock()

    def interrupted():
        clock.stopped = "interrupted"
        raise KeyboardInterrupt

    target = function_target("f", "f", lambda x, y: x + math.floor(y))
    host = RunEnvironment(named=interrupted)
    found = checked(BoundCheck(target, {"x": 0.3, "y": 0.7}, ["x", "y"], request=RESUMES, host=host, clock=clock))

    assert ("interrupted", {"x": Verdict.PASS, "y": Verdict.CUT}) == (
        found.stopped,
        {row.name: row.verdict for row in found.components},
    )


def test_a_wrong_gradient_fails_after_an_interruption_too():
    """If its row is finished."""
    against = function_target("g", "g", lambda x: np.array([0.2, *(1.5 * np.cos(x[1:]))]))
    found = interrupted_check(Program(60), against)

    assert (found.verdict, found.stopped) == ("fail", "interrupted")


def test_the_work_after_an_interruption_does_not_grow_with_the_inputs(monkeypatch):
    """Two sweeps of the run in all, and none for each number that is left."""
    sweeps, usual = [], Trace.tangents
    monkeypatch.setattr(Trace, "tangents", lambda self, *given: sweeps.append(1) or usual(self, *given))
    counts = []
    for size in (8, 40):
        program = Program(30)
        target = function_target("f", "f", lambda x, program=program: program(x[:4]) + np.sum(x[4:] ** 2))
        point = {"x": np.linspace(0.1, 0.5, size)}
        sweeps.clear()
        checked(BoundCheck(target, point, ["x"], request=RESUMES))
        counts.append(len(sweeps))

    assert counts[0] == counts[1] <= 3


def test_who_does_not_resume_is_interrupted(monkeypatch):
    """As a user of the library is."""

    def interrupted(*arguments, **options):
        press()

    monkeypatch.setattr(multi_point_check, "compare", interrupted)
    target = function_target("f", "f", lambda x: x * x)
    with pytest.raises(KeyboardInterrupt):
        checked(BoundCheck(target, {"x": 1.0}, ["x"]))
