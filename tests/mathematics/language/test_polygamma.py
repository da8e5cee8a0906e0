"""Digamma and polygamma, against mpmath and SciPy."""

import math
import random

import mpmath
import numpy as np
import pytest
import scipy.special

from gradcli.mathematics.language.polygamma import digamma, polygamma

pytestmark = pytest.mark.sampled(4)  # many like cases

RNG = random.Random(5)
RIGHT = (
    [RNG.uniform(0, 12) for _ in range(40)] + [10 ** RNG.uniform(-12, 12) for _ in range(40)] + [1.0, 0.5, 2.0, 1e-300]
)
LEFT = [-RNG.uniform(0, 30) for _ in range(30)] + [-0.5, -1e-9, -1.0000001]


def exact(order, x):
    with mpmath.workdps(60):
        return float(mpmath.psi(order, mpmath.mpf(x)))


@pytest.mark.parametrize("x", RIGHT + LEFT)
def test_digamma(x):
    """Digits are right to 1e-14 of the size that digamma has around, which is at least 1."""
    assert digamma(x) == pytest.approx(exact(0, x), rel=1e-14, abs=2e-15)


@pytest.mark.parametrize("order", [1, 2, 3, 5, 10, 30, 99])
def test_polygamma_on_the_right(order):
    """Orders up to a hundred are right to 1e-14."""
    for x in RIGHT:
        if math.isfinite(expected := exact(order, x)):
            assert polygamma(order, x) == pytest.approx(expected, rel=2e-14, abs=1e-300)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 9])
def test_polygamma_on_the_left(order):
    """On the left the two terms of the reflection bound the error, because an even order has zeros there."""
    for x in LEFT:
        scale = abs(exact(order, 1 - x)) + abs(exact(order, x))
        assert polygamma(order, x) == pytest.approx(exact(order, x), rel=1e-13, abs=1e-13 * scale)


@pytest.mark.parametrize(("order", "x"), [(150, 3.5), (300, 500.0), (1000, 2000.0), (171, 1e3), (1000, 720.0)])
def test_polygamma_of_high_order(order, x):
    """High orders, whose factors leave the range of floats, are right too."""
    assert polygamma(order, x) == pytest.approx(exact(order, x), rel=2e-14)


@pytest.mark.parametrize("x", [0.0, -0.0, -1.0, -2.0, math.inf, -math.inf, math.nan, 1e308, 1e-320])
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_poles_and_infinities(order, x):
    with np.errstate(all="ignore"):
        expected = float(scipy.special.polygamma(order, x))
    assert polygamma(order, x) == pytest.approx(expected, rel=1e-14, nan_ok=True)


@pytest.mark.parametrize("order", [-1, 0.5, 1001, math.inf, math.nan])
def test_orders_that_are_none(order):
    """An order that is no whole number from 0 to 1000 gives nan."""
    assert math.isnan(polygamma(order, 1.5))


def test_overflow():
    """Next to a pole the result is infinite, with its sign."""
    assert (polygamma(2, 1e-200), polygamma(3, 1e-200)) == (-math.inf, math.inf)
