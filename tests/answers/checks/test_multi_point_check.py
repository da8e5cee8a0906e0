"""A whole check: what it asks, what it adds, how it stops."""

import functools
import math
import random
import re
import sys
import time
import types

import numpy as np
import pytest

import gradcli
from examples import hyperbox
from gradcli.answers.checks import multi_point_check
from gradcli.answers.checks.multi_point_check import checked
from gradcli.answers.checks.problem.bound_check import BoundCheck
from gradcli.answers.checks.problem.time_budget import Clock, ProgressListener
from gradcli.answers.targets.functions import function_target
from gradcli.errors import Exit, OutOfTimeError
from gradcli.methods.numerics import deadline
from gradcli.shared.records.check_request import CheckRequest
from gradcli.shared.records.checks import Verdict


class Heard(ProgressListener):
    """Remembers what it was told; interrupts after some calls."""

    def __init__(self, enough: int = 10**9) -> None:
        self.said = []
        self.texts = []
        self.calls = 0
        self.enough = enough

    def say(self, found):
        self.said.append(found.code)
        self.texts.append(found.message)

    def tick(self, calls, expected):
        self.calls = calls


def codes(found):
    """The codes of the findings of a comparison."""
    return [each.code for each in found.findings]


def square(x):
    """Smooth."""
    return x * x


def wrong_beyond_3(x):
    """A derivative of the square that is right below 3."""
    return 2 * x if x < 3 else 2.1 * x


def test_random_functions_are_frozen():
    """Each run draws the same numbers, so that the gradient can be checked; afterwards all is as before."""
    random.seed(5)
    found = gradcli.check(lambda x: x * x * random.random(), at=2.0)
    after = random.random()
    random.seed(5)

    assert (found.verdict, codes(found)) == ("pass", ["G901"])
    assert random.random() == after


def test_a_function_that_is_none_is_not_judged():
    """A gradient of another run is NOISY, and not wrong; that of the run itself is right."""

    def f(x):
        return x * time.perf_counter_ns()

    found = gradcli.check(f, at=2.0, against=lambda x: 3.0)

    assert (found.verdict, codes(found)) == ("inconclusive", ["G902"])
    assert [row.verdict for row in found.components] == [Verdict.NOISY]


@pytest.mark.parametrize("odd", [3, 8, 12, 15, 20, 25])
def test_one_other_value_among_many_calls_is_never_a_pass(odd):
    """Whichever call it is of, and where the first calls do not tell."""
    count = [0]

    def f(x):
        count[0] += 1
        return 2 * x * x if count[0] == odd else x * x

    found = gradcli.check(f, at=1.5)

    assert found.verdict == "inconclusive"
    assert {"G412", "G315"} & {*codes(found)}


@pytest.mark.parametrize("kind", ["attribute", "item", "end of a list", "file"])
def test_a_function_of_its_previous_argument_is_never_a_pass(kind, tmp_path):
    """Though calls at one point agree if the first one finds the point itself."""
    holder, last, path = types.SimpleNamespace(last=1.5), [1.5], tmp_path / "last"
    path.write_text("1.5", encoding="utf-8")
    read, write = {
        "attribute": (lambda: holder.last, functools.partial(setattr, holder, "last")),
        "item": (lambda: last[0], functools.partial(last.__setitem__, 0)),
        "end of a list": (lambda: last[-1], last.append),
        "file": (lambda: float(path.read_text()), lambda x: path.write_text(repr(x), encoding="utf-8")),
    }[kind]

    def f(x):
        result = x * x + 0.1 * read()
        write(float(x))
        return result

    found = gradcli.check(f, at=1.5)

    assert (found.verdict, "G412" in codes(found)) == ("inconclusive", True)


def test_a_counter_that_does_not_change_the_result_is_not_blamed():
    """Nor are a cache and a log, though the calls are made a second time."""
    count, cache, log = [0], {}, []

    def f(x):
        count[0] += 1
        log.append(count[0])
        return x * x * cache.setdefault("factor", 3.0)

    assert ((found := gradcli.check(f, at=1.5)).verdict, codes(found)) == ("pass", [])


DRAWN = [
    ("a number for a derivative that is drawn", lambda x: x * random.random(), lambda x: 0.5, "inconclusive"),
    ("drawn alike", lambda x: x * random.random(), lambda x: random.random(), "pass"),
    ("drawn alike and wrong", lambda x: x * random.random(), lambda x: 2 * random.random(), "fail"),
    ("right whatever is drawn", lambda x: x * x + random.random(), lambda x: 2 * x, "pass"),
    ("wrong whatever is drawn", lambda x: x * x + random.random(), lambda x: 3 * x, "fail"),
    ("by NumPy", lambda x: x * np.random.random(), lambda x: 0.5, "inconclusive"),
]


@pytest.mark.parametrize(("f", "gradient", "verdict"), [c[1:] for c in DRAWN], ids=[c[0] for c in DRAWN])
def test_a_gradient_of_a_random_function_is_judged_with_the_numbers_that_it_draws(f, gradient, verdict):
    """A failure stands only where another draw would show it as well."""
    found = gradcli.check(f, at=1.5, against=gradient)

    assert (verdict, ["G901"]) == (
        found.verdict,
        [code for code in codes(found) if code not in ("G312", "G313", "G317")],
    )


def test_a_drawn_derivative_is_not_judged_at_further_points_either():
    """Zero times what is drawn passes; beside it nothing fails."""
    found = gradcli.check(lambda x: x**2 * random.random(), at=0.0, against=lambda x: x, points=2)

    assert "fail" != found.verdict


def test_output_is_shown_once(capsys):
    """That of the recorded run."""

    def f(x):
        print("here")
        return x * x

    assert codes(gradcli.check(f, at=2.0)) == ["G904"]
    assert capsys.readouterr().out == "here\n"


def test_many_points():
    """All of them pass, and the note says so."""
    found = gradcli.check(square, at=1.0, points=5, box={"x": (0.0, 10.0)})

    assert found.verdict == "pass"
    assert "5 more points (seed 0): 5 pass" in found.notes


def test_points_outside_of_the_domain_are_drawn_again():
    """As many are judged as were asked for, and the note counts the others."""
    found = gradcli.check(lambda x: math.sqrt(x), at=1.0, points=6, box={"x": (-1.0, 1.0)})
    judged, outside = re.fullmatch(
        r"6 more points \(seed 0\): (\d) pass; (\d+) outside.*redrawn", found.notes[-1]
    ).groups()

    assert judged == "6"
    assert int(outside) > 0


def end(monkeypatch, is_over):
    """Let the time of checks end where a function of the clock says so."""
    begin_call = Clock.begin_call

    def begin_or_stop(clock):
        clock.stopped = clock.stopped or ("out of time" if clock.over else None)
        begin_call(clock)

    monkeypatch.setattr(Clock, "over", property(is_over))
    monkeypatch.setattr(Clock, "begin_call", begin_or_stop)


def test_points_that_were_not_reached_are_counted(monkeypatch):
    """Neither the one at which the time ran out, which can be computed, nor those after it are kept silent."""
    end(monkeypatch, lambda clock: clock.calls >= 300)
    note = gradcli.check(square, at=1.0, points=1000).notes[-1]
    counts = re.fullmatch(r"1000 more points .*: (\d+) pass, (\d+) not reached in the time given", note)

    assert sum(map(int, counts.groups())) == 1000


def test_an_interruption_among_many_points_keeps_what_is_done():
    """The point that was asked for, and how many of the others were reached."""
    interrupted.calls = -200
    found = checked(asked(interrupted, np.array([1.0, 2.0]), points=1000))
    counts = re.search(r": (\d+) pass, (\d+) not reached before the interruption$", found.notes[-1])

    assert ("pass", "interrupted", Exit.INTERRUPTED) == (found.verdict, found.stopped, found.exit)
    assert sum(map(int, counts.groups())) == 1000


def test_an_interruption_between_two_calls_keeps_what_is_done(monkeypatch):
    """As it is most often where the function is a quick one."""
    compare, points = multi_point_check.compare, []

    def interrupts(check):
        points.append(check.point)
        if len(points) == 4:
            raise KeyboardInterrupt
        return compare(check)

    monkeypatch.setattr(multi_point_check, "compare", interrupts)
    found = checked(asked(lambda x: x * x, 3.0, points=10))

    assert found.notes[-1] == "10 more points (seed 0): 2 pass, 8 not reached before the interruption"


def test_the_first_point_that_fails_is_shown():
    found = gradcli.check(square, at=1.0, against=wrong_beyond_3, points=20, box={"x": (0.0, 10.0)})

    assert found.verdict == "fail"
    assert found.point["x"] == pytest.approx(6.369, abs=1e-3)
    assert found.notes[-1].startswith("point 1 of 20 (seed 0) fails, at x=6.369")


def test_many_components_are_announced_too(monkeypatch):
    """A quick function of many numbers takes its time as well; the time is said that it takes."""
    monkeypatch.setattr(multi_point_check, "SLOW", 0.02)
    heard = Heard()
    checked(asked(lambda x: np.sum(x * x), np.ones(2000), clock=Clock(listener=heard)))

    (text,) = heard.texts
    assert "about 2560 calls and 2000 components" in text


def slow(x):
    """Fifty calls a second, of which the tape sees nothing that has an exact form."""
    time.sleep(0.02)
    return np.sum(np.abs(x))


def test_a_slow_function_is_announced():
    """Before the run goes on."""
    heard = Heard()
    found = checked(asked(slow, np.ones(4), clock=Clock(0.3, heard)))

    assert heard.said == ["G907"]
    assert "G907" in codes(found)
    assert 0 < heard.calls < 40


def asked(f, x, *, clock=None, **options):
    """The check of a function of one input, which keeps its finished rows."""
    request = CheckRequest(resumes=True, **options)
    return BoundCheck(function_target("f", "f", f), {"x": x}, ("x",), request=request, clock=clock or Clock())


def test_out_of_time_the_finished_rows_are_kept():
    """At a kink differences are needed: a component without them is SKIPPED."""
    found = checked(asked(slow, np.array([1.0, 0.0]), clock=Clock(1.2)))

    assert {"out of time"} == {
        found.stopped,
        *(row.reason for row in found.components if row.verdict is Verdict.SKIPPED),
    }
    assert any(note.startswith("partial: out of time after") for note in found.notes)


def test_out_of_time_before_anything_was_decided():
    """An endless loop is ended too."""

    def endless(x):
        while True:
            pass

    begun = time.monotonic()
    with pytest.raises(OutOfTimeError):
        gradcli.check(endless, at=1.0, max_seconds=0.3)

    assert 5.0 > time.monotonic() - begun


@pytest.mark.parametrize("calls", range(1, 9))
def test_an_interrupt_before_the_first_row_of_a_jacobian(calls):
    """The check ends as that of a gradient: nothing was decided."""
    made = []

    def pair(x):
        made.append(x)
        if len(made) == calls:
            raise KeyboardInterrupt
        return np.array([x[0] * x[1], x[0]])

    with pytest.raises(KeyboardInterrupt):
        gradcli.check(pair, at=np.array([1.0, 2.0]), against=lambda x: np.array([x[::-1], [1, 0]]), of="jacobian")


@pytest.mark.parametrize("ticks", range(2))
def test_no_time_before_the_first_row_of_a_jacobian(ticks, monkeypatch):
    """It is an error with its exit code, wherever the time ends."""
    over = iter([False] * ticks)
    end(monkeypatch, lambda clock: next(over, True))

    with pytest.raises(OutOfTimeError):
        gradcli.check(lambda x: x * x, at=np.array([1.0, 2.0]), of="jacobian", max_seconds=60)


def interrupted(x):
    """Smooth, with a Ctrl-C in its fortieth call."""
    interrupted.calls += 1
    if interrupted.calls == 40:
        raise KeyboardInterrupt
    return np.sum(np.exp(x))


@pytest.mark.long
def test_the_time_goes_to_differences_too():
    """An exact reference that would take all of it withdraws, and what differences say is the verdict."""

    def long(x):
        for _ in range(20_000):
            x = x + 1e-5 * math.sin(x)
        return x

    with deadline.time_limit(0.01):
        found = gradcli.check(long, at=1.0, max_seconds=100)

    assert found.verdict == "pass"
    assert [row.symbolic for row in found.components] == [None]
    assert any("symbolic: it takes longer than the" in note for note in found.notes)


@pytest.mark.long
def test_what_is_left_next_to_zero_is_no_mistake():
    """0.83 to the power of 20,000, which repeated rounding leaves at some 1e-323, in seconds."""

    def fading(x):
        for _ in range(20_000):
            x = 0.83 * x
        return x

    assert gradcli.check(fading, at=1.0).verdict == "pass"


def test_ctrl_c_leaves_the_finished_rows():
    """For whoever resumes; a library user gets the interruption."""
    interrupted.calls = 0
    found = checked(asked(interrupted, np.array([1.0, 2.0])))

    assert ("interrupted", Exit.INTERRUPTED) == (found.stopped, found.exit)
    assert re.match(r"partial: interrupted after \d\d calls; 2 of 2 rows", found.notes[-1])
    interrupted.calls = 0
    with pytest.raises(KeyboardInterrupt):
        gradcli.check(interrupted, at=np.array([1.0, 2.0]))


def cached_by(key):
    """The square of a number, kept under a key of the number."""
    kept = {}

    def cached(x):
        if key(x) not in kept:
            kept[key(x)] = x * x
        return kept[key(x)]

    return cached


def test_a_function_with_a_cache_is_judged_by_the_run_that_fills_it():
    """As `grad` finds it: plain calls before the recorded run leave nothing in the cache."""
    found = gradcli.check(cached_by(repr), at=3.0)

    assert (found.verdict, found.components[0].reverse) == ("pass", 6.0)


@pytest.mark.parametrize("key", [lambda x: round(x, 6), lambda x: "one", lambda x: int(x)])
def test_a_cache_that_confuses_points_is_named(key):
    """Neither the derivative of the first run nor the flat values of later ones pass."""
    found = gradcli.check(cached_by(key), at=3.3)

    assert (found.verdict, [row.verdict for row in found.components]) == ("inconclusive", [Verdict.DISPUTED])
    assert ["cached changes kept: a call may return what an earlier call has computed"] == [
        each.message for each in found.findings if each.code == "G412"
    ]


def test_a_passing_check_costs_few_calls():
    """Calls of Python functions, and modules of gradcli that they belong to."""
    calls, modules = 0, set()

    def count(frame, event, _):
        nonlocal calls
        if event == "call":
            calls += 1
            modules.add(frame.f_globals.get("__name__", ""))

    def check():
        return gradcli.check(hyperbox.f4, at=[1.0, 2.0, 3.0, 4.0], against=hyperbox.grad_f4)

    check()  # compiles rules, and imports what the second one finds
    sys.setprofile(count)
    try:
        comparison = check()
    finally:
        sys.setprofile(None)

    assert comparison.verdict == "pass"
    assert calls <= 8944
    assert sum(name.startswith("gradcli") for name in modules) <= 160
