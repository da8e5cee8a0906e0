"""The lent objects: they introduce themselves as the originals, and are these for all that is not recorded."""

from __future__ import annotations

import enum
import math

import numpy as np
import pytest

from gradcli import value_and_grad
from gradcli.tape import lent


def test_names_and_texts_are_those_of_the_originals():
    """A lent function introduces itself as what it stands for."""
    for name in ("sin", "log", "hypot", "isnan", "pow"):
        original, ours = getattr(math, name), getattr(lent.MATH, name)
        assert (original.__name__, original.__doc__, "math") == (ours.__name__, ours.__doc__, ours.__module__)
    for original, ours in lent.TYPES.items():
        assert (original.__name__, repr(original), hash(original)) == (ours.__name__, repr(ours), hash(ours))
        assert original == ours
        assert ours == original
    assert repr(np.sin) == repr(lent.NUMPY.sin)
    assert np.sin == lent.NUMPY.sin
    assert hash(np.sin) == hash(lent.NUMPY.sin)
    assert dir(math) == dir(lent.MATH)
    assert lent.NUMPY.__all__ == np.__all__


@pytest.mark.parametrize(
    "name", ["sin", "log", "hypot", "dist", "fsum", "prod", "isnan", "ldexp", "modf", "frexp", "pow"]
)
def test_on_plain_numbers_they_are_the_originals(name):
    """Value and type."""
    arguments = {
        "dist": ([1, 2], [3, 4]), "fsum": ([0.1] * 10,), "prod": ([2, 3],), "ldexp": (0.5, 3), "pow": (2, 3),
        "hypot": (3, 4),
    }.get(name, (0.7,))  # fmt: skip
    expected, found = getattr(math, name)(*arguments), getattr(lent.MATH, name)(*arguments)

    assert (type(expected), expected) == (type(found), found)


def test_the_lent_float_is_float():
    """Called, asked, derived from and used as a type."""
    ours = lent.LentFloat

    class Mine(ours):
        """A number of the user's own."""

    assert (2.5, float) == (ours("2.5"), type(ours("2.5")))
    assert 1.5 == ours.fromhex("0x1.8p0")
    assert isinstance(1.5, ours)
    assert not isinstance(1, ours)
    assert issubclass(Mine, ours)
    assert issubclass(bool, ours) is issubclass(bool, float)
    assert Mine is type(Mine(3))
    assert not isinstance(1.5, Mine)
    assert {float: "f"}[ours] == "f"
    assert np.dtype(float) == np.dtype(ours)
    assert np.zeros(2, dtype=ours).dtype == float


def test_the_lent_type_is_type():
    """Asked for the type of a thing, and used to make classes."""
    ours = lent.LentType

    class Meta(ours):
        """A type of types of the user's own."""

        def __call__(cls, *arguments):
            made = super().__call__(*arguments)
            made.marked = True
            return made

    class Marked(metaclass=Meta):
        """Its instances are marked."""

    assert [lent.LentFloat, int, str, ours] == [ours(1.0), ours(1), ours("a"), ours(ours)]
    assert Marked().marked
    assert Meta is ours(Marked)
    assert isinstance(Marked, ours)
    assert 3 == ours("Made", (), {"three": 3}).three
    assert 1 == enum.Enum("Color", "RED").RED.value


def test_lent_numpy_takes_lists_of_recorded_numbers():
    """Where NumPy would convert the numbers one by one."""
    f = (
        lambda x, y: np.sum([x, y]) + np.dot([x, y], [1, 2]) + np.linalg.norm([x, y]) + np.max([[x], [y]])
        + np.add.reduce([x, y]) + np.concatenate([[x], [y, x]]).prod() + np.mean([np.array([x, y]), np.ones(2)])
    )  # fmt: skip
    x, y = 3.0, 4.0

    value, gradient = value_and_grad(f, (0, 1))(x, y)

    assert math.isclose(f(x, y), value)
    assert pytest.approx((1 + 1 + 0.6 + 0 + 1 + 2 * x * y + 0.25, 1 + 2 + 0.8 + 1 + 1 + x * x + 0.25)) == gradient


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_lent_numpy_floats(kind):
    """`np.float64(x)` makes a NumPy number of a recorded one, and `.item()` a Python float again."""
    name = kind.__name__
    value, gradient = value_and_grad(lambda x: getattr(np, name)(x) * getattr(np, name)(2))(1.5)

    assert (3.0, kind, 2.0) == (value, type(value), gradient)
    assert float is type(value_and_grad(lambda x: getattr(np, name)(x).item() * float(getattr(np, name)(2)))(1.5)[0])
