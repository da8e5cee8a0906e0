"""Runs of integrators with the steps of another run."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp import rk

import gradcli
from gradcli.answers.checks.problem.same_integrator_steps import are_held, with_same_steps


def times(p, method="RK45"):
    return solve_ivp(lambda t, y: [-p * y[0] * np.sin(t)], (0, 2), [1.0], method=method).t


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau"])
def test_the_steps_stay(method):
    held = with_same_steps(lambda p: times(p, method), (0.7,))

    assert np.array_equal(held(0.7), times(0.7, method))
    assert np.array_equal(held(2.5), times(0.7, method))


def test_a_right_gradient_passes_though_the_steps_would_move():
    """Of Runge and Kutta's method of low order, whose error is far above what is allowed."""
    check = gradcli.check(
        lambda p: solve_ivp(lambda t, y: [-p * y[0] * np.sin(t)], (0, 2), [1.0], "RK23").y[0, -1], at=0.7
    )

    assert check.verdict == "pass"


def test_the_integrators_are_left_as_they_were():
    before, held = rk.norm, with_same_steps(times, (0.7,))

    with pytest.raises(TypeError):
        held(None)

    assert rk.norm is before
    assert not are_held()


def test_each_of_two_threads_keeps_its_steps_until_it_has_run():
    """A thread that runs on after another has ended has its steps, and leaves the integrators as they were."""
    before, both_run, first_has_ended = rk.norm, Event(), Event()
    first = with_same_steps(lambda p, wait=lambda: None: (wait(), times(p))[1], (0.7,))
    second = with_same_steps(lambda p, wait=lambda: None: (wait(), times(p))[1], (0.7,))

    def start_second():
        later = threads.submit(second, 2.5, lambda: (both_run.set(), first_has_ended.wait(10)))
        both_run.wait(10)
        return later

    with ThreadPoolExecutor() as threads:
        started = []
        first(2.5, lambda: started.append(start_second()))
        first_has_ended.set()
        steps = started[0].result()

    assert np.array_equal(steps, times(0.7))
    assert rk.norm is before
