"""The limits beside a point with a branch of its own, against those that are known."""

import math

import numpy as np
import pytest

import gradcli
from gradcli.methods.exact.one_sided_limits import limits, stands_alone
from gradcli.methods.numerics.coordinates import coordinates


def ratio(x):
    """No digits are left of it next to 0."""
    return (math.exp(x) - 1 - x) / x**2 if x != 0 else 0.5


def apart(x):
    """Two slopes, and a value that is neither limit."""
    if x == 0:
        return 7.0
    return 2 * x + 1 if x > 0 else 3 * x - 1


def pairs(x):
    """An array of which two numbers are alike."""
    return (
        np.sum((x[1:] - x[:-1]) / np.log(x[1:] / x[:-1]))
        if x[0] != x[1]
        else x[0] + (x[2] - x[1]) / np.log(x[2] / x[1])
    )


def constant(x):
    """Other numbers beside the point, without a slope."""
    return 1.0 if x == 3 else 2.0


@pytest.mark.parametrize(
    ("f", "at", "number", "expected"),
    [
        (ratio, 0.0, 0, (0.5, 0.5, 1 / 6, 1 / 6)),
        (apart, 0.0, 0, (-1.0, 1.0, 3.0, 2.0)),
        (constant, 3.0, 0, (2.0, 2.0, 0.0, 0.0)),
        (lambda x: math.sqrt(x) if x != 2 else 0.0, 2.0, 0, (2**0.5, 2**0.5, 8**-0.5, 8**-0.5)),
        (pairs, np.array([2.0, 2.0, 3.0]), 0, (2 + 1 / math.log(1.5),) * 2 + (0.5, 0.5)),
        (lambda z: abs((np.exp(z) - 1) / z) if z else 1.0, 0j, 0, (1.0, 1.0, 0.5, 0.5)),
        (lambda z: abs((np.exp(z) - 1) / z) if z else 1.0, 0j, 1, (1.0, 1.0, 0.0, 0.0)),
        (lambda z: abs(z) if z else 0.0, 0j, 1, (0.0, 0.0, -1.0, 1.0)),
    ],
    ids=["cancellation", "two sides", "no slope", "no singularity", "an array", "real", "imaginary", "a bend"],
)
def test_limits(f, at, number, expected):
    """Of the value from below and from above, and of the slope from the left and from the right."""
    found = limits(f, {"x": at}, coordinates({"x": at})[number])

    assert pytest.approx(tuple(found[:4]), rel=1e-13, abs=1e-13) == expected
    assert found.error <= 1e-12


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: x * math.sin(1 / x) if x else 0.0, 0.0),
        (lambda x: 1 / x if x else 0.0, 0.0),
        (lambda x: math.sqrt(x) if x else 0.0, 0.0),
        (lambda x: float(str(x)) if x else 0.0, 0.0),
    ],
    ids=["an oscillation", "a pole", "an infinite slope", "not recorded"],
)
def test_there_are_none(f, at):
    assert limits(f, {"x": at}, coordinates({"x": at})[0]) is None


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (ratio, 0.0, True),
        (ratio, 1.0, False),
        (lambda x: 1.0 if abs(x) < 1e-30 else x, 0.0, False),
        (lambda x: x if x > 0 else 2 * x, 0.0, False),
        (pairs, np.array([2.0, 2.0, 3.0]), True),
        (lambda x: 1.0 if x == 2 else x, np.float32(2.0), True),
    ],
    ids=["one point", "beside it", "a narrow path", "one side", "an array", "in single precision"],
)
def test_a_path_of_one_point(f, at, expected):
    point = {"x": at}

    assert stands_alone(gradcli.trace(f, at), point, coordinates(point)[0]) is expected
