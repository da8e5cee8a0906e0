"""Second derivatives by differences of values, and their error bars."""

import math

import mpmath
import pytest

from gradcli.methods.numerics.second_differences import second_slope
from tests.methods.numerics.test_differences import random_function

EPS = 2.0**-52


def second(f, x):
    """The second derivative at a point other than 0."""
    return second_slope([(1 / x**2, lambda t: f(x * t))], EPS)


@pytest.mark.parametrize(
    ("f", "x", "expected", "relative"),
    [
        (math.exp, 1.0, math.e, 1e-8),
        (math.sin, 2.5, -math.sin(2.5), 1e-8),
        (lambda x: math.sin(1e3 * x), 0.7, -1e6 * math.sin(700.0), 1e-5),
        (lambda x: 1e12 * x**3, 2.0, 12e12, 1e-9),
        (math.log, 1e-3, -1e6, 1e-7),
    ],
    ids=["exp", "sin", "fast", "large", "log"],
)
def test_the_error_bar_holds_and_is_narrow(f, x, expected, relative):
    found = second(f, x)

    assert abs(found.value - expected) <= found.error <= relative * abs(expected)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", [1, *[0, *range(2, 80)]])
def test_random_functions(seed):
    """The bar holds, or no derivative is claimed.

    The values for seed 1 are a thousand times smaller than the numbers whose rounding they carry.
    """
    f, twin, x = random_function(seed)
    found = second(f, x)
    with mpmath.workdps(50):
        exact = float(mpmath.diff(twin, mpmath.mpf(x), 2, h=mpmath.mpf(10) ** -15 * abs(x)))

    assert not math.isfinite(found.value) or abs(found.value - exact) <= found.error + 1e-50


def test_a_mixed_derivative():
    """Of a sum of functions of one number each, it is 0 up to rounding."""
    f = lambda x, y: math.exp(x) * math.sin(y)
    along = [(sign / 4, lambda t, sign=sign: f(0.3 + t - 1, 0.7 + sign * (t - 1))) for sign in (1, -1)]
    apart = [(sign / 4, lambda t, sign=sign: math.exp(t) + math.sin(sign * (t - 1))) for sign in (1, -1)]

    mixed, none = second_slope(along, EPS), second_slope(apart, EPS)

    assert abs(mixed.value - math.exp(0.3) * math.cos(0.7)) <= mixed.error < 1e-8
    assert abs(none.value) <= none.error < 1e-10


@pytest.mark.parametrize(
    ("f", "sides"), [(lambda x: max(x - 1, 0.0) ** 2, (0.0, 2.0)), (lambda x: (x - 1) * abs(x - 1), (-2.0, 2.0))]
)
def test_it_may_differ_on_both_sides(f, sides):
    found = second_slope([(1.0, f)], EPS)

    assert sides == pytest.approx((found.left, found.right), abs=1e-6)
    assert found.error >= 1.0


@pytest.mark.parametrize(
    ("f", "reason"),
    [
        (lambda x: abs(x - 1), "not smooth"),
        (lambda x: math.nan, "no value"),
        (lambda x: math.sin(1e9 * x), "not smooth"),
    ],
    ids=["kink", "nan", "too fast"],
)
def test_there_is_none(f, reason):
    found = second_slope([(1.0, f)], EPS)

    assert reason in found.reason
    assert not math.isfinite(found.value)


def test_it_costs_a_few_dozen_calls():
    calls = []
    second_slope([(1.0, lambda x: calls.append(x) or math.sin(x))], EPS)

    assert len(calls) < 40
