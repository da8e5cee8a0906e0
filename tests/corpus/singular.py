"""Claims where a value or a slope is infinite or not defined, and where that hides behind a mask."""

import math

import numpy as np

from tests.corpus.claim import Claim, claims


def xlogx(x):
    return x * math.log(x) if x > 0 else 0.0


def masked_log(x):
    """The logarithm of a negative number is set aside."""
    with np.errstate(all="ignore"):
        return np.sum(np.where(x > 0, np.log(x), 0.0))


def safe_ratio(x):
    """X / (x - 1), with 0 where it has none."""
    with np.errstate(all="ignore"):
        return np.sum(np.where(x == 1, 0.0, x / (x - 1)))


def cancelled(name, f, at, slope) -> list[Claim]:
    """A smooth function by steps of which one has an infinite slope: differences alone decide."""
    return claims(
        f"cancelled: {name}", f, at, lambda *_: slope, "its values next to the point", own="wrong",
        wrong={"nothing" if slope else "a number": lambda *_: 0.0 if slope else 0.5, "off": lambda *_: slope + 1e-3},
    )  # fmt: skip


CLAIMS = [
    *cancelled("a cube root, cubed", lambda x: np.cbrt(x) ** 3, np.float64(0.0), 1.0),
    *cancelled("a cube root, three times", lambda x: np.cbrt(x) * np.cbrt(x) * np.cbrt(x), np.float64(0.0), 1.0),
    *cancelled("a cube root of a float, cubed", lambda x: math.cbrt(x) ** 3, 0.0, 1.0),
    *cancelled("a sine of a cubed cube root", lambda x: np.sin(np.cbrt(x - 1) ** 3), np.float64(1.0), 1.0),
    *cancelled("a cubed cube root beside others", lambda x: np.cbrt(x) ** 3 + 3 * x, np.float64(0.0), 4.0),
    *cancelled("a cube root to the fourth", lambda x: np.cbrt(x) ** 4, np.float64(0.0), 0.0),
    *cancelled("a cube root of a cube", lambda x: np.cbrt(x**3), np.float64(0.0), 1.0),
    *cancelled("a root of a size, squared twice", lambda x: np.sqrt(np.abs(x)) ** 4, np.float64(0.0), 0.0),
    *claims("a cube root, squared", lambda x: np.cbrt(x) ** 2, np.float64(0.0), lambda x: 0.0, "a cusp",
        own="nonfinite"),
    *claims("sqrt at 0", math.sqrt, 0.0, lambda x: 0.0, "infinite slope", own="nonfinite"),
    *claims("sqrt of abs at 0", lambda x: abs(x) ** 0.5, 0.0, lambda x: 0.0, "slopes of both infinities",
        own="nonfinite"),
    *claims("sqrt behind a branch at 0", lambda x: 0.0 if x <= 0 else math.sqrt(x), 0.0, lambda x: 0.0,
        "0 to the left, infinite to the right", own="nonfinite"),
    *claims("x log x behind a branch at 0", xlogx, 0.0, lambda x: 0.0, "slope -inf to the right", own="nonfinite"),
    *claims("a cube root at 0", lambda x: math.copysign(abs(x) ** (1 / 3), x), 0.0, lambda x: 0.0, "infinite slopes",
        own="nonfinite"),
    *claims("a logarithm of a negative number", lambda x: np.log(x), np.float64(-1.0), None, "nan", own="nonfinite"),
    *claims("an overflow", lambda x: np.exp(x), np.float64(1000.0), None, "inf", own="nonfinite"),
    *claims("a root squared at 0", lambda x: np.sqrt(x) ** 2, np.float64(0.0), None, "nan, where the slope is 1",
        own="wrong"),
    *claims("a gradient that is nan", math.sin, 1.0, None, own=None,
        wrong={"nan": lambda x: math.nan, "inf": lambda x: math.inf}),
    *claims("sqrt near 0", math.sqrt, 1e-12, lambda x: 0.5 / math.sqrt(x),
        wrong={"without the half": lambda x: x**-0.5}),
    *claims("log near 0", math.log, 1e-300, lambda x: 1 / x, wrong={"half": lambda x: 0.5 / x}),
    *claims("x log x", xlogx, 0.3, lambda x: 1 + math.log(x), wrong={"without the 1": lambda x: math.log(x)}),
    *claims("x log x near 0", xlogx, 1e-200, lambda x: 1 + math.log(x), wrong={"without the 1": lambda x: math.log(x)}),
    *claims("a pole nearby", lambda x: 1 / (x - 1), 1 + 1e-6, lambda x: -1 / (x - 1) ** 2,
        wrong={"the sign": lambda x: 1 / (x - 1) ** 2}),
    *claims("arcsin near its end", math.asin, 1 - 1e-12, lambda x: 1 / math.sqrt(1 - x * x),
        wrong={"of arccos": lambda x: -1 / math.sqrt(1 - x * x)}),
    *claims("a masked root", lambda x: np.sum(np.where(x < 1, x, np.sqrt(np.maximum(x, 0.0)))),
        np.array([0.0, 0.25, 4.0]), lambda x: np.where(x < 1, 1.0, 0.25), "the lane that is taken",
        wrong={"the other lane": lambda x: np.array([1.0, 1.0, 1.0])}),
    *claims("a masked logarithm", masked_log, np.array([-1.0, 2.0]), lambda x: np.array([0.0, 0.5]),
        "the lane that is taken", wrong={"the other lane": lambda x: np.array([-1.0, 0.5])}),
    *claims("a masked ratio", safe_ratio, np.array([3.0, 2.0]), lambda x: -1 / (x - 1) ** 2,
        wrong={"the sign": lambda x: 1 / (x - 1) ** 2}),
    *claims("a power of 3/2 at 0", lambda x: x**1.5, 0.0, lambda x: 1.5 * math.sqrt(x), "0 from the right",
        wrong={"a thousandth": lambda x: 1e-3}),
    *claims("a whole power at 0", lambda x: x**3 + 2 * x, 0.0, lambda x: 3 * x**2 + 2,
        wrong={"nothing": lambda x: 0.0}),
    *claims("a whole power of a negative number", lambda x: x**5, -2.0, lambda x: 5 * x**4,
        wrong={"the sign": lambda x: -5 * x**4}),
    *claims("a negative power", lambda x: x**-2, -3.0, lambda x: -2 * x**-3, wrong={"the sign": lambda x: 2 * x**-3}),
]  # fmt: skip
