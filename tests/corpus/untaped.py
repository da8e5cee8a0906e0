"""Claims about functions that the tape cannot follow: only differences can judge them."""

import array
import math
import struct

import numpy as np
import scipy.integrate
import scipy.interpolate
import scipy.linalg
import scipy.optimize

from tests.corpus.claim import Claim, claims

SINES = frozenset({math.sin})


def hidden(x):
    """A function of C in a default argument."""
    (sine,) = SINES
    return sine(x) * x


def packed(x):
    return struct.unpack("d", struct.pack("d", x * x * x))[0]


def stored(x):
    cells = array.array("d", x)
    return math.fsum(c * c for c in cells)


POLYNOMIAL = np.poly1d([1.0, -2.0, 0.5])
SPLINE = scipy.interpolate.CubicSpline(np.linspace(0, 3, 20), np.sin(np.linspace(0, 3, 20)))
TIMES = np.linspace(0, 1, 5)


def grad_integral(x):
    return scipy.integrate.quad(lambda t: -t * t * math.exp(-x * t * t), 0.0, 1.0)[0]


def decay(k):
    return scipy.integrate.solve_ivp(lambda t, y: -k * y, (0.0, 1.0), [1.0], rtol=1e-10, atol=1e-12).y[0, -1]


def root(a):
    return scipy.optimize.brentq(lambda x: x**3 + x - float(repr(a)), 0.0, 4.0, xtol=1e-14)


def shaky(x):
    """A square with noise of 1e-8 that depends on every bit."""
    bits = struct.unpack("q", struct.pack("d", x))[0]
    return struct.unpack("d", struct.pack("d", x * x))[0] + 1e-8 * (bits * 2654435761 % 4294967296 / 2**32 - 0.5)


def log_det(m):
    factor, _ = scipy.linalg.lapack.dpotrf(np.array(memoryview(np.ascontiguousarray(0.5 * (m + m.T)))))
    return 2 * np.sum(np.log(np.diag(factor)))


POSITIVE = np.array([[4.0, 1.0], [1.0, 3.0]])


def untaped(*arguments, **options) -> list[Claim]:
    """Claims without the tape's own gradient, for there is none."""
    return claims(*arguments, own=None, **options)


CLAIMS = [
    *untaped("sine as a default argument", hidden, 0.7, lambda x: x * math.cos(x) + math.sin(x),
        wrong={"the product rule": lambda x: math.cos(x), "the sign": lambda x: -x * math.cos(x) - math.sin(x)}),
    *untaped("through bytes", packed, 1.3, lambda x: 3 * x * x,
        wrong={"the power": lambda x: 3 * x, "twice": lambda x: 6 * x * x}),
    *untaped("through an array of C", stored, [1.0, -2.0, 0.5], lambda x: [2 * c for c in x],
        wrong={"once": lambda x: x, "one sign": lambda x: [2.0, 4.0, 1.0],
            "a thousandth": lambda x: [2.0, -4.004, 1.0]}),
    *untaped("a polynomial of NumPy's", POLYNOMIAL, 1.7, POLYNOMIAL.deriv(), wrong={"the next": POLYNOMIAL.deriv(2)}),
    *untaped("a spline", SPLINE, 1.23, SPLINE.derivative(), wrong={"the next": SPLINE.derivative(2)}),
    *untaped("a quadrature", lambda x: scipy.integrate.quad(lambda t: math.exp(-x * t * t), 0.0, 1.0)[0], 0.9,
        grad_integral, wrong={"the sign": lambda x: -grad_integral(x)}),
    *untaped("an integrator", decay, 1.1, lambda k: -math.exp(-k), "exp(-k)",
        wrong={"the value": lambda k: math.exp(-k)}),
    *untaped("a solver", root, 5.0, lambda a: 1 / (3 * root(a) ** 2 + 1),
        wrong={"without the 1": lambda a: 1 / (3 * root(a) ** 2)}),
    *untaped("a square with noise", shaky, 1.4, lambda x: 2 * x,
        wrong={"half": lambda x: x, "the sign": lambda x: -2 * x}),
    *untaped("a logarithm of a determinant", log_det, POSITIVE, np.linalg.inv, "the inverse, transposed",
        wrong={"the matrix": lambda m: m, "twice": lambda m: 2 * np.linalg.inv(m)}),
    *claims("through the text of an array",
        lambda x: x * float(np.array2string(np.array([x, 1.0]), precision=17)[1:-1].split()[0]), 2.3, lambda x: 2 * x,
        own=None, wrong={"one factor": lambda x: x}),
    *claims("through eight digits of text", lambda x: x * float(str(np.array([x, 1.0]))[1:-1].split()[0]), 2.3,
        lambda x: 2 * x, "it is a staircase, with steps too small for a slope and too large for a difference", own=None,
        truth="undecidable"),
    *claims("through an array of text", lambda x: np.sum(x * x.astype(str).astype(float)), np.array([2.3, -0.7]),
        lambda x: 2 * x, own=None, wrong={"one factor": lambda x: x}),
    *claims("through an array of objects", lambda x: np.sum(x * x.astype(object).astype(float)), np.array([2.3, -0.7]),
        lambda x: 2 * x, own=None, wrong={"one factor": lambda x: x}),
    *claims("written down and not read again", lambda x, y: math.sin(x) * y + 0.0 * len(f"{x:.3f} {y}"), (0.4, 3.0),
        lambda x, y: (math.cos(x) * y, math.sin(x)), wrong={"swapped": lambda x, y: (math.sin(x), math.cos(x) * y)}),
    *claims("abs of what is written down, at 0", lambda x: abs(x) + 0.0 * len(str(x)), 0.0, lambda x: 0.0, own="kink",
        wrong={"outside": lambda x: 1.5}),
    *untaped("abs through bytes, at 0",
        lambda x: abs(packed(x) ** (1.0)) ** 1.0 + abs(struct.unpack("d", struct.pack("d", x))[0]), 0.0, lambda x: 0.5,
        "slopes -1 and 1", truth="kink", wrong={"outside": lambda x: 1.5}),
    *untaped("a step through bytes, at 0", lambda x: math.copysign(1.0, struct.unpack("d", struct.pack("d", x))[0]),
        0.0, lambda x: 0.0, "jumps by 2", truth="jump"),
]  # fmt: skip
