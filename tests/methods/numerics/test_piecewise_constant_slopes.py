"""The slope of a staircase over steps that are wider than its stairs."""

import math

import pytest

from gradcli.methods.numerics.piecewise_constant_slopes import on_the_whole, over_the_paths, stair_ends

EPS = 2.0**-52


@pytest.mark.parametrize("digits", [4, 6, 9])
def test_a_staircase_on_the_whole(digits):
    """The slope over steps that are wider than its stairs, with an error of their height."""
    f = lambda x: round(x**3, digits)
    found = on_the_whole(f, 1.23456, EPS, stair_ends(f, 1.23456))

    assert abs(found.value - 3 * 1.23456**2) <= found.error <= 1e3 * 10.0**-digits


def test_a_path_wider_than_any_step_has_no_stairs():
    assert stair_ends(math.floor, 2.5) == []
    assert len(stair_ends(lambda x: max(x - 1, 0.0), 0.95)) == 1


def bisected(c):
    """A square root by a bisection of which an end depends on the input: a saw of teeth that are roundings."""
    low, high = 0.0, max(c, 1.0)
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if middle * middle > c else (middle, high)
    return middle


def test_the_slope_over_paths():
    """Of a saw that of the function over its teeth, of a smooth function its own."""
    for f, expected in ((bisected, 0.5 / math.sqrt(2.0)), (math.sin, math.cos(2.0))):
        found = over_the_paths(f, 2.0, EPS, 1e-15)
        assert abs(found.value - expected) <= 10 * found.error + 1e-12
        assert found.error <= 1e-6


def test_the_slope_over_paths_at_a_bend():
    assert math.isnan(over_the_paths(lambda x: abs(x - 2.0), 2.0, EPS, 1e-12).value)
