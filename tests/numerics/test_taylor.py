"""The Taylor test: the rate of the remainder, and what it says."""

import math

import pytest

from gradcli.numerics.taylor import in_words, rate

EPS = 2.0**-52


@pytest.mark.parametrize(
    ("f", "slope", "expected"),
    [
        (lambda h: math.exp(1 + h), math.e, 2.0),
        (lambda h: math.exp(1 + h), 1.03 * math.e, 1.0),
        (lambda h: math.exp(1 + h), 0.0, 1.0),
        (lambda h: 1e8 * (2 + h) ** 2, 4e8, 2.0),
        (lambda h: 1e-9 * (2 + h) ** 2, 4e-9, 2.0),
        (lambda h: (1 + h) ** 3 - 3 * (1 + h), 0.0, 2.0),
        (lambda h: math.sin(h) ** 3, 0.0, 3.0),
    ],
    ids=["right", "three per cent off", "forgotten", "large", "small", "at an extremum", "flat"],
)
def test_the_rate(f, slope, expected):
    assert math.isclose(expected, rate(f, slope, EPS), abs_tol=0.1)


@pytest.mark.parametrize(
    "f", [lambda h: 3.0 + 2.0 * h, lambda h: math.nan, lambda h: 1e20 + math.exp(h)], ids=["linear", "nan", "drowned"]
)
def test_where_rounding_hides_the_remainder(f):
    assert rate(f, 2.0, EPS) is None


def test_no_step_leaves_the_path():
    """Half the distance to the next outcome is the longest."""
    asked = []
    rate(lambda h: asked.append(h) or math.exp(h), 1.0, EPS, reach=1e-3)

    assert max(asked) <= 5e-4


@pytest.mark.parametrize(
    ("found", "expected"),
    [(2.0, "as for a right gradient"), (1.0, "is wrong"), (1.5, "between"), (None, "says nothing")],
)
def test_words(found, expected):
    assert expected in in_words(found)
