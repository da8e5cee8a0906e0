"""Loops that an outcome ends, and the run with one more turn."""

from __future__ import annotations

import linecache
import math

import numpy as np
import pytest

from gradcli.answers.checks.nonsmooth.inverted_loop_exit import converges, ending, further_iterations, leaves_loop
from gradcli.methods.transforms.gradients import trace
from tests.corpus import loops


def newton(a):
    """A square root by Newton's iteration from a guess that may be right."""
    y = 1.0
    while abs(y * y - a) > 1e-12:
        y = 0.5 * (y + a / y)
    return y


def series(x):
    """The exponential by its series, which stops at once at 0."""
    total, term, n = 1.0, 1.0, 0
    while abs(term) > 1e-17 * abs(total):
        n += 1
        term = term * x / n
        if not term:
            break
        total = total + term
    return total


def stepping(x):
    """A loop that is left by a break."""
    y = x
    for _ in range(50):
        y = 0.5 * (y + 2.0 / y)
        if abs(y * y - 2.0) < 1e-8:
            break
    return y


def endless(x):
    """A loop that never ends once it goes on."""
    y = x
    while y != x:
        y = y + 0.3
    return y


def branching(x):
    if x < 1:
        return x
    return 2 * x


def once_more(tape):
    """The run in which the loop runs once more; None if there is none."""
    return next(iter(further_iterations(tape, 1)), None)


def slope(tape):
    return tape.sensitivities()[0]


@pytest.mark.parametrize("a", [1.0, 2.0])
def test_the_outcome_that_ended_a_while(a):
    """The last question, of a loop that was entered and of one that was not."""
    tape = trace(newton, a)

    assert len(tape.outcomes) - 1 == ending(tape)


def test_one_more_turn_of_a_loop_that_was_not_entered():
    """Newton's iteration at 1 starts at its root: its derivative is 0, and a half after one turn."""
    tape = trace(newton, 1.0)

    assert (slope(tape) if tape.result is not None else 0.0, slope(once_more(tape))) == (0.0, 0.5)


def test_one_more_turn_of_a_converged_loop_changes_nothing_much():
    tape = trace(newton, 2.0)

    assert math.isclose(slope(tape), slope(once_more(tape)), rel_tol=1e-9)


def test_a_break():
    tape = trace(stepping, 3.0)
    again = once_more(tape)

    assert len(tape.outcomes) + 1 == len(again.outcomes)
    assert abs(again.value - math.sqrt(2)) <= abs(tape.value - math.sqrt(2))


def test_a_series_that_stops_at_0():
    """The term that is left out has the derivative 1."""
    tape = trace(series, 0.0)
    value = slope(tape) if tape.result is not None else 0.0

    assert (value, slope(once_more(tape))) == (0.0, 1.0)


def test_arrays():

    def f(x):
        y = np.float64(1.0)
        while np.abs(y * y - x) > 1e-12:
            y = 0.5 * (y + x / y)
        return y

    assert math.isclose(0.5, slope(once_more(trace(f, np.float64(1.0)))))


@pytest.mark.parametrize(("f", "x"), [(branching, 0.5), (lambda x: x * x, 2.0), (endless, 1.0)])
def test_where_there_is_no_more(f, x):
    """A branch is no loop, and a loop without an end has no next turn."""
    assert once_more(trace(f, x)) is None


def test_without_names_the_run_is_recorded_anew():
    tape = trace(newton, 1.0, names=False)

    assert ending(tape) is None
    assert slope(once_more(tape)) == 0.5


def test_twice_more():
    tape = trace(newton, 2.0)
    once, twice = further_iterations(tape)

    assert [len(run.outcomes) - len(tape.outcomes) for run in (once, twice)] == [1, 2]


def test_a_loop_that_raises_when_it_goes_on():

    def f(x):
        rest = [0.5, 0.2, 0.1]
        while x > 0.4:
            x = x - rest.pop(0)
        return x

    assert len(further_iterations(trace(f, 1.0))) == 1


SOURCE = """\
def f(x, xs):
    while x > 1:
        x = x / 2
    for t in xs:
        if abs(t - x) < 1e-9:
            break
        if not t > x:
            return x
        if t > 0:
            x = x + t
        x = x if t > x else t
        done = t < x
        best = max(t, x)
    ys = [t for t in xs if t > 0]
    if x > 2:
        return 2 * x
    return x
"""


@pytest.mark.parametrize(
    ("expected", "line", "told"),
    [
        (True, 2, False),
        (False, 2, True),
        (True, 5, True),
        (False, 5, False),
        (True, 7, False),
        (False, 7, True),
        (False, 9, True),
        (False, 11, False),
        (None, 12, True),
        (False, 13, True),
        (False, 14, True),
        (False, 15, True),
    ],
)
def test_what_leaves_a_loop(monkeypatch, expected, line, told):
    """What a `while` asks, and an `if` in a loop with a way out."""
    monkeypatch.setitem(linecache.cache, "<loops>", (len(SOURCE), None, SOURCE.splitlines(True), "<loops>"))

    assert leaves_loop("<loops>", line, told) is expected


def test_a_line_without_its_source():
    assert leaves_loop("<nowhere>", 1, answer=True) is None


def verdict_of(f, x):
    """Whether the last loop of a run converges."""
    run = trace(f, x)
    return converges([run, *further_iterations(run)])


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (loops.early_root, 3.1),
        (loops.early_root, 1.0),
        (loops.fixed_point, 0.8),
        (loops.exponential, 1.3),
        (loops.kepler, 0.3),
        (loops.relaxed, np.array([1.0, 2.0, 3.0])),
        (loops.descent, 1.2),
        (loops.dominant, 3.0),
        (loops.geometric, 0.3),
    ],
)
def test_what_converges(f, x):
    """Newton, fixed points, series, linear systems, descents and powers."""
    assert verdict_of(f, x) is True


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: loops.halved(x, 1.5), 7.3),
        (lambda x: loops.halved(x, 1.5), 1e6),
        (loops.doubled, 0.13),
        (loops.wrapped, 4.3),
        (loops.ball, 5.0),
        (loops.spent, 0.003),
        (loops.bracket, 0.37),
        (loops.inserted, [1.02, 1.0, 1.01]),
        (loops.passage, 0.4),
        (loops.logistic, 3.9),
        (loops.searched, 1.9),
        (loops.euclid, 9.3),
    ],
)
def test_what_does_not(f, x):
    assert verdict_of(f, x) is False


def test_without_a_further_iteration():
    assert converges([trace(lambda x: x * x, 2.0)]) is False
