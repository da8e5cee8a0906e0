"""Claims that differences alone can judge: close to each other, at flat places, and where rounding ends all judging."""

import ctypes
import math
import struct

import numpy as np

from tests.corpus.claim import Claim, claims

SINES = frozenset({math.sin})


def boxed(x):
    return struct.unpack("d", struct.pack("d", x))[0]


def through_c(x):
    return ctypes.c_double(x).value


def sine(x):
    (function,) = SINES
    return function(x) * x


def slope_of_sine(x):
    return x * math.cos(x) + math.sin(x)


def length(x):
    return math.sqrt(sum(boxed(c) ** 2 for c in x))


def ramp(x):
    return max(boxed(x) - 1, 0.0)


def untaped(*arguments, **options) -> list[Claim]:
    """Claims without the tape's own gradient, for there is none."""
    return claims(*arguments, own=None, **options)


FLAT = {"a thousandth": lambda x: 1e-3, "a millionth": lambda x: -1e-6}

CLAIMS = [
    *untaped("a sine of C", sine, 0.7, slope_of_sine,
        wrong={"3e-7 of it": lambda x: (1 + 3e-7) * slope_of_sine(x),
            "-1e-6 of it": lambda x: (1 - 1e-6) * slope_of_sine(x)}),
    *untaped("a number of C", lambda x, y: through_c(x) ** 2 * y + y, (1.5, 0.3), lambda x, y: (2 * x * y, x * x + 1),
        wrong={"2e-6 of one": lambda x, y: (2 * x * y, (x * x + 1) * (1 + 2e-6)),
            "the 1": lambda x, y: (2 * x, x * x)}),
    *untaped("a length to the power of 3/2", lambda x: length(x) ** 1.5, np.zeros(2), lambda x: np.zeros(2),
        wrong={"a thousandth": lambda x: np.array([0.0, 1e-3]), "a half": lambda x: np.array([0.5, 0.5])}),
    *untaped("a long length to the power of 3/2", lambda x: length(x) ** 1.5, np.zeros(80), lambda x: np.zeros(80),
        wrong={"the last": lambda x: np.r_[np.zeros(79), 1e-3]}),
    *untaped("a bow at its end", lambda x: 1 + ramp(x) ** 1.5, 1.0, lambda x: 0.0, wrong=FLAT),
    *untaped("a bow that is hardly bent", lambda x: ramp(x) ** 1.1, 1.0, lambda x: 0.0, wrong=FLAT),
    *untaped("a root within a sine, on a pedestal", lambda x: 418.9829 - boxed(x) * math.sin(math.sqrt(abs(x))), 0.0,
        lambda x: 0.0, wrong={"a thousandth": lambda x: 1e-3}),
    *untaped("a bow and a bowl", lambda x: ramp(x) ** 1.5 + (x - 1) ** 2, 1.0, lambda x: 0.0,
        wrong={"a thousandth": lambda x: 1e-3}),
    *untaped("the square of a kink", lambda x: abs(boxed(x) - 1) ** 2, 1.0, lambda x: 0.0, wrong=FLAT),
    *untaped("the square of a ramp", lambda x: 3 + ramp(x) ** 2, 1.0, lambda x: 0.0, wrong=FLAT),
    *untaped("a kink times its place", lambda x: boxed(x) * abs(x), 0.0, lambda x: 0.0, wrong=FLAT),
    *untaped("the top of a cosine", lambda x: math.cos(boxed(x)), 0.0, lambda x: 0.0, wrong=FLAT),
    *untaped("the bottom of a cosine of C", lambda x: math.cos(boxed(x)), math.pi, lambda x: -math.sin(x), wrong=FLAT),
    *untaped("a product with a factor of 0", lambda x, y: 5 + boxed(x) * boxed(y), (3.0, 0.0), lambda x, y: (0.0, 3.0),
        wrong={"the other factor": lambda x, y: (3.0, 3.0), "a thousandth": lambda x, y: (1e-3, 3.0)}),
    *untaped("a product with two factors of 0", lambda x: boxed(x[0]) * boxed(x[1]), np.zeros(2), lambda x: np.zeros(2),
        wrong={"one": lambda x: np.ones(2)}),
    *claims("a recorded length to the power of 3/2", lambda x: np.linalg.norm(x) ** 1.5, np.zeros(3),
        lambda x: np.zeros(3), own=None, wrong={"a thousandth": lambda x: np.array([0.0, 0.0, 1e-3])}),
]  # fmt: skip
