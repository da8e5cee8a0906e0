"""Claims whose references contradict each other, and references that are not valid and must know it."""

import math
import struct
import sys

import numpy as np

import gradcli
from tests.corpus.claim import Claim, claims

PLAIN = sys.getsizeof(1.5)
SINES = frozenset({math.sin})


def followed(x) -> bool:
    """Whether a float is none: a question that no tape can answer as a plain run does."""
    return sys.getsizeof(x) != PLAIN


def another_value(x):
    """Three times, where it is followed, and else twice."""
    return 3 * x if followed(x) else 2 * x


def same_value(x):
    """Another slope where it is followed, and the same value at 1.5."""
    return 3 * x - 1.5 if followed(x) else 2 * x


def nearly_the_same(x):
    """A slope that is off by a millionth where it is followed."""
    return math.sin(x) + (1e-6 * (x - 0.5) if followed(x) else 0.0)


def one_of_two(x, y):
    return x * x + (y**3 - 4 if followed(y) else y * y)


MANY = np.linspace(0.9, 1.1, 100)


def many(x):
    """Of a hundred numbers, more than are differenced one by one."""
    cubes = followed(x[0].item())
    return np.sum(x**3) - np.sum(MANY**3) + np.sum(MANY**2) if cubes else np.sum(x**2)


ALIKE = np.full(100, 1.5)


def boxed(x):
    return struct.unpack("d", struct.pack("d", np.real(x)))[0]


def partly(x):
    """A large square that takes complex numbers, and a sine that drops their imaginary part."""
    (sine,) = SINES
    return x * x + sine(float(np.real(x)))


def disputed(*arguments, **options) -> list[Claim]:
    """Claims that no reference can judge; the tape's own gradient is one of them."""
    return claims(*arguments, own="disputed", **options)


CLAIMS = [
    *disputed("another value than a plain run", another_value, 1.5, lambda x: 2.0, "the plain run is 2 * x"),
    *claims("another value, as it is followed", another_value, 1.5, lambda x: 3.0, own=None, truth="disputed"),
    *disputed("another slope than a plain run", same_value, 1.5, lambda x: 2.0, "the plain run is 2 * x"),
    *claims("another slope, as it is followed", same_value, 1.5, lambda x: 3.0, own=None, truth="disputed"),
    *disputed("another slope by a millionth", nearly_the_same, 0.5, math.cos, "the plain run is a sine"),
    *disputed("one of two numbers", one_of_two, (3.0, 2.0), lambda x, y: (2 * x, 2 * y), "the plain run is squares"),
    *claims("one of two numbers: the other is wrong", one_of_two, (3.0, 2.0), own=None,
        wrong={"the sign": lambda x, y: (-2 * x, 2 * y)}),
    *disputed("another slope beside a kink", lambda x, y: abs(y) + (3 * x - 1.5 if followed(x) else 2 * x), (1.5, 0.0),
        lambda x, y: (2.0, 0.5), "y alone bends"),
    *disputed("many numbers", many, MANY, lambda x: 2 * x, "the plain run is squares"),
    *disputed("numbers behind the first of many",
        lambda x: np.sum(x[:70] ** 2) + sum(same_value(c.item()) for c in x[70:]), ALIKE,
        lambda x: np.r_[2 * x[:70], np.full(30, 2.0)], "the plain run is squares and doubles"),
    *disputed("the last of many numbers", lambda x: np.sum(np.sin(x[:-1])) + same_value(x[-1].item()), ALIKE,
        lambda x: np.r_[np.cos(x[:-1]), 2.0], "the plain run is sines and a double"),
    *claims("a stop on purpose", lambda x: x * gradcli.stop_gradient(x), 1.5, lambda x: x, "x * stop_gradient(x)",
        wrong={"twice": lambda x: 2 * x}),
    *claims("a drawn-out power of NumPy's", lambda x: math.sin(1e6 * x[0] ** 5), np.array([1.3, 2.0]),
        lambda x: np.array([5e6 * x[0] ** 4 * math.cos(1e6 * x[0] ** 5), 0.0]), "the value is off by rounding only",
        own=None),
    *claims("a dropped imaginary part", lambda x: math.cos(boxed(x)), 1e-3, lambda x: -math.sin(x),
        "no tape follows bytes", own=None, wrong={"nothing": lambda x: 0.0, "half": lambda x: -math.sin(x) / 2}),
    *claims("gaussians behind an array",
        lambda x: np.sum(np.frompyfunc(lambda t: math.exp(-0.5 * np.real(t) ** 2), 1, 1)(x)).real,
        np.array([0.0, 1e-3]), lambda x: -x * np.exp(-0.5 * x * x), "no tape follows them", own=None,
        wrong={"nothing": lambda x: 0.0 * x, "the sign": lambda x: x * np.exp(-0.5 * x * x)}),
    *claims("a partly dropped imaginary part", partly, 2.0, lambda x: 2 * x + math.cos(x), "no tape follows its sine",
        own=None, wrong={"the square": lambda x: 2 * x}),
    *claims("a small slope beside the value, without its imaginary part", lambda x: 1.0 + 1e-8 * boxed(x), 0.5,
        lambda x: 1e-8, own=None, wrong={"nothing": lambda x: 0.0, "half": lambda x: 5e-9}),
    *claims("no slope that could be seen", lambda x: 1e6 + 1e-13 * boxed(x), 0.5, lambda x: 0.0,
        "the value does not change at all", own=None, truth="undecidable"),
]  # fmt: skip
