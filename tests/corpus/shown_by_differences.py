"""Claims that differences alone must judge: single precision, short periods, lists, and kinks of several inputs."""

import ctypes
import ctypes.util
import math
from functools import partial

import numpy as np

from tests.corpus.claim import claims

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
for _name in ("sinf", "expf", "logf"):
    getattr(LIBM, _name).restype, getattr(LIBM, _name).argtypes = ctypes.c_float, [ctypes.c_float]
for _name in ("sin", "lgamma", "fmax", "fmin"):
    getattr(LIBM, _name).restype = ctypes.c_double
    getattr(LIBM, _name).argtypes = [ctypes.c_double] * (2 if _name.startswith("fm") else 1)

opaque = partial(claims, own=None)


def single(x):
    """Exponentials in single precision, squared and added up."""
    return float(np.sum(np.exp(np.asarray(memoryview(np.ascontiguousarray(x))).astype(np.float32)) ** 2))


def middle(x):
    a, b, c = x
    return LIBM.fmax(LIBM.fmin(a, b), LIBM.fmin(LIBM.fmax(a, b), c))


CLAIMS = [
    *opaque("differences: a sine in single precision", lambda x: LIBM.sinf(x[0]) * x[1] ** 2, [1.0, 1.2],
        lambda x: [math.cos(x[0]) * x[1] ** 2, 2 * math.sin(x[0]) * x[1]],
        why="single precision leaves differences four digits", truth="undecidable",
        wrong={"nothing": lambda x: [0.0, 2 * math.sin(x[0]) * x[1]],
            "a hundredth": lambda x: [1.01 * math.cos(x[0]) * x[1] ** 2, 2 * math.sin(x[0]) * x[1]]}),
    *opaque("differences: an exponential in single precision", lambda x: LIBM.expf(x), 0.7, math.exp,
        why="single precision leaves differences four digits", truth="undecidable",
        wrong={"nothing": lambda x: 0.0, "a fiftieth": lambda x: 1.02 * math.exp(x)}),
    *opaque("differences: a logarithm in single precision", lambda x: LIBM.logf(x[0]) + LIBM.logf(x[1]),
        np.array([2.0, 0.5]), lambda x: 1 / x, why="single precision leaves differences four digits",
        truth="undecidable", wrong={"nothing of one": lambda x: np.array([0.5, 0.0]), "swapped": lambda x: x}),
    *opaque("differences: an array in single precision", single, np.array([0.3, -0.2]), lambda x: 2 * np.exp(2 * x),
        why="single precision leaves differences four digits", truth="undecidable",
        wrong={"nothing": np.zeros_like, "nothing of one": lambda x: np.array([2 * math.exp(0.6), 0.0])}),
    *opaque("differences: a short period", lambda x: LIBM.sin(3e4 * x[0]) + x[1], np.array([2.0, 1.5]),
        lambda x: np.array([3e4 * math.cos(3e4 * x[0]), 1.0]),
        wrong={"a ten-thousandth": lambda x: np.array([3.0003e4 * math.cos(3e4 * x[0]), 1.0]),
            "the sign": lambda x: np.array([-3e4 * math.cos(3e4 * x[0]), 1.0])}),
    *opaque("differences: a shorter period", lambda x: LIBM.sin(1e5 * x) + x, 2.0,
        lambda x: 1e5 * math.cos(1e5 * x) + 1,
        wrong={"a thousandth": lambda x: 1.001e5 * math.cos(1e5 * x) + 1, "nothing": lambda x: 0.0}),
    *claims("differences: a high power", lambda x: x[0] ** 100000 * x[1], [1.00001, 3.0],
        lambda x: [1e5 * x[0] ** 99999 * x[1], x[0] ** 100000],
        wrong={"a thousandth": lambda x: [1.001e5 * x[0] ** 99999 * x[1], x[0] ** 100000]}),
    *opaque("differences: an unused number of a list", lambda x: LIBM.lgamma(x[0]), [2.0, 0.5],
        lambda x: [1 - 0.5772156649015329, 0.0], "digamma(2) = 1 - Euler's constant",
        wrong={"it has an effect": lambda x: [1 - 0.5772156649015329, 1e-3]}),
    *opaque("differences: a Jacobian with a 0, of a list", lambda x: np.array([LIBM.sin(x[0]) * x[1], x[0] ** 2]),
        [0.7, 0.5], lambda x: [[math.cos(x[0]) * x[1], math.sin(x[0])], [2 * x[0], 0.0]], of="jacobian",
        wrong={"transposed": lambda x: [[math.cos(x[0]) * x[1], 2 * x[0]], [math.sin(x[0]), 0.0]]}),
    *opaque("differences: a fan of bends",
        lambda x: LIBM.fmax(0.0, x[0]) - LIBM.fmax(0.0, x[0] + x[1]) + 0.5 * LIBM.fmax(0.0, x[1]), np.zeros(2),
        lambda x: np.array([1.0, 0.0]), "of one of six sectors; flat along the first axis", truth="kink",
        wrong={"beyond every sector": lambda x: np.array([-1.0, 0.5]), "far beyond": lambda x: np.array([0.0, 2.0])}),
    *opaque("differences: a sheared bend", lambda x: LIBM.fmax(0.0, x[0] - x[1]) - LIBM.fmax(0.0, x[0]), np.zeros(2),
        lambda x: np.array([0.0, -1.0]), "(0, -1), (-1, 0), (1, -1) and (0, 0) are the pieces'", truth="kink",
        wrong={"beyond": lambda x: np.array([1.0, 0.5])}),
    *opaque("differences: the median of three alike by C", middle, np.full(3, 2.0),
        lambda x: np.array([0.5, 0.25, 0.25]), "one of the three, or what lies between", truth="kink",
        wrong={"all of them": np.ones_like}),
]  # fmt: skip
