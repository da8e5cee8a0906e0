"""The derivatives of solutions of differential equations: those of the steps taken."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gradcli
from gradcli.errors import FindingWarning, UnsupportedError

pytestmark = pytest.mark.sampled(3)  # many like cases

METHODS = ["DOP853", "RK45", "RK23", "BDF"]


def oscillation(p, **options):
    """Van der Pol's oscillator, whose derivative by p at 1.3 after a time of 10 is 1.754842077."""
    return solve_ivp(lambda t, y: [y[1], p * (1 - y[0] ** 2) * y[1] - y[0]], (0, 10), [2.0, 0.0], **options).y[0, -1]


def cooling(p, **options):
    return solve_ivp(lambda t, y: [-p * y[0] * np.sin(t)], (0, 2), [1.0], **options).y[0, -1]


def fall(p, **options):
    """The time at which a body thrown upwards with speed p is down again: 2 p / 9.81."""

    def ground(t, y):
        return y[0]

    ground.terminal, ground.direction = True, -1
    return solve_ivp(lambda t, y: [y[1], -9.81], (0, 9), [0.0, p], events=ground, **options).t_events[0][-1]


def between(p, **options):
    """A solution at a time between its steps: exp(-0.77 p)."""
    return solve_ivp(lambda t, y: [-p * y[0]], (0, 2), [1.0], dense_output=True, **options).sol(0.77)[0]


def stopped(p, **options):
    """The time of integration is the input: sin(p)."""
    return solve_ivp(lambda t, y: [np.cos(t)], (0, p), [0.0], **options).y[0, -1]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("method", METHODS[:3])
def test_the_choice_of_steps_has_no_derivative(method):
    """With it, the derivative is off by up to ten times its size at the default tolerances."""
    found = gradcli.grad(lambda p: oscillation(p, method=method))(1.3)

    assert found == pytest.approx(1.754842077, abs=0.06)


@pytest.mark.sampled(12)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (cooling, (np.cos(2) - 1) * np.exp(1.3 * (np.cos(2) - 1))),
        (between, -0.77 * np.exp(-0.77 * 1.3)),
        (stopped, np.cos(1.3)),
    ],
    ids=["a solution", "between steps", "by the time"],
)
def test_the_derivative_has_the_accuracy_of_the_solution(f, expected, method):
    found = gradcli.grad(lambda p: f(p, method=method, rtol=1e-8, atol=1e-10))(1.3)

    assert found == pytest.approx(expected, rel=1e-5)


def test_radaus_method_is_refused():
    with pytest.raises(UnsupportedError, match=r"scipy\.integrate\.Radau has no derivative rule") as caught:
        gradcli.grad(lambda p: oscillation(p, method="Radau"))(1.3)

    assert 'solve_ivp with method="BDF"' in caught.value.hint


def test_the_time_of_an_event():
    assert gradcli.grad(lambda p: fall(p, rtol=1e-8, atol=1e-10))(1.3) == pytest.approx(2 / 9.81, rel=1e-9)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("method", ["RK23", "DOP853", "RK45", "BDF"])
def test_a_check_holds_the_steps_too(method):
    found = gradcli.check(lambda p: cooling(p, method=method), at=1.3)

    assert found.verdict == "pass"


def test_a_tolerance_acts_through_the_choice_of_steps_alone():
    with pytest.warns(FindingWarning, match="G205"):
        found = gradcli.grad(lambda rtol: solve_ivp(lambda t, y: [-y[0]], (0, 2), [1.0], rtol=rtol).y[0, -1])(1e-4)

    assert found == 0.0
