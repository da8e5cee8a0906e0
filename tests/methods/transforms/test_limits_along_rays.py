"""Limits of functions along rays, against functions whose limits are known."""

import numpy as np
import pytest

from gradcli.methods.transforms.limits_along_rays import limit_along_rays


def limit(function, size=1, here=0.0, unit=1.0):
    """The limit of a function that stands for a derivative; the value is 0 throughout."""

    def values(step):
        return np.array([0.0, function(*step)])

    found = limit_along_rays(values, size, np.array([0.0, here]), 1, unit)
    return None if found is None else float(found[1])


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: 2.0, 2.0),
        (lambda x: 2.0 + x, 2.0),
        (lambda x: 3.0 + x - x**2, 3.0),
        (lambda x: np.cos(3 * x) * np.exp(x), 1.0),
        (abs, 0.0),
        (lambda x: 1.0 + abs(x) + x**3, 1.0),
        (lambda x: 1 / (1 + 1e3 * x), 1.0),
        (lambda x: 1.0 if abs(x) < 1e-3 else 7.0, 1.0),
        (lambda x: 1e-12 + x, 1e-12),
        # Of a low power of the distance extrapolation finds none; the number computed at the point is confirmed.
        (lambda x: abs(x) ** 0.1 * np.sign(x), 0.0),
    ],
)
def test_a_limit(function, expected):
    assert limit(function) == pytest.approx(expected, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(
    ("function", "size"),
    [
        (np.sign, 1),
        (lambda x: 1.0 + 1e-6 * np.sign(x), 1),
        (lambda x: np.cos(x) + 1e-6 * np.sign(x), 1),
        (lambda x: np.sin(1 / x), 1),
        (lambda x: 1 / x, 1),
        (lambda x: np.nan, 1),
        (lambda x: 1 + abs(x) ** 0.1, 1),  # a fall to another number than the one at the point
        (lambda x, y: float(x > 0 and y > 0), 2),
        (lambda x, y: float(x > 10 * abs(y)), 2),
        (lambda *x: float(x[3] > 0 and x[17] > 0), 40),
    ],
)
def test_no_limit(function, size):
    assert limit(function, size) is None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (lambda x: np.array([2.0 * x[0], 2.0 + x[0]]) if x[0] > 0 else np.full(2, np.nan), 2.0),  # the domain ends
        (lambda x: np.array([0.0, 2.0]) if abs(x[0]) < 0.01 else None, 2.0),  # another path, far away
        (lambda x: None, None),
    ],
)
def test_where_the_function_has_no_value(values, expected):
    found = limit_along_rays(values, 1, np.zeros(2), 1, 1.0)

    assert (found if found is None else found[1]) == expected


def test_digits_lost_near_the_point():
    """As in quotients by differences of eigenvalues, whose error grows with the inverse square of the distance."""
    random = np.random.default_rng(3)

    assert limit(lambda x: np.exp(x) + 1e-16 * random.normal() / x**2) == pytest.approx(1.0, rel=1e-7)
