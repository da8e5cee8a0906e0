"""The slope of a staircase over steps that are wider than its stairs."""

from __future__ import annotations

import math

import pytest

from gradcli.methods.staircases import on_the_whole, stair_ends

EPS = 2.0**-52


@pytest.mark.parametrize("digits", [4, 6, 9])
def test_a_staircase_on_the_whole(digits):
    """The slope over steps that are wider than its stairs, with an error of their height."""
    f = lambda x: round(x**3, digits)
    found = on_the_whole(f, 1.23456, EPS, stair_ends(f, 1.23456))

    assert abs(found.value - 3 * 1.23456**2) <= found.error <= 1e3 * 10.0**-digits


def test_a_path_wider_than_any_step_has_no_stairs():
    """To one side or to both."""
    assert [] == stair_ends(math.floor, 2.5)
    assert 1 == len(stair_ends(lambda x: max(x - 1, 0.0), 0.95))
