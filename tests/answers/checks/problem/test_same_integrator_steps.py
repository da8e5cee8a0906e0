"""Runs of integrators with the steps of another run."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.integrate._ivp import rk

from gradcli.answers.checks.problem.same_integrator_steps import are_held, with_same_steps


def times(p, method="RK45"):
    return solve_ivp(lambda t, y: [-p * y[0] * np.sin(t)], (0, 2), [1.0], method=method).t


@pytest.mark.parametrize("method", ["RK45", "DOP853", "Radau"])
def test_the_steps_stay(method):
    held = with_same_steps(lambda p: times(p, method), (0.7,))

    assert np.array_equal(held(0.7), times(0.7, method))
    assert np.array_equal(held(0.9), times(0.7, method))


def test_the_integrators_are_left_as_they_were():
    before, held = rk.norm, with_same_steps(times, (0.7,))

    with pytest.raises(TypeError):
        held(None)

    assert rk.norm is before
    assert not are_held()
