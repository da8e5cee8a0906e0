"""Claims about values that are found by search: the input acts through comparisons alone, and yet has an effect."""

import bisect
import math

import numpy as np

from tests.corpus.claim import Claim, claims

GOLDEN = (math.sqrt(5.0) - 1) / 2
LEVELS = np.linspace(0.0, 4.0, 401)
NODES = [k / 64 for k in range(257)]


def halved(f, low, high, turns=60):
    """A bisection of so many turns."""
    for _ in range(turns):
        middle = (low + high) / 2
        if f(middle) > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def cubic_root(a):
    """The root of y**3 + y = a."""
    return halved(lambda y: y**3 + y - a, 0.0, 4.0)


def grad_cubic_root(a):
    return 1 / (3 * cubic_root(a) ** 2 + 1)


def root_below(c):
    """A square root by a bisection of which an end depends on the input, to the last digit."""
    return halved(lambda y: y * y - c, 0.0, max(c, 1.0), 200)


def root_nearly(c):
    """The same until the interval is narrow."""
    low, high = 0.0, c + 1.0
    while high - low > 1e-12:
        middle = (low + high) / 2
        if middle * middle > c:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def half_root(c):
    return 0.5 / math.sqrt(c)


def until_narrow(a):
    """A bisection that ends when its interval is narrow."""
    low, high = 0.0, 4.0
    while high - low > 1e-11:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if math.exp(middle) * middle > a else (middle, high)
    return low


def grad_until_narrow(a):
    y = until_narrow(a)
    return 1 / (math.exp(y) * (1 + y))


def implied_volatility(q):
    """By a bisection of the Black-Scholes formula, from the price and the spot."""
    price, spot = q

    def call(s):
        d = (math.log(spot / 100.0) + 0.5 * s * s) / s
        return spot * phi(d) - 100.0 * phi(d - s)

    return halved(lambda s: call(s) - price, 1e-3, 3.0)


def phi(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def grad_implied_volatility(q):
    """One over vega, and minus delta over vega."""
    s, spot = implied_volatility(q), q[1]
    d = (math.log(spot / 100.0) + 0.5 * s * s) / s
    vega = spot * math.exp(-d * d / 2) / math.sqrt(2 * math.pi)
    return np.array([1 / vega, -phi(d) / vega])


def golden(a):
    """Where cosh(x) - a x is least, by golden sections."""
    low, high = 0.0, 3.0
    for _ in range(35):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        if math.cosh(left) - a * left < math.cosh(right) - a * right:
            high = right
        else:
            low = left
    return (low + high) / 2


def quantile(p):
    """The inverse of a distribution, by bisection in arrays."""
    low, high = np.zeros(2), np.full(2, 20.0)
    for _ in range(60):
        middle = (low + high) / 2
        above = 1 - np.exp(-middle / 2.0) > p
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return np.sum(low * np.array([1.0, 3.0]))


def digits(x):
    """A square root digit by digit, to 40 binary places."""
    root, bit = 0.0, 2.0
    for _ in range(42):
        if (root + bit) ** 2 <= x:
            root += bit
        bit /= 2
    return root


def searched(name, f, at, right, why="the theorem of implicit functions", **wrong) -> list[Claim]:
    """Claims at a value found by search: its effect, nothing, and a tenth too much."""
    flat = "between two comparisons the program is flat"
    return [
        *claims(f"searched: {name}", f, at, right, why, own="cut", **wrong),
        *claims(f"searched: {name}, as recorded", f, at, lambda x: 0.0 * x, flat, own=None, truth="cut"),
        *claims(
            f"searched: {name}",
            f,
            at,
            None,
            why,
            own=None,
            wrong={
                "a tenth too much": lambda x: 1.1 * right(x),
                "the sign": lambda x: -right(x),
                "a hundredth too little": lambda x: 0.99 * right(x),
            },
        ),
    ]


CLAIMS = [
    *searched("a cubic's root", cubic_root, 5.0, grad_cubic_root),
    *searched("until narrow", until_narrow, 3.0, grad_until_narrow),
    *searched("implied volatility", implied_volatility, np.array([9.0, 101.0]), grad_implied_volatility),
    *searched("quantiles in arrays", quantile, np.array([0.3, 0.85]), lambda p: np.array([1.0, 3.0]) * 2 / (1 - p),
        "-2 log(1 - p)"),
    *searched("a root by its digits", digits, 7.3, lambda x: 0.5 / math.sqrt(x), "sqrt, but for 1e-12"),
    *claims("searched: golden sections", golden, 1.4, lambda a: 1 / math.cosh(golden(a)),
        "sinh(x) = a, to some seven digits: that many hold in the values compared", own="cut",
        wrong={"the sign": lambda a: -1 / math.cosh(golden(a)), "half": lambda a: 0.5 / math.cosh(golden(a))}),
    *claims("searched: and a factor of its own", lambda a, b: cubic_root(a) * b**2, (5.0, 1.5),
        lambda a, b: (grad_cubic_root(a) * b**2, 2 * b * cubic_root(a)), "the theorem of implicit functions", own="cut",
        wrong={"a tenth too much": lambda a, b: (1.1 * grad_cubic_root(a) * b**2, 2 * b * cubic_root(a)),
            "the other factor": lambda a, b: (grad_cubic_root(a) * b**2, b * cubic_root(a)),
            "a millionth in the other factor": lambda a, b: (0.0, 2.000002 * b * cubic_root(a))}),
    *claims("searched: a staircase", lambda x: float(np.searchsorted(LEVELS, x)) / 100.0, 1.2345, lambda x: 0.0,
        "flat from 1.23 to 1.24", own="cut"),
    *claims("searched: a staircase of the library", lambda x: NODES[bisect.bisect_left(NODES, x)], 1.23, lambda x: 0.0,
        "flat for a sixty-fourth", own="cut"),
    *claims("searched: a rounded square", lambda x: round(x * x, 9), 1.3, lambda x: 0.0, "flat between jumps of 1e-9",
        own="cut", wrong={"half": lambda x: x, "the sign": lambda x: -2 * x}),
    *claims("searched: a rounded square, as if it were not", lambda x: round(x * x, 9), 1.3, lambda x: 2 * x,
        "what steps wider than 1e-9 give", own=None, truth="cut"),
    *claims("searched: a count of steps", lambda x: float(sum(1 for k in range(100) if k * 0.1 < x)), 4.55,
        lambda x: 0.0, "flat from 4.5 to 4.6", own="cut"),
    *claims("searched: a sign and a slope", lambda x: math.copysign(2.0, x) + 3 * x, 0.7, lambda x: 3.0,
        "copysign is flat beside 0", wrong={"the sign": lambda x: -3.0, "a millionth": lambda x: 3.000003}),
    *claims("searched: a threshold that is never met", lambda x: np.sum(np.where(np.abs(x) < 1e6, x**2, np.abs(x))),
        np.array([0.5, -1.2]), lambda x: 2 * x, "the other branch is far away", wrong={"the other branch": np.sign}),
    *(
        claim
        for name, f, at, right, own in (
            ("to the last digit", root_below, 2.0, half_root, "wrong"),
            ("to the last digit, of 3", root_below, 3.0, half_root, "wrong"),
            (
                "of both",
                lambda c: halved(lambda y: y**3 - c, 0.1 * c, c + 1.0, 200),
                5.0,
                lambda c: c ** (-2 / 3) / 3,
                "wrong",
            ),
        )
        for claim in claims(
            f"searched between ends of the input: {name}",
            f,
            at,
            right,
            "the theorem of implicit functions; each path has a slope of its own and leaps to the next",
            own=own,
            wrong={
                "a thousandth": lambda c, right=right: 1.001 * right(c),
                "twice": lambda c, right=right: 2 * right(c),
            },
        )
    ),
    *claims("searched between ends of the input: nearly", root_nearly, 2.0, half_root,
        "the path, which has another slope, holds within 1e-12", own="undecidable", truth="undecidable",
        wrong={"twice": lambda c: 2 * half_root(c), "a thousandth": lambda c: 1.001 * half_root(c)}),
]  # fmt: skip
