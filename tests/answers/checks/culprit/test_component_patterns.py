"""Slips that a wrong gradient shows by its numbers alone."""

import math

import numpy as np
import pytest
import sympy

from gradcli.answers.checks.culprit.component_patterns import Block, slips_of_block
from gradcli.answers.checks.culprit.discrepancy import Discrepancy

RIGHT = np.array([2.0, -3.0, 5.0, 7.0])
LABELS = ("w[0,0]", "w[0,1]", "w[1,0]", "w[1,1]")


def said(candidate, reference=RIGHT, shape=(2, 2), factors=(), point=1.0):
    """The plainest slip of a gradient by w; None where there is none."""
    gap = Discrepancy(np.array(candidate), np.array(reference))
    labels = LABELS if len(reference) == 4 else [f"w[{n}]" for n in range(len(reference))]
    block = Block("the gradient by w", labels, shape, gap, np.arange(len(reference)), point, "w", factors)
    return next((slip.text for slip in sorted(slips_of_block(block), key=lambda slip: slip.implausibility)), None)


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        (RIGHT, None),
        (RIGHT * 1.3, "the gradient by w is 1.3 times the derivative"),
        (RIGHT * (1 + 1e-4), None),
        (RIGHT * math.pi, "the gradient by w is 3.14159 = pi times the derivative"),
        (RIGHT * math.log(10), "the gradient by w is 2.30259 = ln 10 times the derivative"),
        (RIGHT * -2000 * math.pi, "the gradient by w is -6283.19 = -2*pi*1000 times the derivative"),
        (RIGHT + 0.25, "the gradient by w is the derivative plus 1/4, a constant"),
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
        ([2.0, 3.0, -5.0, 7.0], "the part off the diagonal of the gradient by w has the wrong sign"),
        ([-2.0, 3.0, 5.0, 7.0], "row 0 of the gradient by w has the wrong sign"),
        ([2.0, -3.0, 15.0, 21.0], "row 1 of the gradient by w is 3 times the derivative"),
        ([2.0, 3.0, 5.0, -7.0], "column 1 of the gradient by w has the wrong sign"),
        ([4.0, -3.0, 5.0, 14.0], "the diagonal of the gradient by w is twice the derivative"),
        ([2.1, -3.3, 5.2, 7.3], None),
    ],
)
def test_the_plainest_slip_comes_first(candidate, expected):
    """Nothing is said of a right gradient, nor of one that no slip accounts for."""
    assert said(candidate) == expected


@pytest.mark.parametrize(
    ("factor", "factors", "expected"),
    [
        (6, [(6, "is 6 times the derivative: the 1/6 of the mean is missing")], "the 1/6 of the mean is missing"),
        (180 / math.pi, [], "is per radian where the derivative is per degree: a factor of pi/180 is missing"),
        (math.pi / 180, [], "has an extra factor of pi/180: degrees in place of radians"),
    ],
)
def test_factors_with_a_reason(factor, factors, expected):
    """Means are only thought of where the program takes one."""
    assert said(factor * RIGHT, factors=factors).endswith(expected)


POINT = np.array([0.3, 1.7, 0.6, 2.5])


@pytest.mark.parametrize(
    ("u", "by_u"),
    [
        ("the logarithm of w", "w"),
        ("the logarithm of w to base 10", "w * log(10)"),
        ("the square of w", "1 / (2 * w)"),
        ("the square root of w", "2 * sqrt(w)"),
        ("1/w", "-w**2"),
        ("1/w**2", "-w**3 / 2"),
        ("exp(w)", "exp(-w)"),
        ("the logit of w", "w * (1 - w)"),
        ("the logistic function of w", "(1 + exp(-w))**2 / exp(-w)"),
    ],
)
def test_the_derivative_by_another_variable(u, by_u):
    """The derivative by u is that by w times dw/du."""
    w = sympy.Symbol("w")
    slope = sympy.lambdify(w, sympy.sympify(by_u), "numpy")(POINT)

    assert f"the gradient by w is that by {u}," in said(RIGHT * slope, point=POINT)


def test_the_order_of_a_transposed_array():
    """An array that is not square keeps its shape."""
    right = np.arange(1.0, 7.0) ** 2

    found = said(right.reshape(2, 3).T.ravel(), right, (2, 3))

    assert found == "the gradient by w has its numbers in the order of the transposed array"
