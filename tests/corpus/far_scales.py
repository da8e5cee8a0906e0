"""Claims about norms whose squares overflow or underflow, rules that cancel, and what is 0 times infinity."""

import math
from functools import partial

import mpmath
import numpy as np
import scipy.special

from tests.corpus.claim import claims

judged = partial(claims, own=None)

TINY = np.array([3e-200, 4e-200])
SLOPES = np.array([0.6, 0.8])
LARGE = 1.5e10
C0, S0 = math.cos(0.3), math.sin(0.3)


def slope_of_binom(n):
    """Of n (n - 1) (n - 2) / 6, as a polynomial."""
    return ((n - 1) * (n - 2) + n * (n - 2) + n * (n - 1)) / 6


def slopes_of_betaln(a, b):
    with mpmath.workdps(50):
        both = mpmath.digamma(mpmath.mpf(a) + mpmath.mpf(b))
        return float(mpmath.digamma(a) - both), float(mpmath.digamma(b) - both)


def turned(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


START = turned(0.3)


def turned_back(angle):
    """What is left of a turn after the one by 0.3 is undone, as a vector."""
    rest = turned(angle) @ START.T
    return np.array([rest[2, 1] - rest[1, 2], rest[0, 2] - rest[2, 0], rest[1, 0] - rest[0, 1]]) / 2


CLAIMS = [
    *claims("far: the norm of tiny numbers", np.linalg.norm, TINY, lambda x: SLOPES,
        "NumPy's norm is 0, as the squares underflow, and the norm is 5e-200", own="disputed"),
    *claims("far: hypot of tiny numbers", lambda x: np.hypot(x[0], x[1]), TINY, lambda x: SLOPES, "x over its norm",
        wrong={"nothing": np.zeros_like, "longer": lambda x: 1.01 * SLOPES}),
    *claims("far: a distance of tiny numbers", lambda x: math.dist(x, [0.0, 0.0]), [3e-200, 4e-200],
        lambda x: [0.6, 0.8], "x over its norm", wrong={"nothing": lambda x: [0.0, 0.0]}),
    *claims("far: a distance of huge numbers", lambda x: math.dist(x, [0.0, 1e200]), [3e200, 5e200],
        lambda x: [0.6, 0.8], "the difference over its norm", wrong={"the numbers": lambda x: [0.3, 0.5]}),
    # rules that cancel
    *claims("far: a binomial coefficient of a large number", lambda n: scipy.special.binom(n, 3.0), LARGE,
        slope_of_binom, "a polynomial",
        wrong={"a hundred-thousandth": lambda n: slope_of_binom(n) * (1 + 1e-5), "nothing": lambda n: 0.0}),
    *claims("far: a rising factorial of a large number", lambda n: scipy.special.poch(n, 3.0), LARGE,
        lambda n: 3 * n * n + 6 * n + 2, "n (n + 1) (n + 2)",
        wrong={"a hundred-thousandth": lambda n: 3 * n * n * (1 + 1e-5)}),
    *claims(
        "far: the logarithm of a beta function of a large number",
        scipy.special.betaln,
        (1e10, 2.5),
        slopes_of_betaln,
        "differences of digamma",
        wrong={
            "a ten-thousandth of the small one": lambda a, b: (
                slopes_of_betaln(a, b)[0] * 1.0001,
                slopes_of_betaln(a, b)[1],
            ),
            "nothing for the large one": lambda a, b: (0.0, slopes_of_betaln(a, b)[1]),
        },
    ),
    # 0 times infinity
    *judged("far: a cube root, cubed, at 0", lambda x: np.cbrt(x) ** 3, np.float64(0.0), lambda x: 1.0, "x itself",
        wrong={"nothing": lambda x: 0.0, "a third": lambda x: 1 / 3}),
    *judged("far: the cube root of a cube at 0", lambda x: np.sum(np.cbrt(x**3)), np.array([0.0, 2.0]),
        lambda x: np.ones(2), "x itself", wrong={"nothing at 0": lambda x: np.array([0.0, 1.0])}),
    *judged("far: a cube root, cubed, times another number", lambda x: np.cbrt(x[0]) ** 3 * x[1], np.array([0.0, 2.0]),
        lambda x: np.array([2.0, 0.0]), "a product", wrong={"nothing": np.zeros_like}),
    *judged("far: a cube root to the fifth at 0", lambda x: np.cbrt(x) ** 5, np.float64(0.0), lambda x: 0.0,
        "5/3 x**(2/3)", wrong={"one": lambda x: 1.0}),
    *judged("far: a root of abs, squared, at 0", lambda x: np.sqrt(np.abs(x)) ** 2, np.float64(0.0), lambda x: 0.5,
        "the size of x", truth="kink", wrong={"beyond": lambda x: 1.5}),
    # beside rounded constants
    *judged("far: a sine less a constant of it", lambda a, b: b * (math.sin(a) - S0) + a, (0.3, 0.5),
        lambda a, b: (1 + b * C0, 0.0), "the constant is the sine, rounded", truth="roundoff",
        wrong={"a millionth": lambda a, b: (1 + b * C0, 1e-6), "the sine": lambda a, b: (1 + b * C0, S0)}),
    *judged("far: a turn less one of the same angle", lambda a, b: math.exp(b) * (math.cos(a) * S0 - math.sin(a) * C0),
        (0.3, 0.5), lambda a, b: (-math.exp(b), 0.0), "the sine of what is left is 0", truth="roundoff",
        wrong={"the sign": lambda a, b: (math.exp(b), 0.0)}),
    *claims("far: the Jacobian of a turn that was undone", turned_back, 0.3, lambda a: np.array([0.0, 0.0, 1.0]),
        "about the third axis", of="jacobian", wrong={"about the first": lambda a: np.array([1.0, 0.0, 0.0])}),
]  # fmt: skip
