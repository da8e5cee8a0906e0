"""The directions in which all kinks turn the same way."""

import numpy as np
import pytest

import gradcli
from gradcli.answers.checks.nonsmooth.common_kink_direction import turning_alike
from gradcli.methods.numerics.coordinates import coordinates

WEIGHTS = np.random.default_rng(3).normal(size=(20, 4))


def turned(f, **point):
    parts = coordinates(point)
    return turning_alike(gradcli.trace(f, *point.values()), parts, np.ones(len(parts)))


def layer(b, x):
    return np.sum(np.maximum(WEIGHTS @ x + b, 0.0))


def test_all_units_of_a_layer():
    off, on = turned(layer, b=np.zeros(20), x=np.zeros(4))

    assert np.all(WEIGHTS @ off[20:] + off[:20] < 0)
    assert np.all(WEIGHTS @ on[20:] + on[:20] > 0)


@pytest.mark.parametrize(
    ("f", "expected"),
    [
        (lambda x, y: abs(x) + abs(y), [-1.0, -1.0]),
        (lambda x, y: max(x, 0.0) + max(0.0, y), [-1.0, -1.0]),
        (lambda x, y: (x if x > 0 else 0.0) + (y if y < 0 else 0.0), [-1.0, -1.0]),
        (lambda x, y: np.maximum(x, y) + np.abs(x + y), [-1.0, 0.0]),
        (lambda x, y: max(abs(x), 0.0) + np.sum(np.abs(np.stack([x, y]))), [-1.0, -1.0]),
    ],
    ids=["steps", "Python's max", "branches", "a tie", "numbers and arrays"],
)
def test_what_turns(f, expected):
    """What is 0 at each kink goes below 0: of two operands the first less the second."""
    first, second = turned(f, x=0.0, y=0.0)

    assert np.allclose(expected, first)
    assert np.allclose(first, -second)


@pytest.mark.parametrize("f", [lambda x, y: x * y, lambda x, y: abs(x) + y], ids=["none", "one"])
def test_few_kinks_need_no_such_directions(f):
    assert turned(f, x=0.0, y=0.0) == []
