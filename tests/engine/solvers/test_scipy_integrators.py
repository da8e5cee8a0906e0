"""SciPy's integrators: a jump of what they integrate is reported if its place depends on the inputs."""

import warnings

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate import odeint, quad_vec, solve_ivp

import gradcli
from gradcli.errors import FindingWarning

pytestmark = pytest.mark.sampled(2)  # many like cases


def end(law, start=(0.0,), span=(0.0, 2.0), **options):
    """The last value of the first function of a solution."""
    return solve_ivp(law, span, start, **options).y[0, -1]


def thermostat(t, y, p):
    return [2.0 - y[0] if y[0] < p else -y[0]]


def two_laws(p):
    """The first until p, the second from there on."""
    return end(lambda t, y: [3.0], [end(lambda t, y: [1.0], span=(0.0, p))], (p, 2.0))


JUMPS = {
    "at a time": lambda p: end(lambda t, y: [1.0 if t < p else 3.0]),
    "beside a slope": lambda p: end(lambda t, y: [p * y[0] + (1.0 if t < p else 3.0)]),
    "by where": lambda p: end(lambda t, y: np.where(t < p, 2.0, 0.5) - y),
    "at a value": lambda p: end(lambda t, y: [1.0 if y[0] < p else 2.0]),
    "at a fixed value, from another start": lambda p: end(lambda t, y: [1.0 if y[0] < 1.0 else 2.0], [p]),
    "by arguments": lambda p: end(thermostat, args=(p,)),
    "by a sign": lambda p: end(lambda t, y: [2.0 - np.sign(t - p)]),
    "by a floor": lambda p: end(lambda t, y: [np.floor(t / p)]),
    "by another method": lambda p: end(lambda t, y: [1.0 if t < p else 3.0], method="RK23"),
    "by differences of backward steps": lambda p: end(lambda t, y: [p - y[0] if t < p else 3.0], method="BDF"),
    "of two functions": lambda p: end(lambda t, y: [y[1], -y[0] + (t > p)], (1.0, 0.0)),
    "named by its module": lambda p: integrate.solve_ivp(lambda t, y: [1.0 * (t < p)], (0, 2), [0.0]).y[0, -1],
    "by odeint": lambda p: odeint(lambda y, t: [1.0 if t < p else 3.0], [0.0], [0.0, 2.0])[-1, 0],
    "by odeint, the time first": lambda p: odeint(lambda t, y: [1.0 * (t < p)], [0.0], [0.0, 2.0], tfirst=True)[-1, 0],
    "of an integral": lambda p: quad_vec(lambda t: p * t if t < p else 1.0, 0.0, 2.0, epsrel=1e-4)[0],
}
SMOOTH = {
    "what is positive": lambda p: end(lambda t, y: [max(0.0, p - t)]),
    "a size": lambda p: end(lambda t, y: [abs(t - p)]),
    "two pieces that meet": lambda p: end(lambda t, y: [p - t if t < p else (t - p) ** 2]),
    "a fixed time": lambda p: end(lambda t, y: [p * y[0] + (1.0 if t < 0.7 else 3.0)]),
    "a fixed time by a floor": lambda p: end(lambda t, y: [p * np.floor(t)]),
    "a switch that stays": lambda p: end(lambda t, y: [p * y[0] if p < 5.0 else y[0]], [1.0]),
    "two laws, one after the other": two_laws,
    "a corner of an integral": lambda p: quad_vec(lambda t: max(p - t, 0.0), 0.0, 2.0, epsrel=1e-4)[0],
    "an integral with a fixed jump": lambda p: quad_vec(lambda t: p if t < 0.7 else 3.0, 0.0, 2.0, epsrel=1e-4)[0],
}


def warned(f):
    """The codes that the gradient at 0.73 warns of."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", FindingWarning)
        gradcli.grad(f)(0.73)
    return [str(each.message).partition(":")[0] for each in found if issubclass(each.category, FindingWarning)]


@pytest.mark.sampled(8)
@pytest.mark.parametrize("name", JUMPS)
def test_a_jump_is_reported(name):
    """In the library once, with the line; the steps' own derivative does not pass a check."""
    assert warned(JUMPS[name]) == ["G212"]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", SMOOTH)
def test_what_does_not_jump_or_stays_is_not(name):
    """A gradient of the steps is one of the solution there."""
    assert warned(SMOOTH[name]) == []


def test_a_jump_is_judged_by_differences():
    """The solution is p + 3 (2 - p)."""

    def f(p):
        return end(lambda t, y: [1.0 if t < p else 3.0], rtol=1e-9, atol=1e-11)

    own = gradcli.check(f, at=0.73)
    right = gradcli.check(f, at=0.73, against=-2.0)

    assert own.verdict == "fail"
    assert right.verdict == "pass"
    assert [each.code for each in right.findings] == ["G212"]
    assert right.findings[0].line == f.__code__.co_firstlineno + 1


def test_two_laws_one_after_the_other_have_the_whole_derivative():
    assert gradcli.grad(two_laws)(0.73) == pytest.approx(-2.0, rel=1e-9)


def test_looking_for_a_jump_leaves_no_outcome():

    def f(p):
        return odeint(lambda y, t: [1.0 if t < p else 3.0], [0.0], [0.0, 2.0])[-1, 0]

    run = gradcli.trace(f, 0.73, names=False)
    margins = [abs(a - b) for outcome in run.outcomes for a, b in [outcome.operands]]

    assert run.jumps
    assert min(margins) > 1e-12
