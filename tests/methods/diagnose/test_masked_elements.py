"""Lanes that were left aside and would give nan elsewhere."""

import math

import numpy as np
import pytest

from gradcli import grad
from gradcli.methods.diagnose.masked_elements import masked
from gradcli.methods.transforms.gradients import trace

POINT = np.array([0.0, 1.0, 4.0])


def found(f, *at):
    with np.errstate(all="ignore"):
        return masked(trace(f, *at))


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: np.sum(np.sqrt(x)[x > 0]), POINT),
        (lambda x: np.sqrt(x)[1], POINT),
        (lambda x: np.sum(np.maximum(np.sqrt(x), 0.5)), POINT),
        (lambda x: np.max(np.sqrt(x)), POINT),
        (lambda x: np.where(x < 1, x, np.sqrt(x)), 0.0),
    ],
    ids=["mask", "index", "maximum", "largest", "number"],
)
def test_whatever_left_the_lane_aside(f, at):
    """The gradient is finite, and the finding says what would not be elsewhere."""
    assert found(f, at).code == "G103"
    assert np.all(np.isfinite(grad(f)(at)))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(np.where(x > 0.5, np.sqrt(x + 1), x)),
        lambda x: np.sum(np.where(x > 0.5, np.log(x + 1), x)),
        lambda x: np.sum(np.sqrt(x)),
        lambda x: math.sqrt(x[1]) + x[0],
        lambda x: np.sum(x) * 0 + 3,
    ],
    ids=["a finite slope", "a finite logarithm", "nothing left aside", "a list", "no choice"],
)
def test_other_programs_have_none(f):
    """A lane with a finite slope does no harm anywhere; one that was taken is another finding."""
    assert found(f, POINT) is None
