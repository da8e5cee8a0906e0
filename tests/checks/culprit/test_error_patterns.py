"""Slips that a wrong gradient shows by its numbers alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradcli.checks.culprit.error_patterns import Block, slips

RIGHT = np.array([2.0, -3.0, 5.0, 7.0])
LABELS = ("w[0,0]", "w[0,1]", "w[1,0]", "w[1,1]")


def said(candidate, reference=RIGHT, shape=(2, 2), counts=()):
    """The first slip of a gradient by w; None where there is none."""
    block = Block("w", LABELS[: len(reference)], shape, np.array(candidate), np.array(reference))
    return next((slip.text for slip in slips(block, counts)), None)


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (RIGHT, None),
        (RIGHT * 1.3, None),
        (RIGHT * 0, "the gradient by w is 0 throughout"),
        (-RIGHT, "the gradient by w has the wrong sign"),
        (2 * RIGHT, "the gradient by w is twice the derivative"),
        (RIGHT / 2, "the gradient by w is half the derivative: a factor of 2 is missing"),
        (RIGHT.reshape(2, 2).T.ravel(), "the gradient by w is transposed"),
        ([-3.0, 2.0, 5.0, 7.0], "the derivatives by w[0,0] and w[0,1] are swapped"),
        (RIGHT[::-1], "the gradient by w is in reversed order"),
        (np.roll(RIGHT, 1), "the gradient by w is shifted by one place forward"),
        (np.roll(RIGHT, -1), "the gradient by w is shifted by one place back"),
        ([2.0, 3.0, 5.0, 7.0], "the derivative by w[0,1] has the wrong sign"),
        ([2.0, 0.0, 5.0, 7.0], "the derivative by w[0,1] is left at 0"),
        ([-2.0, 3.0, 5.0, 7.0], "each of the derivatives by w[0,0], w[0,1] has the wrong sign"),
        ([2.0, -3.0, 5.0, 7.1], None),
    ],
)
def test_the_plainest_slip_comes_first(candidate, expected):
    """Nothing is said of a right gradient, nor of one that no slip accounts for."""
    assert expected == said(candidate)


@pytest.mark.parametrize(
    ("factor", "counts", "expected"),
    [
        (6, [6], "the gradient by w is 6 times the derivative: the 1/6 of the mean is missing"),
        (6, [], None),
        (180 / math.pi, [], "is per radian where the derivative is per degree: a factor of pi/180 is missing"),
        (math.pi / 180, [], "has an extra factor of pi/180: degrees in place of radians"),
        (2 + 1e-5, [], None),
    ],
)
def test_factors(factor, counts, expected):
    """A mean is only thought of where the program takes one."""
    found = said(factor * RIGHT, counts=counts)

    assert expected is found is None or found.endswith(expected)
