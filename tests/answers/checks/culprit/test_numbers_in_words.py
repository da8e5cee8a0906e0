"""Factors as a user would write them."""

import math

import pytest

from gradcli.answers.checks.culprit.numbers_in_words import number


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
        (math.nan, "nan"),
    ],
)
def test_a_factor(x, text):
    """A known one is written by what it is."""
    assert number(x) == text
