"""Claims about kinks that no one operation has: functions composed of smooth ones, or of several with kinks."""

import cmath
import math

import numpy as np

from tests.corpus.claim import Claim, claims

ROOT2 = math.sqrt(2.0)


def kink(name, f, at, low, high, own="kink") -> list[Claim]:
    """Claims at a kink of one number: within, at an end and beyond both slopes; no own one where the tape has nan."""
    width = high - low
    why = f"slopes {low:.6g} and {high:.6g}"
    inside, end = (lambda x: low + 0.3 * width), (lambda x: high)
    wrong = {"above": lambda x: high + 0.2 * width, "a thousandth below": lambda x: low - 1e-3 * width}
    found = claims(f"composed: {name}", f, at, inside, why, own=own, truth="kink", wrong=wrong)
    return found + claims(f"composed: {name}, one side", f, at, end, why, own=None, truth="kink")


def edge(name, f, at, gradient) -> list[Claim]:
    """Claims of a gradient at the edge of those that are valid, and of one a millionth beyond."""
    wrong = {"a millionth beyond": lambda x: gradient * (1 + 1e-6)}
    return claims(f"edge: {name}", f, at, lambda x: gradient, "slope to one side", own=None, truth="kink", wrong=wrong)


WEIGHTS = np.array([1.0, 2.0, 3.0])

CLAIMS = [
    *edge("abs at 0", abs, 0.0, 1.0),
    *edge("abs at 3, from below", lambda x: abs(x - 3.0), 3.0, -1.0),
    *edge("a kink times a power", lambda x: abs(x - 3.0) * math.exp(x), 3.0, math.exp(3.0)),
    *edge("a ramp and a sine", lambda x: max(x, 0.0) + math.sin(5 * x), 0.0, 6.0),
    *edge("three ramps", lambda x: np.sum(np.maximum(x, 0.0) * WEIGHTS), np.zeros(3), WEIGHTS),
    *edge("the largest of three alike", np.max, np.ones(3), np.array([0.2, 0.3, 0.5])),
    *edge("the taxicab norm", lambda x: np.linalg.norm(x, 1), np.zeros(4), np.array([1.0, -1.0, 1.0, 1.0])),
    *kink("acos of cos at 0", lambda x: math.acos(math.cos(x)), 0.0, -1.0, 1.0, own=None),
    *kink("np.arccos of np.cos at 0", lambda x: np.arccos(np.cos(x)), np.float64(0.0), -1.0, 1.0, own=None),
    *kink("acosh of 1 + x**2 at 0", lambda x: math.acosh(1 + x**2), 0.0, -ROOT2, ROOT2, own=None),
    *kink("sqrt of x * x at 0", lambda x: math.sqrt(x * x), 0.0, -1.0, 1.0, own=None),
    *kink("sqrt of a square at 2", lambda x: 3 * np.sqrt((x - 2.0) ** 2) + x, np.float64(2.0), -2.0, 4.0, own=None),
    *kink("a power of 1/2 of a square at 0", lambda x: (x**2) ** 0.5, 0.0, -1.0, 1.0, own=None),
    *kink("a sixth root of a sixth power at 0", lambda x: (x**6) ** (1 / 6), 0.0, -1.0, 1.0, own=None),
    *kink("sqrt of 1 less cos at 0", lambda x: math.sqrt(2 - 2 * math.cos(x)), 0.0, -1.0, 1.0, own=None),
    *kink("sqrt of 1 less cos**2 at 0", lambda x: 5 * math.sqrt(1 - math.cos(x) ** 2), 0.0, -5.0, 5.0, own=None),
    *kink("asinh of a root at 0", lambda x: math.asinh(math.sqrt(4 * x * x)), 0.0, -2.0, 2.0, own=None),
    *kink("hypot of x and nothing", lambda x: math.hypot(x, 0.0), 0.0, -1.0, 1.0, own=None),
    *kink("hypot of x and x", lambda x: np.hypot(x, x), np.float64(0.0), -ROOT2, ROOT2, own=None),
    *kink("math.dist to itself", lambda x: math.dist([x, 2.0], [1.0, 2.0]), 1.0, -1.0, 1.0, own=None),
    *kink("abs of a complex number at 0", lambda x: abs(complex(x, 2 * x)), 0.0, -math.sqrt(5.0), math.sqrt(5.0)),
    *kink("a complex root of a square", lambda x: cmath.sqrt(x * x).real, 0.0, -1.0, 1.0, own=None),
    *kink("x by its sign", lambda x: x * np.sign(x), np.float64(0.0), -1.0, 1.0),
    *kink("copysign of x", lambda x: math.copysign(x, 1.0), 0.0, -1.0, 1.0),
    *kink("the larger of x and -x", lambda x: max(x, -x), 0.0, -1.0, 1.0),
    *kink("max of max of max", lambda x: max(max(x, -2 * x), max(max(-x, 3 * x), 0.0)), 0.0, -2.0, 3.0),
    *kink("the last in order", lambda x: sorted([x, -x, 0.0])[2], 0.0, -1.0, 1.0),
    *kink("the range of three", lambda x: np.ptp(np.stack([x, -x, 0 * x])), np.float64(0.0), -2.0, 2.0),
    *kink("the standard deviation of two alike", lambda x: np.std(np.stack([x, 1.0 + 0 * x])), np.float64(1.0), -0.5,
        0.5),
    *kink("log of exp of abs", lambda x: math.log(math.exp(abs(x))), 0.0, -1.0, 1.0),
    *kink("a clip of a clip", lambda x: np.clip(2 * np.clip(x, 0.0, 1.0), 0.0, 2.0), np.float64(1.0), 0.0, 2.0),
    *kink("the positive part of the least", lambda x: np.maximum(np.minimum(x, 3 * x), 0.0), np.float64(0.0), 0.0, 1.0),
    *kink("a remainder turned over", lambda x: abs((x + 1.0) % 2.0 - 1.0), 2.0, -1.0, 1.0),
    *kink("an integral of a step", lambda x: (x > 0) * x, np.float64(0.0), 0.0, 1.0),
    *claims("composed: the larger of maxima", lambda x, y: max(max(x, y), max(y, 2 * x - y)), (1.0, 1.0),
        lambda x, y: (0.5, 0.5), "(1, 0), (0, 1), (2, -1)", own="kink",
        wrong={"beyond": lambda x, y: (2.5, -1.5), "their sum": lambda x, y: (1.0, 1.0)}),
    *claims("composed: the largest size at 0", lambda x: np.max(np.abs(x)), np.zeros(3),
        lambda x: np.array([0.5, -0.2, 0.3]), "sizes that add up to at most 1", own="kink",
        wrong={"one by one within": lambda x: np.full(3, 0.4)}),
    *claims("composed: the least of two sizes", lambda x, y: 3 * min(abs(x), abs(y)), (0.0, 0.0),
        lambda x, y: (0.0, 0.0),
        "flat along both axes, as the candidate says; along the diagonal there are the slopes -3 and 3", own=None,
        truth="kink", wrong={"more than 3 along the diagonal": lambda x, y: (2.0, 2.0)}),
    *claims("composed: the root of a product's size", lambda x, y: np.sqrt(np.abs(x * y)),
        (np.float64(0.0), np.float64(0.0)), lambda x, y: (0.0, 0.0),
        "flat along both axes, as the candidate says; along the diagonal there are the slopes -1 and 1", own=None,
        truth="kink", wrong={"longer than that": lambda x, y: (0.9, 0.9)}),
    *claims("composed: smooth at pi, acos of cos beside it", lambda x: math.acos(math.cos(x)), 2.5, lambda x: 1.0,
        "x itself below pi", wrong={"the other side": lambda x: -1.0, "nothing": lambda x: 0.0}),
    *claims("composed: smooth, sqrt of a fourth power", lambda x: math.sqrt(x**4), 0.0, lambda x: 0.0, "x**2", own=None,
        wrong={"one": lambda x: 1.0, "a thousandth": lambda x: 1e-3}),
    *claims("composed: smooth, a cube root of a cube", lambda x: np.cbrt(x**3), np.float64(0.0), lambda x: 1.0,
        "x itself", own=None, wrong={"nothing": lambda x: 0.0, "three": lambda x: 3.0}),
    *claims("composed: smooth, log cosh", lambda x: math.log(math.cosh(x)), 0.0, math.tanh,
        wrong={"one": lambda x: 1.0, "a millionth": lambda x: 1e-6}),
    *claims("composed: infinite, acos at 1", math.acos, 1.0, lambda x: 0.0,
        "an infinite slope to the left, nothing to the right", own="nonfinite"),
    *claims("composed: smooth, acos below 1", lambda x: math.acos(1 - x * x), 1e-3, lambda x: 2 / math.sqrt(2 - x * x),
        "2 asin(x/sqrt(2))",
        wrong={"the sign": lambda x: -2 / math.sqrt(2 - x * x), "a factor": lambda x: 1 / math.sqrt(2 - x * x)}),
]  # fmt: skip
