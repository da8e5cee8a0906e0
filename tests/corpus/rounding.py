"""Claims that lose their digits in their last operations, and cusps, where no digit of the point is to spare."""

from __future__ import annotations

import math

import numpy as np

from tests.corpus.claim import Claim, claims


def lost(name, f, at, gradient) -> list[Claim]:
    """A gradient by hand whose formula is right and whose digits are rounding."""
    return claims(name, f, at, gradient, "rounding decides the last operation", own=None, truth="roundoff")


def bukin(x):
    """A cusp along a parabola, and a kink across it."""
    return 100 * np.sqrt(np.abs(x[1] - 0.01 * x[0] ** 2)) + 0.01 * np.abs(x[0] + 10)


def cusp_and_kink(x, y):
    """Each in a number of its own."""
    return math.sqrt(abs(x - 1)) + abs(y)


CLAIMS = [
    *lost("a fast sine at 1e-16", lambda x: math.sin(1 / x), 1e-16, lambda x: -math.cos(1 / x) / x**2),
    *lost("a fast sine at 3e-17", lambda x: math.sin(1 / x), 3e-17, lambda x: -math.cos(1 / x) / x**2),
    *lost("a fast sine of NumPy's", lambda x: np.sin(1 / x), np.float64(1e-16), lambda x: -np.cos(1 / x) / x**2),
    *lost("a fast cosine", lambda x: math.cos(1 / (3 * x)), 7e-17, lambda x: math.sin(1 / (3 * x)) / (3 * x**2)),
    *lost(
        "a tamed fast sine",
        lambda x: x * x * math.sin(1 / x),
        1e-16,
        lambda x: 2 * x * math.sin(1 / x) - math.cos(1 / x),
    ),
    *lost("a sine of a large square", lambda x: math.sin(x * x), 123456789.1, lambda x: 2 * x * math.cos(x * x)),
    *lost(
        "a sine of an exponential", lambda x: math.sin(math.exp(x)), 37.3, lambda x: math.exp(x) * math.cos(math.exp(x))
    ),
    *claims(
        "a sine of a number without rounding",
        lambda x: math.sin(1 / x),
        2.0**-55,
        lambda x: -math.cos(1 / x) / x**2,
        "1 / x is exact",
    ),
    *lost("constants that cancel", lambda t: 0.1 * t + 0.2 * t - 0.3 * t, 1.7, lambda t: 0.0),
    *lost(
        "constants that cancel, added up by hand", lambda t: 0.1 * t + 0.2 * t - 0.3 * t, 1.7, lambda t: 0.1 + 0.2 - 0.3
    ),
    *lost("squares that cancel", lambda t: 0.1 * t * t + 0.2 * t * t - 0.3 * t * t, 1.7, lambda t: 0.0),
    *lost("a sum of tenths", lambda t: sum([0.1] * 10) * t - t, 5.0, lambda t: 0.0),
    *claims(
        "constants that cancel but for one",
        lambda t: 0.1 * t + 0.2 * t - 0.3 * t + 1e-9 * t,
        1.7,
        lambda t: 1e-9,
        "the rest is exact",
        wrong={"without it": lambda t: 0.0, "a millionth off": lambda t: 1.000001e-9},
    ),
    *claims("a cusp and a kink", bukin, np.array([-10.0, 1.0]), None, "nan by the chain rule", own="nonfinite"),
    *claims(
        "a cusp and a kink of two numbers",
        cusp_and_kink,
        (1.0, 0.0),
        lambda x, y: (0.0, 0.0),
        "no slope, and one between -1 and 1",
        own="nonfinite",
        truth="nonfinite",
        wrong={"outside": lambda x, y: (0.0, 3.0)},
    ),
]
