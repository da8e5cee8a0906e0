"""Difference quotients that fall to 0 with a power of the step, and those that only seem to."""

import math

import pytest

from gradcli.methods.numerics.differences import slope

EPS = 2.0**-52


def ramp(x):
    return max(x - 1, 0.0)


@pytest.mark.parametrize(
    ("f", "x", "power"),
    [
        (lambda x: ramp(x) ** 1.5, 1.0, 0.5),
        (lambda x: 1 + ramp(x) ** 1.5, 1.0, 0.5),
        (lambda x: ramp(x) ** 1.1, 1.0, 0.1),
        (lambda x: abs(x - 1) ** 2, 1.0, 1.0),
        (math.cos, 0.0, 1.0),
        (math.cos, math.pi, 1.0),
        (lambda x: x * x * math.log(abs(x)) if x else 0.0, 0.0, 0.97),
        (lambda x: 1 + x**3, 0.0, 2.0),
    ],
    ids=["a bow", "a bow on a pedestal", "hardly bent", "a square", "cos", "cos at pi", "with a log", "a cube"],
)
def test_quotients_that_fall_to_0(f, x, power):
    found = slope(f, x, EPS)

    assert math.isclose(power, found.power, abs_tol=0.01)
    assert abs(found.value) <= found.error <= 1e-7


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (abs, 0.0),
        (lambda x: ramp(x) ** 1.5 + 1e-4 * x, 1.0),
        (lambda x: ramp(x) ** 1.5 + 1e-6 * (x - 1), 1.0),
        (lambda x: x * x + 1e-9 * abs(x), 0.0),
        (lambda x: x * x + 1e-12 * x, 0.0),
        (lambda x: 5.0, 1.0),
        (lambda x: 0.0, 1.0),
        (lambda x: 1e9 + x * x, 0.0),
        (lambda x: x * math.log(abs(x)) if x else 0.0, 0.0),
        (lambda x: 1e-6 * math.sin(1e30 * x), 1.0),
        (math.tanh, 15.0),
        (math.sin, 1.0),
    ],
    ids=["abs", "tilt", "hair", "kink", "line", "constant", "nothing", "pedestal", "x log x", "noise", "tanh", "sin"],
)
def test_quotients_that_do_not_fall_to_0(f, x):
    """They fall to something else, or it cannot be seen: a 0 without an error proves nothing."""
    assert not slope(f, x, EPS).power


@pytest.mark.parametrize(
    ("f", "left", "right"),
    [
        (lambda x: abs(x) ** 1.2 + x, 1.0, 1.0),
        (lambda x: max(x, 0.0) ** 1.06 + x, 1.0, 1.0),
        (lambda x: 1e3 * abs(x) ** 1.1 + x, 1.0, 1.0),
        (lambda x: math.copysign(abs(x) ** 1.25, x) - 2 * x, -2.0, -2.0),
        (lambda x: abs(x) ** 1.2 + x + abs(x), 0.0, 2.0),
    ],
    ids=["both sides", "one side", "steep", "odd", "a kink"],
)
def test_quotients_that_approach_their_limit_with_a_low_power(f, left, right):
    """Of the step: it is known nearly as well as theirs is who approach it fast."""
    found = slope(f, 0.0, EPS)

    assert abs(found.left - left) <= found.left_error <= 1e-10
    assert abs(found.right - right) <= found.right_error <= 1e-10
    assert abs(found.value - (left + right) / 2) <= found.error


@pytest.mark.parametrize(
    "f",
    [
        lambda x: abs(x) ** 1.2 + x + abs(x) ** 1.3,
        lambda x: abs(x) ** 1.2 + x + 1,
        lambda x: math.exp(abs(x) ** 1.2) + x,
        lambda x: x + x / math.log(abs(x) / 2) if x else 0.0,
    ],
    ids=["two powers", "a pedestal", "exp", "a log"],
)
def test_the_errors_of_slow_quotients_are_what_may_be_left(f):
    found = slope(f, 0.0, EPS)

    assert abs(found.value - 1) <= found.error
    assert abs(found.left - 1) <= found.left_error
    assert abs(found.right - 1) <= found.right_error
