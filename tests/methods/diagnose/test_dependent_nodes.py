"""What one number of the point touches."""

import math

import numpy as np
import pytest

import gradcli
from gradcli.methods.diagnose.dependent_nodes import only_through_outcomes

X = np.array([0.5, -1.5, 2.5])


def chosen(x):
    return x[1:][int(x[0])] ** 2


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x: math.floor(x[0]) + x[1] * x[2], {0}),
        (lambda x: np.sum(x), set()),
        (lambda x: np.sum(x[1:] ** 2), set()),
        (lambda x: np.sum(np.where(x > 0, x**2, 0.0)), set()),
        (lambda x: np.sum(np.floor(x)) + x[1], {0, 2}),
        (lambda x: np.sum(x[:2] > 0) * x[2], {0, 1}),
        (chosen, {0}),
        (lambda x: np.max(x), set()),
        (lambda x: np.sort(x)[0] + x[np.argmax(x)], set()),
        (lambda x: x @ np.array([0.0, 1.0, 1.0]) * (1.0 if x[0] > 0 else 2.0), set()),
    ],
    ids=["floor", "sum", "a slice", "a mask", "floors", "a count", "an index", "max", "sort", "times 0"],
)
def test_numbers_that_act_only_through_outcomes(f, expected):
    """One that is not used at all acts through nothing, and a masked one might be taken."""
    tape = gradcli.trace(f, X)

    assert only_through_outcomes(tape, [(0, (0,)), (0, (1,)), (0, (2,))]) == expected
