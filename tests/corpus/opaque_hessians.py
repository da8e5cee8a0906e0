"""Claims about Hessians of compiled code, which differences of values alone can judge."""

import ctypes
import ctypes.util
import math
import struct
from functools import partial

import mpmath
import numpy as np

from tests.corpus.claim import claims

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
for _name in ("tgamma", "sin", "exp", "pow"):
    getattr(LIBM, _name).restype = ctypes.c_double
    getattr(LIBM, _name).argtypes = [ctypes.c_double] * (2 if _name == "pow" else 1)

hessians = partial(claims, of="hessian", own=None)
products = partial(claims, of="hvp", own=None)


def gamma(x, order=0):
    """A derivative of the gamma function, by 15 digits and more."""
    return float(mpmath.diff(mpmath.gamma, float(x), order))


def scaled_gamma(x):
    """A gamma function of C, times a number."""
    return LIBM.tgamma(x[0]) * x[1]


def hess_scaled_gamma(x):
    return np.array([[gamma(x[0], 2) * x[1], gamma(x[0], 1)], [gamma(x[0], 1), 0.0]])


def hess_valley(x):
    return np.array([[1200 * x[0] ** 2 - 400 * x[1] + 2, -400 * x[0]], [-400 * x[0], 200.0]])


def wave(x):
    return LIBM.sin(x[0] * x[1])


def hess_wave(x):
    a, b = x
    s, c = math.sin(a * b), math.cos(a * b)
    return np.array([[-b * b * s, c - a * b * s], [c - a * b * s, -a * a * s]])


CLAIMS = [
    *hessians("opaque hessian: a gamma function of C", scaled_gamma, np.array([2.7, 0.5]), hess_scaled_gamma,
        "digamma and trigamma, by mpmath",
        wrong={"what is mixed lost": lambda x: np.diag(np.diag(hess_scaled_gamma(x))),
            "the slope": lambda x: np.array([[gamma(x[0], 1) * x[1], gamma(x[0])], [gamma(x[0]), 0.0]]),
            "nothing": lambda x: np.zeros((2, 2))}),
    *products("opaque hessian: a gamma function of C, times a vector", scaled_gamma, [2.7, 0.5],
        lambda x, v: list(hess_scaled_gamma(x) @ np.asarray(v)), "digamma and trigamma, by mpmath",
        wrong={"nothing": lambda x, v: [0.0, 0.0],
            "the diagonal": lambda x, v: [hess_scaled_gamma(x)[0, 0] * v[0], 0.0]}),
    *hessians("opaque hessian: Rosenbrock by C",
        lambda x: 100 * LIBM.pow(x[1] - x[0] * x[0], 2.0) + LIBM.pow(1 - x[0], 2.0), np.array([0.5, 1.2]), hess_valley,
        "the textbook's",
        wrong={"what is mixed lost": lambda x: np.diag(np.diag(hess_valley(x))),
            "the sign of what is mixed": lambda x: hess_valley(x) * np.array([[1, -1], [-1, 1]]),
            "five in a hundred": lambda x: hess_valley(x) * 1.05}),
    *hessians("opaque hessian: a sine of C of a product", wave, np.array([0.8, 1.7]), hess_wave,
        "cos(xy) - xy sin(xy) is mixed",
        wrong={"the cosine alone": lambda x: np.diag(np.diag(hess_wave(x))) + math.cos(x[0] * x[1]) * (1 - np.eye(2)),
            "the upper triangle": lambda x: np.triu(hess_wave(x))}),
    *products("opaque hessian: a sine of C of a product, times a vector", wave, np.array([0.8, 1.7]),
        lambda x, v: hess_wave(x) @ v, "cos(xy) - xy sin(xy) is mixed",
        wrong={"the vector forgotten": lambda x, v: hess_wave(x) @ np.ones(2),
            "once more": lambda x, v: 2 * hess_wave(x) @ v}),
    *hessians("opaque hessian: a cube through bytes", lambda x: struct.unpack("d", struct.pack("d", x * x * x))[0], 1.3,
        lambda x: 6 * x, wrong={"half": lambda x: 3 * x, "the sign": lambda x: -6 * x}),
    *hessians("opaque hessian: an exponential of C of a sum", lambda x: LIBM.exp(x[0] + 2 * x[1] - x[2]),
        np.array([0.3, -0.2, 0.5]),
        lambda x: math.exp(x[0] + 2 * x[1] - x[2]) * np.outer([1.0, 2.0, -1.0], [1.0, 2.0, -1.0]),
        wrong={"the signs": lambda x: math.exp(x[0] + 2 * x[1] - x[2]) * np.outer([1.0, 2.0, 1.0], [1.0, 2.0, 1.0])}),
    *hessians("opaque hessian: an input that has no effect", lambda x: LIBM.exp(x[0]), np.array([0.3, 2.0]),
        lambda x: np.array([[math.exp(x[0]), 0.0], [0.0, 0.0]]),
        wrong={"it has one": lambda x: np.array([[math.exp(x[0]), 0.0], [0.0, 1.0]])}),
]  # fmt: skip
