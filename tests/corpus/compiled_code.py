"""Claims about compiled code that takes real numbers alone."""

import ctypes
import ctypes.util
import decimal
import fractions
import json
import math
import pickle
import sqlite3
import statistics
from concurrent.futures import ThreadPoolExecutor

import mpmath
import numpy as np
import scipy.interpolate
import scipy.linalg
import scipy.optimize
import scipy.sparse.csgraph
import scipy.spatial
import scipy.stats
from scipy.special import cython_special

from tests.corpus.claim import Claim, claims

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
for _name in ("sqrt", "cos", "erf", "hypot"):
    getattr(LIBM, _name).restype = ctypes.c_double
    getattr(LIBM, _name).argtypes = [ctypes.c_double] * (2 if _name == "hypot" else 1)

COSINE = np.vectorize(math.cos, otypes=[float])
GAMMA = np.frompyfunc(math.lgamma, 1, 1)
X3 = np.array([0.5, -1.2, 2.0])
SQUARE = np.array([[2.0, -1.0, 0.3], [0.4, 3.0, 1.0], [-0.7, 0.2, 1.5]])
CORNERS = np.array([[0.0, 0.0], [2.0, 0.1], [2.5, 1.9], [-0.3, 1.4]])
COSTS = np.array([[4.0, 1.0, 3.0], [2.0, 0.5, 5.0], [3.0, 2.0, 2.5]])
GRID = scipy.interpolate.RegularGridInterpolator((np.arange(5.0),), np.arange(5.0) ** 2)
SAMPLE = scipy.stats.gaussian_kde([-1.0, 0.2, 0.9, 2.1], bw_method=0.5)


def reals(x):
    """What compiled code does with what it is given: an array of doubles."""
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(np.asarray(x).real if np.iscomplexobj(x) else x, dtype=np.float64)


def dropping(x):
    """A buffer of doubles drops what is imaginary."""
    cells = np.empty(3)
    cells[:] = reals(x)
    return float((ctypes.c_double * 3).from_buffer(cells)[1] ** 3 + cells[0] * cells[2])


def grad_lapack(a):
    return -np.outer(np.linalg.solve(a.T, np.ones(3)), np.linalg.solve(a, X3))


def grad_energy(x):
    apart = x[:, None] - x[None]
    far = np.sqrt(np.sum(apart**2, 2)) + np.eye(len(x))
    return np.sum(-apart / far[..., None] ** 3, 1)


def grad_area(x):
    after, before = np.roll(x, -1, 0), np.roll(x, 1, 0)
    return 0.5 * np.stack([after[:, 1] - before[:, 1], before[:, 0] - after[:, 0]], 1)


def shortest(w):
    """The shortest way from the first to the last of three, squared."""
    edges = np.zeros((3, 3))
    edges[[0, 1, 0], [1, 2, 2]] = reals(w)
    return float(scipy.sparse.csgraph.shortest_path(edges)[0, 2]) ** 2


def slope_of_density(x):
    """The mean of the slopes of the kernels."""
    width = float(SAMPLE.covariance[0, 0])
    apart = x - SAMPLE.dataset[0]
    return float(np.mean(-apart / width * np.exp(-(apart**2) / (2 * width)) / np.sqrt(2 * np.pi * width)))


def threaded(x):
    """In another thread, by a function of C."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(LIBM.erf, x).result()


def compiled(*arguments, **options) -> list[Claim]:
    """Claims without the tape's own gradient, for there is none."""
    return claims(*arguments, own=None, **options)


CLAIMS = [
    *compiled("the root of C", lambda x: LIBM.sqrt(x) * x, 1.7, lambda x: 1.5 * math.sqrt(x), "x**1.5",
        wrong={"nothing": lambda x: 0.0, "the root is held": math.sqrt,
            "a millionth": lambda x: 1.5000015 * math.sqrt(x),
            "three tenths of a millionth": lambda x: 1.5 * math.sqrt(x) * (1 - 3e-7)}),
    *compiled("cosines of C", lambda x: sum(w * LIBM.cos(c) for w, c in zip((1.0, 2.0, -3.0), x, strict=True)), X3,
        lambda x: -np.array([1.0, 2.0, -3.0]) * np.sin(x),
        wrong={"nothing": np.zeros_like, "the sign": lambda x: np.array([1.0, 2.0, -3.0]) * np.sin(x),
            "a millionth in one": lambda x: -np.array([1.0, 2.0, -3.000003]) * np.sin(x)}),
    *compiled("a small slope of C", lambda x: 1.0 + 1e-7 * LIBM.cos(x), 0.8, lambda x: -1e-7 * math.sin(x),
        wrong={"nothing": lambda x: 0.0, "a tenth too much": lambda x: -1.1e-7 * math.sin(x)}),
    *compiled("cosines by vectorize", lambda x: np.sum(COSINE(reals(x)) * x), X3, lambda x: np.cos(x) - x * np.sin(x),
        wrong={"the cosine is held": np.cos, "a millionth": lambda x: (1 + 1e-6) * (np.cos(x) - x * np.sin(x))}),
    *compiled("lgamma by frompyfunc", lambda x: float(np.sum(GAMMA(reals(x)).astype(float))), np.array([1.5, 3.2]),
        lambda x: np.array([float(mpmath.digamma(c)) for c in x]), "digamma",
        wrong={"nothing": np.zeros_like, "the logarithm": np.log}),
    *compiled("a buffer of doubles", dropping, X3, lambda x: np.array([x[2], 3 * x[1] ** 2, x[0]]),
        wrong={"nothing": np.zeros_like, "the outer swapped": lambda x: np.array([x[0], 3 * x[1] ** 2, x[2]])}),
    *compiled("an inner product of BLAS",
        lambda x: scipy.linalg.blas.ddot(reals(x), reals(x)) + 2.0 * scipy.linalg.blas.dasum(reals(x[:1])), X3,
        lambda x: 2 * x + np.array([2.0, 0.0, 0.0]),
        wrong={"once": lambda x: x + np.array([2.0, 0.0, 0.0]), "nothing": np.zeros_like,
            "a millionth in one": lambda x: np.array([3.0, -2.4, 4.000004])}),
    *compiled("a solution of LAPACK", lambda a: float(np.sum(scipy.linalg.lapack.dgesv(reals(a), X3)[2])), SQUARE,
        grad_lapack, "-A^-T 1 (A^-1 b)^T",
        wrong={"transposed": lambda a: grad_lapack(a).T, "the sign": lambda a: -grad_lapack(a)}),
    *compiled("distances by compiled code", lambda x: float(np.sum(1.0 / scipy.spatial.distance.pdist(reals(x)))),
        CORNERS, grad_energy, wrong={"the power": lambda x: 2 * grad_energy(x), "nothing": np.zeros_like}),
    *compiled("the area of a hull", lambda x: scipy.spatial.ConvexHull(reals(x)).volume, CORNERS, grad_area,
        "the shoelace formula",
        wrong={"without the half": lambda x: 2 * grad_area(x), "the sign": lambda x: -grad_area(x)}),
    *compiled("a least matching", lambda c: float(c[scipy.optimize.linear_sum_assignment(reals(c))].sum()), COSTS,
        lambda c: np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
        "1 + 2 + 2.5 is the least by 1 or more", wrong={"the diagonal": lambda c: np.eye(3)}),
    *compiled("a shortest way", shortest, np.array([2.0, 3.0, 9.0]),
        lambda w: 2 * (w[0] + w[1]) * np.array([1.0, 1.0, 0.0]), "2 + 3 is less than 9",
        wrong={"straight": lambda w: np.array([0.0, 0.0, 18.0]),
            "without the square": lambda w: np.array([1, 1, 0.0])}),
    *compiled("between the points of a grid", lambda x: float(GRID([float(x)])[0]), 1.3, lambda x: 3.0,
        "(4 - 1)/(2 - 1)", wrong={"of what it interpolates": lambda x: 2 * x, "nothing": lambda x: 0.0}),
    *compiled("a density of kernels", lambda x: float(SAMPLE(float(x))[0]), 0.4, lambda x: slope_of_density(x),
        wrong={"the sign": lambda x: -slope_of_density(x), "a millionth": lambda x: slope_of_density(x) * 1.000001}),
    *compiled("a Bessel function for C", lambda x: cython_special.jv(2.0, float(x)), 1.9,
        lambda x: float(mpmath.besselj(2, x, derivative=1)),
        wrong={"the next": lambda x: float(mpmath.besselj(3, x)), "nothing": lambda x: 0.0}),
    *compiled("by decimal numbers", lambda x: float(decimal.Decimal(float(x)).ln() * decimal.Decimal(float(x))), 2.5,
        lambda x: math.log(x) + 1,
        wrong={"without the 1": math.log, "a millionth": lambda x: (math.log(x) + 1) * (1 + 1e-6)}),
    *compiled("by fractions", lambda x: float(fractions.Fraction(float(x)) ** 3 / 7), 1.25, lambda x: 3 * x**2 / 7,
        wrong={"the power": lambda x: 2 * x**2 / 7, "nothing": lambda x: 0.0}),
    *compiled("by multiprecision", lambda x: float(mpmath.zeta(float(x))), 2.5,
        lambda x: float(mpmath.zeta(x, derivative=1)),
        wrong={"the sign": lambda x: -float(mpmath.zeta(x, derivative=1)), "nothing": lambda x: 0.0}),
    *compiled("by JSON", lambda x: json.loads(json.dumps([float(x)]))[0] ** 2 * x, 1.3, lambda x: 3 * x * x,
        wrong={"the text is held": lambda x: x * x, "a millionth": lambda x: 3.000003 * x * x}),
    *compiled("by a pickle", lambda x: pickle.loads(pickle.dumps(float(x))) ** 2, 1.3, lambda x: 2 * x,
        wrong={"nothing": lambda x: 0.0}),
    *compiled("by a database",
        lambda x: sqlite3.connect(":memory:").execute("select ? * ? * ?", (x, x, x)).fetchone()[0], 1.3,
        lambda x: 3 * x * x, wrong={"nothing": lambda x: 0.0, "the power": lambda x: 2 * x * x}),
    *compiled("in another thread", threaded, 0.6, lambda x: 2 / math.sqrt(math.pi) * math.exp(-x * x),
        wrong={"without the factor": lambda x: math.exp(-x * x), "nothing": lambda x: 0.0}),
    *compiled("a normal distribution", lambda x: statistics.NormalDist(0.3, 1.2).cdf(float(x)), 0.6,
        lambda x: statistics.NormalDist(0.3, 1.2).pdf(x),
        wrong={"of the standard one": lambda x: statistics.NormalDist().pdf(x), "nothing": lambda x: 0.0}),
]  # fmt: skip
