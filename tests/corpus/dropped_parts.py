"""Claims about functions that the tape cannot follow and that take complex numbers, and lose a part of them."""

import ctypes
import ctypes.util
import math
import pickle
import warnings

import numpy as np

from tests.corpus.claim import Claim, claims

LIBM = ctypes.CDLL(ctypes.util.find_library("m"))
for _name in ("cos", "tanh"):
    getattr(LIBM, _name).restype, getattr(LIBM, _name).argtypes = ctypes.c_double, [ctypes.c_double]
X3 = np.array([0.5, -1.2, 2.0])


def through(x):
    """The same numbers, real or complex, by way of bytes: nothing is recorded of it."""
    x = np.asarray(x)
    return np.frombuffer(x.tobytes(), dtype=x.dtype).reshape(x.shape)


def pickled(x):
    """The same number by way of a pickle."""
    return pickle.loads(pickle.dumps(x))


def cosine(x):
    return LIBM.cos(float(np.real(x)))


def narrowed(x):
    """Assigned to real numbers, which drops the rest."""
    cells = np.empty(3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cells[:] = through(x)
    return np.sum(cells**2 * through(x))


def cast(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.sum(np.sin(through(x)) * through(x).astype(float))


def conjugated(x):
    y = through(x)
    return np.real(np.vdot(y, y)) + np.sum(np.conj(y))


def clipped(x):
    y = through(x)
    return np.sum(np.where(y.real > 0, y.real, 0.1 * y) ** 2)


def rounded_off(x):
    y = pickled(x)
    y = y.real if isinstance(y, complex) else y
    return math.exp(y) * math.sin(y)


def looked_up(x):
    """A table read at the real part, and a slope of its own."""
    y = through(x)
    return np.sum(np.interp(y.real, [-2.0, 0.0, 3.0], [1.0, 0.0, 6.0]) + y)


def beside(x):
    """It is dropped in the second number alone."""
    y = through(x)
    return y[0] ** 3 + cosine(y[1]) * 2.0 + np.sin(y[2])


def of_c(name, offset, factor):
    """A function of C's real part on a pedestal: close by its value does not move, farther off it does."""
    function = getattr(LIBM, name)
    return lambda x: offset + factor * function(float(np.real(x)))


def dropped(name, f, at, right, why="textbook derivative", **wrong) -> list[Claim]:
    """Claims without the tape's own gradient; each a millionth too large besides."""
    slips = {text.replace("_", " "): gradient for text, gradient in wrong.items()}
    slips["a millionth"] = lambda x: right(x) * (1 + 1e-6)
    slips["three tenths of a millionth"] = lambda x: right(x) * (1 - 3e-7)
    return claims(f"dropped: {name}", f, at, right, why, own=None, wrong=slips)


CLAIMS = [
    *dropped("by an assignment", narrowed, X3, lambda x: 3 * x**2, "a sum of cubes", the_square_is_held=lambda x: x**2,
        the_power=lambda x: 2 * x**2),
    *dropped("by a cast", cast, X3, lambda x: np.cos(x) * x + np.sin(x), one_factor_is_held=lambda x: np.cos(x) * x),
    *dropped("by the size of a spectrum", lambda x: np.sum(np.abs(np.fft.fft(through(x))) ** 2), X3, lambda x: 6 * x,
        "3 times the sum of squares", once=lambda x: 2 * x),
    *dropped("by a conjugate", conjugated, X3, lambda x: 2 * x + 1, nothing_but_one=np.ones_like,
        the_sign=lambda x: 2 * x - 1),
    *dropped("where it is compared", clipped, X3, lambda x: np.where(x > 0, 2 * x, 0.02 * x),
        the_other_branch=lambda x: np.where(x > 0, 0.0, 0.02 * x)),
    *dropped("by a question for its type", rounded_off, 0.7, lambda x: math.exp(x) * (math.sin(x) + math.cos(x)),
        nothing=lambda x: 0.0, one_factor=lambda x: math.exp(x) * math.cos(x)),
    *dropped("in a table", looked_up, X3, lambda x: np.where(x > 0, 3.0, 0.5),
        "2 + 1 to the right, -1/2 + 1 to the left", the_table_is_held=np.ones_like),
    *dropped("by a small part", lambda x: pickled(x) ** 2 + 1e-5 * cosine(x), 1.3, lambda x: 2 * x - 1e-5 * math.sin(x),
        the_small_part_is_held=lambda x: 2 * x, its_sign=lambda x: 2 * x + 1e-5 * math.sin(x)),
    *dropped("by a factor", lambda x: pickled(x) * cosine(x), 1.3, lambda x: math.cos(x) - x * math.sin(x),
        it_is_held=math.cos, the_sign=lambda x: math.cos(x) + x * math.sin(x)),
    *dropped("in one of three", beside, X3, lambda x: np.array([3 * x[0] ** 2, -2 * math.sin(x[1]), math.cos(x[2])]),
        it_is_held=lambda x: np.array([3 * x[0] ** 2, 0.0, math.cos(x[2])]),
        another=lambda x: np.array([3 * x[0] ** 2, -2 * math.sin(x[0]), math.cos(x[2])])),
    *dropped("and cancelled", lambda x: float(np.real(pickled(x))) * 1.1 - pickled(x), 0.9, lambda x: 0.1, "1.1 - 1",
        it_is_held=lambda x: -1.0, the_sign=lambda x: -0.1),
    *claims("dropped: flat to the last digit", of_c("tanh", 0.0, 1e20), 20.0, lambda x: 1e20 / math.cosh(x) ** 2,
        "the slope is 1699, and tanh(20) is 1 to the last digit, as are its neighbours", own=None, truth="undecidable"),
    *claims("dropped: flat to the last digit, nothing claimed", of_c("tanh", 0.0, 1e20), 20.0, lambda x: 0.0,
        "the slope is 1699, and tanh(20) is 1 to the last digit, as are its neighbours", own=None, truth="undecidable"),
]  # fmt: skip
