"""`scipy.integrate.quad`: the integral follows what its function holds, and the ends of the range."""

import math

import numpy as np
import pytest
from scipy import integrate
from scipy.integrate import quad

import gradcli
from gradcli.errors import UnsupportedError

PROGRAMS = {
    "parameter": lambda a, b: quad(lambda t: math.exp(-a * t * t) * math.cos(b * t), 0, 1)[0],
    "arguments": lambda a, b: quad(lambda t, p, q: np.sin(p * t) * q, 0.0, 2.0, args=(a, b))[0],
    "ends": lambda a, b: quad(lambda t: np.exp(-(t**2)), -a, b)[0],
    "both": lambda a, b: quad(lambda t: t**a * np.exp(-t), 0, b)[0],
    "turned round": lambda a, b: quad(lambda t: a * np.cos(t), b, 0)[0],
    "to infinity": lambda a, b: quad(lambda t: 1 / (a * a + t * t) * b, 0, np.inf)[0],
    "from infinity": lambda a, b: quad(lambda t: math.exp(a * t), -np.inf, b)[0],
    "all numbers": lambda a, b: quad(lambda t: np.exp(-a * t * t + b * t), -np.inf, np.inf)[0],
    "a pole at the end": lambda a, b: quad(lambda t: math.log(t) * a * t**b, 0, 1)[0],
    "a peak": lambda a, b: quad(lambda t: 1 / (1e-4 * a + (t - 0.3 * b) ** 2), 0, 1)[0],
    "twice": lambda a, b: integrate.dblquad(lambda y, x: np.exp(-a * x * y) * b, 0, 1, 0, lambda x: x)[0],
    "points": lambda a, b: quad(lambda t: a * abs(t - 0.5) ** b, 0, 1, points=[0.5])[0],
    "points within moving ends": lambda a, b: quad(lambda t: a * abs(t - 0.1), -b, a, points=[0.1, 0.2, 9.0])[0],
    "a jump at a point": lambda a, b: quad(lambda t: np.sign(t - 0.5) * math.exp(a * t), 0, b, points=[0.5])[0],
    "points turned round": lambda a, b: quad(lambda t: a * abs(t - 0.2), b, 0, points=np.array([0.2, 0.4]))[0],
    "no points": lambda a, b: quad(lambda t: a * math.cos(b * t), 0, 1, points=[])[0],
    "full output": lambda a, b: quad(lambda t: a * t**2, 0, b, full_output=1)[0],
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "f",
    [
        lambda b: quad(math.cos, 0.8, b)[0],
        lambda a: quad(math.cos, a, 0.8)[0],
        lambda a: quad(lambda t: a * math.cos(t), 0.8, a)[0],
        lambda a: quad(lambda t: math.cos(a * t), 2.0 * a, a + 0.8)[0],
        lambda a: quad(lambda t: math.exp(-a * t), a, 0.8, full_output=1)[0],
    ],
)
def test_equal_limits(f):
    """The integral is 0, and grows with each limit by the function's value there."""
    gradient, step = gradcli.grad(f)(0.8), 1e-5

    assert f(0.8) == 0.0
    assert math.isclose((f(0.8 + step) - f(0.8 - step)) / (2 * step), gradient, rel_tol=1e-8)
    assert gradcli.check(f, at=0.8).verdict == "pass"


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_integral_follows(name):
    """The value is QUADPACK's; gradient and second derivative are those of differences."""
    f, step = PROGRAMS[name], 1e-4
    point = (1.3, 0.7)

    def slope(g, n, h):
        up, down = ([x + sign * h * (k == n) for k, x in enumerate(point)] for sign in (1, -1))
        return (np.array(g(*up)) - np.array(g(*down))) / (2 * h)

    value, gradient = gradcli.value_and_grad(f, (0, 1))(*point)

    assert f(*point) == value
    expected = [(4 * slope(f, n, step) - slope(f, n, 2 * step)) / 3 for n in (0, 1)]
    np.testing.assert_allclose(gradient, expected, rtol=1e-6, atol=1e-8)
    for n in (0, 1):
        second = gradcli.grad(lambda *x, n=n: gradcli.grad(f, n)(*x), (0, 1))(*point)
        np.testing.assert_allclose(second, slope(gradcli.grad(f, (0, 1)), n, 1e-5), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: quad(lambda t: 1.0 if t < x else 2.0, 0, 1)[0] + x,
        lambda x: quad(lambda t: t < x, 0, 1)[0] + x,
        lambda x: quad(lambda t: math.floor(t + x) * 1.0, 0, 3)[0] + x,
        lambda x: quad(lambda t: max(t - x, 0.0), 0, 1)[0],
        lambda x: quad(lambda t: 1.0 if t < x else 2.0, 0, 1, points=[0.3, 0.75])[0] + x,
    ],
)
@pytest.mark.parametrize("x", [0.75, 0.7531])
def test_a_corner_at_the_end_of_an_interval_is_refused_too(f, x):
    """QUADPACK halves its intervals, so that 0.75 is such an end: the nodes on each side see a smooth function."""
    with pytest.raises(UnsupportedError, match="corner, a jump or a pole"):
        gradcli.grad(f)(x)


def test_a_comparison_that_is_no_corner():
    """Of recorded numbers that do not move within the range; the function has steep parts, and so more intervals."""
    f = lambda x: quad(lambda t: (x if x > 0 else -x) / ((t - 0.5) ** 2 + 1e-4) * (t - 0.4), 0, 1)[0]

    assert pytest.approx(f(0.7) / 0.7, rel=1e-9) == gradcli.grad(f)(0.7)


@pytest.mark.parametrize("f", [abs, lambda t: 1.0 if t < 0 else 2.0], ids=["corner", "jump"])
def test_what_may_move_inside_of_the_range_is_refused(f):
    """The corner of |t - x| is between the nodes: what it adds to the derivatives is not seen."""
    with pytest.raises(UnsupportedError, match=r"corner, a jump or a pole[\s\S]*Split the integral there"):
        gradcli.grad(lambda x: quad(lambda t: f(t - x) * x, 0, 1)[0])(0.4)


def test_a_corner_at_an_end():
    """The way out that is told: x**2 + (1 - x)**2, by halves."""
    split = gradcli.grad(lambda x: quad(lambda t: abs(t - x), 0, x)[0] + quad(lambda t: abs(t - x), x, 1)[0])

    assert split(0.4) == pytest.approx(2 * 0.4 - 1.0)
    assert gradcli.grad(split)(0.4) == pytest.approx(2.0)


def test_a_weight_is_refused():
    with pytest.raises(UnsupportedError, match="weight="):
        gradcli.grad(lambda x: quad(lambda t: t * x, 0, 1, weight="cos", wvar=2.0)[0])(1.0)


def test_what_is_plain_is_integrated_as_ever():
    with pytest.warns(integrate.IntegrationWarning):
        assert np.isfinite(gradcli.grad(lambda x: x * quad(lambda t: 1 / t, 1e-300, 1, limit=2)[0])(1.0))
