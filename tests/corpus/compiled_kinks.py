"""Claims at kinks of compiled code, which only differences can judge: a candidate is judged as a whole there too."""

import ctypes
import ctypes.util
import fractions

import numpy as np
import scipy.linalg
import scipy.optimize
import scipy.spatial

from tests.corpus.claim import Claim, claims

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
for _name, _count in (("fabs", 1), ("fmax", 2), ("hypot", 2)):
    getattr(LIBM, _name).restype = ctypes.c_double
    getattr(LIBM, _name).argtypes = [ctypes.c_double] * _count

ORIGIN = np.zeros((1, 3))
COSTS = np.array([[1.0, 2.0], [3.0, 4.0]])
SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.5, 0.0]])


def distance(x, metric):
    return scipy.spatial.distance.cdist(np.array(x, dtype=float)[None], ORIGIN, metric)[0, 0]


def fraction(x):
    return fractions.Fraction(float(x))


def least(c):
    cost = np.array(c, dtype=float)
    return float(cost[scipy.optimize.linear_sum_assignment(cost)].sum())


def compiled(name, f, at, right, why, wrong) -> list[Claim]:
    """Claims at a kink, without the tape's own gradient."""
    return claims(f"compiled: {name}", f, at, right, why, own=None, truth="kink", wrong=wrong)


CLAIMS = [
    *compiled("fabs at 0", LIBM.fabs, 0.0, lambda x: 0.4, "slopes -1 and 1",
        {"above": lambda x: 1.2, "a thousandth above": lambda x: 1.001}),
    *compiled("fmax at a tie", LIBM.fmax, (2.0, 2.0), lambda x, y: (0.3, 0.7), "(1, 0), (0, 1) and what lies between",
        {"both": lambda x, y: (1.0, 1.0), "neither": lambda x, y: (0.0, 0.0), "unlike": lambda x, y: (0.4, 0.5)}),
    *compiled("hypot at 0", LIBM.hypot, (0.0, 0.0), lambda x, y: (0.6, 0.8), "no longer than 1",
        {"longer": lambda x, y: (0.9, 0.9), "a thousandth longer": lambda x, y: (0.6006, 0.8008)}),
    *compiled("hypot at 0 on a slope", lambda x, y: 2 * LIBM.hypot(x, y) + 3 * x - y, (0.0, 0.0),
        lambda x, y: (3.0, 1.0), "3 and -1, and what is no longer than 2",
        {"longer": lambda x, y: (4.6, 0.6), "a hundredth longer": lambda x, y: (3.0 + 1.212, -1.0 - 1.616)}),
    *compiled("BLAS's norm at 0", lambda x: scipy.linalg.blas.dnrm2(np.array(x, dtype=float)), np.zeros(4),
        lambda x: np.full(4, 0.5), "no longer than 1",
        {"longer": lambda x: np.full(4, 0.6),
            "a thousandth longer": lambda x: np.array([0.501, 0.501, -0.501, 0.501])}),
    *compiled("BLAS's sum of sizes with a 0", lambda x: scipy.linalg.blas.dasum(np.array(x, dtype=float)),
        np.array([0.0, 2.0, -1.0]), lambda x: np.array([-0.8, 1.0, -1.0]), "from -1 to 1 where x is 0",
        {"beyond": lambda x: np.array([-1.2, 1.0, -1.0]), "a sign": lambda x: np.array([0.0, 1.0, 1.0])}),
    *compiled("the largest size at 0", lambda x: distance(x, "chebyshev"), np.zeros(3),
        lambda x: np.array([0.2, 0.5, -0.3]), "sizes that add up to at most 1",
        {"one by one within": lambda x: np.full(3, 0.5), "a hundredth": lambda x: np.array([0.21, 0.5, -0.3])}),
    *compiled("the largest size at a tie", lambda x: distance(x, "chebyshev"), np.array([2.0, -2.0, 1.0]),
        lambda x: np.array([0.5, -0.5, 0.0]), "shares of 1",
        {"both": lambda x: np.array([1.0, -1.0, 0.0]), "neither": np.zeros_like}),
    *compiled("taxicab at 0", lambda x: distance(x, "cityblock"), np.zeros(3), lambda x: np.array([1.0, -1.0, 0.3]),
        "each from -1 to 1", {"one beyond": lambda x: np.array([1.0, -1.001, 0.3])}),
    *compiled("the norm of order 3 at 0",
        lambda x: scipy.spatial.distance.cdist(np.array(x, dtype=float)[None], ORIGIN, "minkowski", p=3)[0, 0],
        np.zeros(3), lambda x: np.array([0.4, 0.4, -0.4]), "the norm of order 3/2 of the slopes is at most 1",
        {"longer": lambda x: np.array([0.55, 0.55, -0.55])}),
    *compiled("abs of a fraction at 0", lambda x: float(abs(fraction(x)) * 2 + fraction(x)), 0.0, lambda x: 0.0,
        "slopes -1 and 3", {"outside": lambda x: -1.5, "a thousandth": lambda x: 3.003}),
    *compiled("two matchings at one cost", least, COSTS, lambda c: np.array([[0.25, 0.75], [0.75, 0.25]]),
        "1 + 4 = 2 + 3: both matchings, and what lies between",
        {"half of all and more": lambda c: np.full((2, 2), 0.6),
            "a row": lambda c: np.array([[1.0, 0.0], [1.0, 0.0]])}),
    *compiled("a point on a side of a hull", lambda x: scipy.spatial.ConvexHull(np.array(x, dtype=float)).volume,
        SQUARE, lambda x: np.array([[-0.5, -0.375], [0.5, -0.375], [0.5, 0.5], [-0.5, 0.5], [0.0, -0.25]]),
        "outwards the point adds a triangle of half the base, inwards nothing; its neighbours lose as much",
        {"too much": lambda x: np.array([[-0.5, 0.0], [0.5, 0.0], [0.5, 0.5], [-0.5, 0.5], [0.0, -1.0]])}),
    *compiled("a hinge of a fraction", lambda x: max(float(fraction(x) - 1), 0.0), 1.0, lambda x: 0.5, "slopes 0 and 1",
        {"the sign": lambda x: -0.5, "twice": lambda x: 2.0}),
]  # fmt: skip
