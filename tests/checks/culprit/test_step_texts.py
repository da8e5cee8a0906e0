"""Numbers and texts of steps, as a user would write them."""

from __future__ import annotations

import math

import pytest

from gradcli.checks.culprit.step_texts import in_common, number


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (3.0, "3"),
        (0.5, "1/2"),
        (-1 / 7, "-1/7"),
        (math.sqrt(3), "sqrt(3)"),
        (math.sqrt(3) ** 2, "3"),
        (math.pi / 180, "pi/180"),
        (180 / math.pi, "180/pi"),
        (0.31789, "0.31789"),
        (math.inf, "inf"),
    ],
)
def test_a_factor(x, text):
    """A known one is written by what it is."""
    assert text == number(x)


@pytest.mark.parametrize(
    ("first", "last", "common"),
    [
        ("the derivative of 2 * x", "the derivative of 2 * x", "the derivative of 2 * x"),
        ("the derivative of 2 * x", "the derivative of 3 * x", "the derivative of … * x"),
        ("2 * x", "2 * x + y", "2 * x"),
    ],
)
def test_what_each_time_is_the_same(first, last, common):
    """What differs is left out; where the texts have other shapes, the first stands for all."""
    assert common == in_common(first, last)
