"""The slip of a hand-written gradient, with the user's own line."""

from __future__ import annotations

import math
import os

import numpy as np
import pytest

import gradcli
from examples import hyperbox, rosenbrock
from gradcli import custom

HERE = os.path.basename(__file__)


def wave(x):
    """A chain of three."""
    inner = 3 * x
    return math.exp(math.sin(inner))


def shares(x, y):
    """Two terms."""
    first = x * y
    second = x * x
    return first + second


def ascending(x):
    """A mean of squares."""
    return np.mean(x**2)


def without_left(x):
    """The valley's gradient without the share of the left neighbours."""
    found = rosenbrock.grad_rosen(x)
    found[1:] -= 200 * (x[1:] - x[:-1] ** 2)
    return found


def culprit(f, at, against):
    """The finding that says why; None where there is none."""
    found = [finding for finding in gradcli.check(f, at=at, against=against).findings if finding.code == "G312"]
    return found[0] if found else None


@pytest.mark.parametrize(
    ("f", "at", "against", "source", "said"),
    [
        (wave, 0.5, lambda x: math.cos(3 * x) * wave(x), "inner = 3 * x", "the factor 3 of the chain rule"),
        (wave, 0.5, lambda x: 3 * wave(x), "return math.exp(math.sin(inner))", "of sin(inner), is missing"),
        (wave, 0.5, lambda x: 9 * math.cos(3 * x) * wave(x), "inner = 3 * x", "is there twice"),
        (shares, (1.3, 0.7), lambda x, y: (2 * x, x), "first = x * y", "x * y is missing"),
        (shares, (1.3, 0.7), lambda x, y: (2 * x - y, x), "first = x * y", "x * y has the wrong sign"),
        (shares, (1.3, 0.7), lambda x, y: (2 * x + 2 * y, x), "first = x * y", "x * y is counted twice"),
        (hyperbox.f4, [1.0, 2.0, 3.0, 4.0], hyperbox.grad_f4_slip, "t_cd = t_c * t_d", "the candidate has t_d = 4"),
        (rosenbrock.rosen, np.linspace(0.3, 1.7, 5), without_left, "step = x[1:] - x[:-1] ** 2", "sub is missing"),
    ],
)  # fmt: skip
def test_the_line_of_the_slip(f, at, against, source, said):
    """It is quoted, and the mistake said in words."""
    found = culprit(f, at, against)

    assert f"`{source}`: " in found.message
    assert said in found.message
    assert found.file is not None
    assert found.line is not None


@pytest.mark.parametrize(
    ("f", "at", "against", "expected"),
    [
        (ascending, np.array([1.0, 2.0, 4.0]), lambda x: 2 * x, "the gradient by x is 3 times the derivative: "
         "the 1/3 of the mean is missing"),
        (lambda x, y: x * y * y, (2.0, 3.0), lambda x, y: (2 * x * y, y * y), "the derivatives by x and y are swapped"),
        (lambda x, y: x * y * y, (2.0, 3.0), (12.0, 9.0), "the derivatives by x and y are swapped"),
        (lambda w, b: np.sum(w * w) * b, (np.array([1.0, 2.0]), 3.0), lambda w, b: (-2 * w * b, w @ w),
         "the gradient by w has the wrong sign"),
        (wave, 0.5, lambda x: 0.0, "the gradient by x is 0 throughout"),
    ],
)  # fmt: skip
def test_a_slip_of_the_whole(f, at, against, expected):
    """It is about no one line."""
    found = culprit(f, at, against)

    assert (expected, None) == (found.message, found.line)


@pytest.mark.parametrize(
    ("f", "at", "against"),
    [
        (lambda x: x**3, 2.0, lambda x: 6 * x * x * x / 2),
        (lambda x, y: x**2 * y, (1.0, 1.0), lambda x, y: (2 * x * y, 2 * x - 0.7)),
        (abs, 0.0, lambda x: 2.0),
        (math.sin, 1.0, math.cos),
        (math.sin, 1.0, lambda x: math.nan),
    ],
    ids=["twice, at this point alone", "no slip", "a kink", "right", "nan"],
)
def test_nothing_is_said_without_proof(f, at, against):
    """A slip accounts for the numbers beside the point too."""
    assert culprit(f, at, against) is None


def test_the_message_of_assert_grad():
    """The slip stands below the table."""
    with pytest.raises(AssertionError, match=rf"{HERE}:\d+: `first = x \* y`: the term .* is missing \(G312\)"):
        gradcli.assert_grad(shares, at=(1.3, 0.7), against=lambda x, y: (2 * x, x))


def test_a_rule_that_is_wrong_is_named():
    """A rule of the user's that is right where it was tried, and wrong here."""
    bent = gradcli.rule("bent_far_out(x)", "where(x < 100, x, x * x)", "1")
    try:
        found = gradcli.check(lambda x: 2 * bent(x), at=200.0)
    finally:
        custom.forget("bent_far_out")
    (finding,) = [finding for finding in found.findings if finding.code == "G313"]

    assert "fail" == found.verdict
    assert "the rule of bent_far_out is wrong: " in finding.message
