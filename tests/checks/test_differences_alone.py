"""Functions that the tape cannot follow, which differences of values alone judge: compiled code of the C library."""

from __future__ import annotations

import ctypes
import ctypes.util
import math

import numpy as np
import pytest
from scipy.special import digamma, gamma

import gradcli

LIBRARY = ctypes.util.find_library("m")
LIBM = ctypes.CDLL(LIBRARY) if LIBRARY else None
pytestmark = pytest.mark.skipif(LIBM is None, reason="there is no C library of mathematics")


def of_c(name, count=1, kind=ctypes.c_double):
    """A function of the C library."""
    if LIBM is None:
        return None
    found = getattr(LIBM, name)
    found.restype, found.argtypes = kind, [kind] * count
    return found


tgamma, fmax, fabs = of_c("tgamma"), of_c("fmax", 2), of_c("fabs")


def verdict(f, at, claim, **options):
    """The overall verdict on a claim; a claim that is no function is given as numbers."""
    return gradcli.check(f, at=at, against=claim if callable(claim) else lambda *_: claim, **options).verdict


def relu(x):
    """By compiled code."""
    return fmax(x, 0.0)


# A zero beside larger derivatives


def slope_of_gamma(x):
    """In closed form."""
    return float(gamma(x) * digamma(x))


@pytest.mark.parametrize(
    ("f", "at", "claim"),
    [
        (lambda x: tgamma(x[0]), [2.7, 0.5], [slope_of_gamma(2.7), 0.0]),
        (lambda x: tgamma(x[0][1]), [[0.5, 2.7], [1.0, 2.0]], [[0.0, slope_of_gamma(2.7)], [0.0, 0.0]]),
        (lambda x: tgamma(x["a"][0]), {"a": [2.7, 0.5]}, {"a": [slope_of_gamma(2.7), 0.0]}),
        (lambda x: tgamma(x[1]), (0.5, 2.7), (0.0, slope_of_gamma(2.7))),
        (lambda x: tgamma(x[0].real), [2.7 + 0.5j], [slope_of_gamma(2.7) + 0.0j]),
    ],
    ids=["a list", "a nested list", "a list in a dict", "a tuple", "a complex number"],
)
def test_an_unused_number_of_a_list(f, at, claim):
    """As of an array: the largest slope in the list tells that it is 0."""
    assert "pass" == verdict(f, {"x": at}, claim)


def test_a_jacobian_with_a_zero():
    """Each row is judged by its own slopes."""
    f = lambda x: np.array([tgamma(x[0]) * x[1], x[0] ** 2])
    claim = [[slope_of_gamma(2.7) * 0.5, float(gamma(2.7))], [5.4, 0.0]]

    assert "pass" == verdict(f, [2.7, 0.5], claim, of="jacobian")


def test_numbers_of_other_names_are_no_list():
    """The numbers x1 and x2 may have other units."""
    assert "inconclusive" == verdict(lambda x1, x2: tgamma(x1), {"x1": 2.7, "x2": 0.5}, (slope_of_gamma(2.7), 0.0))


# Kinks that several inputs make together


@pytest.mark.parametrize(
    ("f", "right", "wrong"),
    [
        (lambda x: relu(x[0]) - relu(x[0] + x[1]) + 0.5 * relu(x[1]), [(1, 0), (0, 0.5), (0, -0.5)], [(1, 1), (-1, 0)]),
        (lambda x: relu(x[0] - x[1]) - relu(x[0]), [(1, -1), (-1, 0), (0.5, -0.5)], [(1, 1), (1, 0), (0, 0.5)]),
        (lambda x: fabs(x[0] + x[1]) - fabs(x[0]), [(0, 1), (-2, -1), (2, 1)], [(2, -1), (1, 1.5)]),
        (lambda x: fmax(x[0], x[1]) - x[0], [(0, 0), (-1, 1), (-0.5, 0.5)], [(-1, 0), (0, 1)]),
    ],
    ids=["two relus less one", "one relu less another", "absolute values", "a maximum"],
)
@pytest.mark.parametrize("at", [np.zeros(2), [0.0, 0.0]], ids=["an array", "a list"])
def test_the_gradients_of_sectors(f, right, wrong, at):
    """Each is valid, though along its own axis an input may have another slope; outside their hull none is."""
    assert ["pass"] * len(right) == [verdict(f, at, np.array(claim, dtype=float)) for claim in right]
    assert ["fail"] * len(wrong) == [verdict(f, at, np.array(claim, dtype=float)) for claim in wrong]
