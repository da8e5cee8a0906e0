"""Claims about inputs that act through outcomes alone: bisections, searches, what is rounded or counted."""

import math

import numpy as np

from tests.corpus.claim import claims


def bisected(a, turns=60):
    """The real root of x**3 + x = a."""
    low, high = 0.0, 4.0
    for _ in range(turns):
        middle = (low + high) / 2
        low, high = (low, middle) if middle**3 + middle > a else (middle, high)
    return (low + high) / 2


def slope_of_root(a):
    return 1 / (3 * bisected(a) ** 2 + 1)


def tolerant(a):
    """The square root, to eight digits."""
    low, high = 0.0, 3.0
    while high - low > 1e-8:
        middle = 0.5 * (low + high)
        if middle * middle < a:
            low = middle
        else:
            high = middle
    return low


def median_by_bisection(x):
    """The number below which half of the mass of five logistic steps lies."""
    low, high = -10.0, 10.0
    for _ in range(50):
        middle = (low + high) / 2
        if np.sum(1 / (1 + np.exp(x - middle))) > 2.5:
            high = middle
        else:
            low = middle
    return low


def slopes_of_median(x):
    """By the implicit function theorem: each step's share of the density there."""
    s = 1 / (1 + np.exp(x - median_by_bisection(x)))
    return s * (1 - s) / np.sum(s * (1 - s))


def lowest(a):
    """Where (x - a)**2 + exp(x) is least, by thirds."""
    low, high = -3.0, 3.0
    for _ in range(45):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        if (left - a) ** 2 + math.exp(left) < (right - a) ** 2 + math.exp(right):
            high = right
        else:
            low = left
    return low


def rounded(x):
    return round(x * x, 6)


def counted(x):
    return sum(1.0 for v in x if v > 0.5) / len(x)


POINT = np.array([0.3, -1.1, 0.9, 2.0, -0.4])

CLAIMS = [
    *claims("a root by bisection", bisected, 5.0, slope_of_root, "the implicit derivative", own="cut",
        wrong={"without the 1": lambda a: 1 / (3 * bisected(a) ** 2),
            "a thousandth": lambda a: 1.001 * slope_of_root(a), "the sign": lambda a: -slope_of_root(a)}),
    *claims("a root by bisection: nothing", bisected, 7.3, lambda a: 0.0, "every path is flat", own=None, truth="cut"),
    *claims("a root by 30 bisections", lambda a: bisected(a, 30), 5.0, slope_of_root, "the implicit derivative",
        own="cut", wrong={"twice": lambda a: 2 * slope_of_root(a)}),
    *claims("a bisection to a tolerance", tolerant, 2.0, lambda a: 0.5 / math.sqrt(a), "the implicit derivative",
        own="cut", wrong={"without the half": lambda a: 1 / math.sqrt(a), "inverted": lambda a: 2 * math.sqrt(a)}),
    *claims("a median by bisection", median_by_bisection, POINT, slopes_of_median, "the implicit derivatives",
        own="cut", wrong={"alike": lambda x: np.full(5, 0.2)}),
    *claims("a search by thirds", lowest, 1.0, lambda a: 0.0, "every path is flat", own="cut",
        wrong={"the sign": lambda a: -2 / (2 + math.exp(lowest(a))), "one": lambda a: 1.0}),
    *claims("a square of six decimals", rounded, 1.23456, lambda x: 2 * x, "the slope of what is rounded", own="cut",
        wrong={"the power": lambda x: 3 * x, "once": lambda x: x}),
    *claims("a step far off", lambda x: 1.0 if x > 1 else 0.0, 2.0, lambda x: 0.0, "flat for 1 to both sides",
        own="cut", wrong={"one": lambda x: 1.0}),
    *claims("a floor", lambda x: math.floor(3 * x), 0.5, lambda x: 0.0, "flat as far as any difference steps",
        own="cut", wrong={"the slope on the whole": lambda x: 3.0}),
    *claims("a table of a hundred", lambda x: math.floor(100 * x) / 100, 0.505, lambda x: 1.0,
        "too few steps to be sure of the slope on the whole", own="cut", truth="undecidable",
        wrong={"far off": lambda x: 100.0}),
    *(
        claim
        for name, f, x, slope in [
            ("hundredths", lambda x: round(100 * x) / 100, 0.70123, 1.0),
            ("a byte", lambda x: int(256 * x) / 256, 0.3, 1.0),
            ("thousands that are less", lambda x: sum(k < 1000 * x for k in range(1000)) / 1000.0, 0.70123, 1.0),
            ("a grid", lambda x: np.searchsorted(np.linspace(0.0, 1.0, 1001), x) / 1000.0, 0.70123, 1.0),
            ("squares in steps", lambda x: math.floor(1000 * x * x) / 1000, 0.70123, 1.40246),
            ("a sine in steps", lambda x: np.rint(1000 * np.sin(5 * x)) / 1000, np.float64(0.70123), -4.672),
        ]
        for claim in claims(
            f"a staircase: {name}",
            f,
            x,
            lambda x: 0.0,
            f"the slope on the whole is {slope:.6g}",
            own="cut",
            wrong={
                "the sign": lambda x, slope=slope: -slope,
                "twice": lambda x, slope=slope: 2 * slope,
            },
        )
    ),
    *claims("a staircase at a step", lambda x: math.floor(x), 2.0, lambda x: 0.0, "jumps", own="jump"),
    *claims("how many are above", counted, np.linspace(0.0, 0.9, 8), lambda x: np.zeros(8), own="cut",
        wrong={"one": lambda x: np.ones(8)}),
]  # fmt: skip
