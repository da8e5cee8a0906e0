"""Shims introduce themselves as the originals, and behave like these for all that is not recorded."""

import math

import numpy as np
import pytest

from gradcli import value_and_grad
from gradcli.engine.patching.shims import modules
from gradcli.engine.patching.shims.numpy_functions import TYPES

MATH, NUMPY = modules.module("math"), modules.module("numpy")


def test_names_and_texts_are_those_of_the_originals():
    """A shim introduces itself as the function that it replaces."""
    for name in ("sin", "log", "hypot", "isnan", "pow"):
        original, ours = getattr(math, name), getattr(MATH, name)
        assert (original.__name__, original.__doc__, "math") == (ours.__name__, ours.__doc__, ours.__module__)
    for original, ours in TYPES.items():
        assert (original.__name__, repr(original), hash(original)) == (ours.__name__, repr(ours), hash(ours))
        assert original == ours
        assert ours == original
    assert repr(np.sin) == repr(NUMPY.sin)
    assert np.sin == NUMPY.sin
    assert hash(np.sin) == hash(NUMPY.sin)
    assert dir(math) == dir(MATH)
    assert NUMPY.__all__ == np.__all__


@pytest.mark.parametrize(
    "name", ["sin", "log", "hypot", "dist", "fsum", "prod", "isnan", "ldexp", "modf", "frexp", "pow"]
)
def test_on_plain_numbers_they_are_the_originals(name):
    arguments = {
        "dist": ([1, 2], [3, 4]), "fsum": ([0.1] * 10,), "prod": ([2, 3],), "ldexp": (0.5, 3), "pow": (2, 3),
        "hypot": (3, 4),
    }.get(name, (0.7,))  # fmt: skip
    expected, found = getattr(math, name)(*arguments), getattr(MATH, name)(*arguments)

    assert (type(expected), expected) == (type(found), found)


def test_replaced_numpy_takes_lists_of_recorded_numbers():
    f = (
        lambda x, y: np.sum([x, y]) + np.dot([x, y], [1, 2]) + np.linalg.norm([x, y]) + np.max([[x], [y]])
        + np.add.reduce([x, y]) + np.concatenate([[x], [y, x]]).prod() + np.mean([np.array([x, y]), np.ones(2)])
    )  # fmt: skip
    x, y = 3.0, 4.0

    value, gradient = value_and_grad(f, (0, 1))(x, y)

    assert math.isclose(f(x, y), value)
    assert pytest.approx((1 + 1 + 0.6 + 0 + 1 + 2 * x * y + 0.25, 1 + 2 + 0.8 + 1 + 1 + x * x + 0.25)) == gradient


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_replaced_numpy_floats(kind):
    """`np.float64(x)` makes a NumPy number of a recorded one, and `.item()` a Python float again."""
    name = kind.__name__
    value, gradient = value_and_grad(lambda x: getattr(np, name)(x) * getattr(np, name)(2))(1.5)

    assert (3.0, kind, 2.0) == (value, type(value), gradient)
    assert float is type(value_and_grad(lambda x: getattr(np, name)(x).item() * float(getattr(np, name)(2)))(1.5)[0])
