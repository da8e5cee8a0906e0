"""Claims at points with a branch of their own, where the formula beside them is 0/0 and goes on smoothly or not."""

import math

import numpy as np

from tests.corpus.claim import claims


def sine_ratio(x):
    if x == 0:
        return 1.0
    return math.sin(x) / x


def mean_of_pair(pair):
    """The same of an array, times a third number."""
    if pair[0] == pair[1]:
        return pair[0] * pair[2]
    return (pair[0] - pair[1]) / np.log(pair[0] / pair[1]) * pair[2]


def guarded(width):
    """The quotient where it has digits left, and its limit where not."""
    return lambda x: (math.exp(x) - 1) / x if abs(x) > width else 1.0


def guarded_by_square(width):
    """The same guard, of which the margin hardly moves where it is asked."""
    return lambda x: (math.exp(x) - 1) / x if x * x > width * width else 1.0


def masked(x):
    """The quotient of those numbers for which it holds."""
    y, known = np.ones_like(x), np.abs(x) > 1e-9
    y[known] = (np.exp(x[known]) - 1) / x[known]
    return np.sum(y)


def grad_masked(x):
    """From the series, and from the formula for larger numbers."""
    small = np.abs(x) < 1e-3
    safe = np.where(small, 1.0, x)
    return np.where(small, 0.5 + x / 3, (safe * np.exp(safe) - np.exp(safe) + 1) / safe**2)


def of_squares(x, y):
    """The quotient of a sum of squares, which is flat at 0."""
    r2 = x * x + y * y
    return (math.exp(r2) - 1) / r2 + 2 * x if r2 else 1.0 + 2 * x


CLAIMS = [
    *claims("(exp(x)-1)/x at 0", lambda x: (math.exp(x) - 1) / x if x != 0 else 1.0, 0.0, lambda x: 0.5,
        "the series begins 1 + x/2", own="wrong",
        wrong={"that of the branch": lambda x: 0.0, "1 part in a million": lambda x: 0.5000005}),
    *claims("(1-cos(x))/x^2 at 0", lambda x: 0.5 if x == 0 else (1 - math.cos(x)) / x**2, 0.0, lambda x: 0.0, "even",
        wrong={"not flat": lambda x: 1e-6}),
    *claims("sinc at 0", sine_ratio, 0.0, lambda x: 0.0, "even", wrong={"not flat": lambda x: 0.3}),
    *claims("a divided difference where both are 1",
        lambda x, y: math.exp(x) if x == y else (math.exp(x) - math.exp(y)) / (x - y), {"x": 1.0, "y": 1.0},
        lambda x, y: (math.exp(x) / 2, math.exp(x) / 2), "symmetric, and along x = y it is exp", own="wrong",
        wrong={"that of the branch": lambda x, y: (math.exp(x), 0.0)}),
    *claims("the logarithmic mean where both are 2",
        lambda x, y: x if x == y else (x - y) / (math.log(x) - math.log(y)), {"x": 2.0, "y": 2.0},
        lambda x, y: (0.5, 0.5), "symmetric, and along x = y it is x", own="wrong",
        wrong={"that of the branch": lambda x, y: (1.0, 0.0), "swapped": lambda x, y: (0.0, 1.0)}),
    *claims("the logarithmic mean in an array", mean_of_pair, np.array([2.0, 2.0, 3.0]),
        lambda pair: np.array([1.5, 1.5, 2.0]), "as that of two numbers", own="wrong",
        wrong={"one number wrong": lambda pair: np.array([1.5, 1.5000003, 2.0])}),
    *claims("(exp(x)-1)/x with its series at 0", lambda x: 1.0 + x / 2 if x == 0 else (math.exp(x) - 1) / x, 0.0,
        lambda x: 0.5, "the branch has the slope of the formula", wrong={"none": lambda x: 0.0}),
    *claims("(exp(x)-1)/x that is 2 at 0", lambda x: 2.0 if x == 0 else (math.exp(x) - 1) / x, 0.0, lambda x: 0.5,
        "the limit is 1", own="jump"),
    *claims("a bend behind a branch of its own", lambda x: 0.0 if x == 0 else (math.exp(abs(x)) - 1 - abs(x)) / abs(x),
        0.0, lambda x: 0.0, "the slopes are -1/2 and 1/2", own="kink", wrong={"beyond both": lambda x: 0.7}),
    *claims("x sin(1/x)", lambda x: 0.0 if x == 0 else x * math.sin(1 / x), 0.0, lambda x: 0.0,
        "the slopes have no limit", own="undecidable", truth="undecidable"),
    *claims("(exp(x)-1)/x behind a narrow guard", guarded(1e-8), 0.0, lambda x: 0.5,
        "the formula has no digits there, and its limit has", own="undecidable",
        wrong={"neither": lambda x: 0.7, "1 part in a million": lambda x: 0.5000005}),
    *claims("(exp(x)-1)/x within its narrow guard", guarded(1e-8), 3e-9, lambda x: 0.5 + x / 3,
        "the formula has few digits there", own="undecidable", wrong={"neither": lambda x: 0.7}),
    *claims("(exp(x)-1)/x behind a wider guard", guarded(1e-5), 0.0, lambda x: 0.5, own="undecidable",
        wrong={"the sign": lambda x: -0.5}),
    *claims("(exp(x)-1)/x within its narrow guard by the square", guarded_by_square(1e-8), 1e-10, lambda x: 0.5 + x / 3,
        "the formula has no digits there, and its limit has", own="undecidable", wrong={"neither": lambda x: 0.7}),
    *claims("a narrow dead zone", lambda x: 0.0 if abs(x) < 1e-6 else 3 * x, 0.0, lambda x: 3.0, own="undecidable",
        truth="undecidable"),
    *claims("a masked quotient", masked, np.array([0.0, 1.0, 0.0, 2.0]), grad_masked, own="undecidable",
        wrong={"one number": lambda x: grad_masked(x) + np.array([0.0, 0.0, 1e-3, 0.0])}),
    *claims("(exp(x)-1)/x at 0 in single precision", lambda x: (np.exp(x[0]) - 1) / x[0] if x[0] != 0 else x[0] * 0 + 1,
        np.zeros(1, np.float32), lambda x: np.array([0.5], np.float32), own="wrong",
        wrong={"a hundredth": lambda x: np.array([0.505], np.float32)}),
    *claims("slopes along each number and others between",
        lambda x, y: (x**3 + y**3) / (x * x + y * y) if x or y else 0.0, (0.0, 0.0), lambda x, y: (1.0, 1.0),
        "homogeneous, and not linear: along the diagonal the gradients have slopes from 0.75 to 3, and not 0",
        own="wrong", truth="kink"),
    *claims("a quotient of squares at 0", of_squares, (0.0, 0.0), lambda x, y: (2.0, 0.0), "even but for 2x",
        wrong={"not flat": lambda x, y: (2.0, 0.1)}),
    *claims("a quotient by a complex number at 0", lambda z: abs((np.exp(z) - 1) / z) if z != 0 else 1.0, 0j,
        lambda z: 0.5 + 0j, "|1 + z/2|", own="wrong",
        wrong={"that of the branch": lambda z: 0j, "turned": lambda z: 0.5j}),
]  # fmt: skip
