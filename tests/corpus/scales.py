"""Claims where numbers are very large, very small, cancel, saturate or oscillate."""

import math

import numpy as np

from tests.corpus.claim import claims


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def cancelling(x):
    """Half of the digits are gone at 1e-4, but no more of the gradient than of a quotient's."""
    return (1 - math.cos(x)) / x**2


def cancelling_slope(x):
    """Its derivative from the series, which keeps its digits."""
    return -x / 12 + x**3 / 180 - x**5 / 6720


def exp_series(x):
    """Terms up to 1e11 that add up to 1e-13: no digit is left."""
    term = total = 1.0
    for n in range(1, 150):
        term = term * x / n
        total = total + term
    return total


def softplus(x):
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


CLAIMS = [
    *claims("a small slope beside terms that cancel", lambda x: (x - x) + x / 1e100, 2.0, lambda x: 1e-100,
        "x - x is 0; added up in another order, 1e-100 is lost beside 1", own="undecidable",
        wrong={"nothing": lambda x: 0.0, "twice": lambda x: 2e-100}),
    *claims("a quotient by itself", lambda x: x / x + abs(x), 1e-300, lambda x: 1.0, "1 + x", own=None,
        wrong={"a millionth": lambda x: 1.000001, "nothing": lambda x: 0.0}),
    *claims("a cube next to nothing", lambda x: x**3 + (x - x), 1e-160, lambda x: 3 * x * x, "3e-320",
        wrong={"much more": lambda x: 6e-300}),
    *claims("a small slope beside a large one", lambda x, y: 1e3 * x + 1e-9 * y, (2.0, 3.0), lambda x, y: (1e3, 1e-9),
        wrong={"the small one missing": lambda x, y: (1e3, 0.0), "the small one twice": lambda x, y: (1e3, 2e-9),
            "the small one a thousandth off": lambda x, y: (1e3, 1.001e-9),
            "the large one a millionth off": lambda x, y: (1e3 + 1e-3, 1e-9)}),
    *claims("a huge factor", lambda x: 1e200 * x**2, 1e50, lambda x: 2e200 * x),
    *claims("a tiny factor", lambda x: 1e-200 * x**2, 1e-50, lambda x: 2e-200 * x),
    *claims("a logarithm at the edge of its domain", math.log, 1e-300, lambda x: 1 / x),
    *claims("a cube and a line at 0", lambda x: x**3 + x, 0.0, lambda x: 1.0),
    *claims("a constant", lambda x: 3.0, 2.0, lambda x: 0.0, wrong={"a thousandth": lambda x: 1e-3}),
    *claims("a root that is not taken", lambda x: np.where(x < 1, x, np.sqrt(x)), np.float64(0.0), lambda x: 1.0),
    *claims("a sine, not a number", math.sin, 1.0, own=None, wrong={"nan": lambda x: math.nan}),
    *claims("a small kink", lambda x: 1e-9 * abs(x), 0.0, lambda x: 0.0, "slopes -1e-9 and 1e-9", own="kink",
        wrong={"outside": lambda x: 1.5e-9}),
    *claims("a huge value", lambda x: x**2, 1e150, lambda x: 2 * x, wrong={"without the factor": lambda x: x}),
    *claims("a tiny value", lambda x: 1e-12 * (x**4 - x), 1.5, lambda x: 1e-12 * (4 * x**3 - 1),
        wrong={"half of it": lambda x: 5e-13 * (4 * x**3 - 1), "nothing": lambda x: 0.0}),
    *claims("a tiny input", lambda x: math.sin(x) * 1e6, 1e-12, lambda x: 1e6 * math.cos(x),
        wrong={"the value over the input, twice": lambda x: 2e6}),
    *claims("a far input", math.sin, 1e10, math.cos,
        wrong={"the sign": lambda x: -math.cos(x), "a thousandth more": lambda x: 1.001 * math.cos(x)}),
    *claims("a pedestal", lambda x: 1e12 + x**3, 2.0, lambda x: 3 * x**2, wrong={"the power": lambda x: 2 * x**2}),
    *claims("a large pedestal", lambda x: 1e15 + x * x, 3.0, lambda x: 2 * x),
    *claims("a pedestal that hides it from differences", lambda x: 1e16 + 1e-3 * x * x, 3.0, lambda x: 2e-3 * x,
        wrong={"half": lambda x: 1e-3 * x}),
    *claims("one less cosine over a square", cancelling, 0.1, cancelling_slope,
        "the series, whose next term is 1e-12 of it", wrong={"the sign": lambda x: -cancelling_slope(x)}),
    *claims("the same near 0", cancelling, 1e-6, cancelling_slope,
        "the series; the program itself loses every digit of its gradient", own="undecidable",
        wrong={"the sign": lambda x: -cancelling_slope(x), "1000 times": lambda x: 1e3 * cancelling_slope(x)}),
    *claims("exp by its series, far on the left", exp_series, -30.0, math.exp,
        "exp is its own derivative; the program loses every digit of its gradient", own="undecidable",
        wrong={"a small number instead": lambda x: 1e-8, "nothing": lambda x: 0.0}),
    *claims("a sigmoid at 40", sigmoid, 40.0, lambda x: math.exp(-x) / (1 + math.exp(-x)) ** 2,
        wrong={"nothing": lambda x: 0.0, "twice": lambda x: 2 * math.exp(-x), "the sign": lambda x: -math.exp(-x)}),
    *claims("a sigmoid at -40", sigmoid, -40.0, lambda x: sigmoid(x) * (1 - sigmoid(x)),
        wrong={"nothing": lambda x: 0.0}),
    *claims("tanh at 30", math.tanh, 30.0, lambda x: 1 / math.cosh(x) ** 2, "tanh' = sech**2, 4e-26 here",
        wrong={"nothing": lambda x: 0.0, "four times": lambda x: 4 / math.cosh(x) ** 2}),
    *claims("tanh at 300", math.tanh, 300.0, lambda x: 1 / math.cosh(x) ** 2, "tanh' = sech**2, 2e-260 here",
        wrong={"nothing": lambda x: 0.0, "the sign": lambda x: -1 / math.cosh(x) ** 2}),
    *claims("softplus far on the left", softplus, -50.0, sigmoid, wrong={"the other tail": lambda x: sigmoid(-x)}),
    *claims("softplus far on the right", softplus, 50.0, sigmoid, wrong={"a thousandth less": lambda x: 0.999}),
    *claims("a fast oscillation", lambda x: math.sin(1e6 * x), 0.3, lambda x: 1e6 * math.cos(1e6 * x),
        wrong={"the factor": lambda x: math.cos(1e6 * x), "a millionth": lambda x: 1.000001e6 * math.cos(1e6 * x)}),
    *claims("a faster oscillation", lambda x: math.sin(1e9 * x), 1.0, lambda x: 1e9 * math.cos(1e9 * x)),
    *claims("a fast ripple on a slow slope", lambda x: x + 1e-7 * math.sin(1e6 * x), 0.7,
        lambda x: 1 + 0.1 * math.cos(1e6 * x), wrong={"without the ripple": lambda x: 1.0}),
    *claims("a sum of squares where it is least", lambda x: np.sum((x - 1) ** 2), np.ones(4), lambda x: 2 * (x - 1),
        "exactly 0",
        wrong={"a millionth": lambda x: np.full(4, 1e-6), "a billionth in one": lambda x: np.eye(4)[2] * 1e-9}),
    *claims("an input of no effect", lambda x, y: math.exp(x) + 0 * y, (1.0, 2.0), lambda x, y: (math.exp(x), 0.0),
        "0 * y is 0", wrong={"a millionth": lambda x, y: (math.exp(x), 1e-6)}),
    *claims("an even function at 0", math.cos, 0.0, lambda x: -math.sin(x), "-sin(0) = 0",
        wrong={"a millionth": lambda x: 1e-6, "a trillionth": lambda x: 1e-12}),
    *claims("a difference of large terms", lambda x: (1e8 * x + 3 * x) - 1e8 * x, 2.0, lambda x: 3.0,
        wrong={"a millionth more": lambda x: 3.000003}),
    *claims("an underflow", lambda x: math.exp(-(x**2)), 26.0, lambda x: -2 * x * math.exp(-(x**2)), "6e-293",
        own="right"),
    *claims("a ratio of huge numbers", lambda x, y: (1e200 * x) / (1e200 * y), (2.0, 3.0),
        lambda x, y: (1 / y, -x / y**2), wrong={"the sign of the second": lambda x, y: (1 / y, x / y**2)}),
]  # fmt: skip
