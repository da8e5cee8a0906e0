"""The digits that a node loses, and those of a number within its error."""

import math

import pytest

from gradcli.methods.numerics import precision_loss, rounding
from gradcli.methods.transforms.gradients import trace

HALF_ULP = rounding.HALF_ULP


@pytest.mark.parametrize(
    ("f", "x", "least", "most"),
    [
        (lambda x: 1 - math.cos(x), 1e-4, 8, 9),
        (lambda x: math.log(1 + x), 1e-9, 8.5, 9.5),
        (lambda x: x - 0.3, 0.3 + 1e-12, 0, 0.1),
        (lambda x: x * 1e9, 3.0, 0, 0.1),
    ],
    ids=["difference", "logarithm near 1", "exact difference", "product"],
)
def test_digits_lost(f, x, least, most):
    """A difference of what is exact costs nothing, however much cancels."""
    run = trace(f, x)
    errors = rounding.error_analysis(run, len(run.nodes) - 1).errors
    lost = precision_loss.digits_lost(run, run.nodes, errors, HALF_ULP)

    assert least <= lost[-1] <= most


@pytest.mark.parametrize(
    ("value", "error", "expected"),
    [(1.0, 0.0, 16.0), (100.0, 1.0, 2.0), (1.0, 2.0, 0.0), (0.0, 1e-9, 0.0), (math.nan, 1.0, 0.0), (1.0, 1e-30, 16.0)],
)
def test_good_digits(value, error, expected):
    """None of what is smaller than its error, all that the type has at most."""
    assert math.isclose(expected, precision_loss.good_digits(value, error, HALF_ULP), abs_tol=0.05)
