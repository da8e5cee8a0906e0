"""The shims of types behave like the originals: called, asked, derived from and used as types."""

import enum
import math

import numpy as np

from gradcli import grad
from gradcli.engine.patching.shims import python_types


def test_the_shim_of_float_is_float():
    """Called, asked, derived from and used as a type."""
    ours = python_types.FloatShim

    class Mine(ours):
        """A number of the user's own."""

    assert (2.5, float) == (ours("2.5"), type(ours("2.5")))
    assert ours.fromhex("0x1.8p0") == 1.5
    assert isinstance(1.5, ours)
    assert not isinstance(1, ours)
    assert issubclass(Mine, ours)
    assert issubclass(bool, ours) is issubclass(bool, float)
    assert Mine is type(Mine(3))
    assert not isinstance(1.5, Mine)
    assert {float: "f"}[ours] == "f"
    assert np.dtype(float) == np.dtype(ours)
    assert np.zeros(2, dtype=ours).dtype == float


def test_the_shim_of_type_is_type():
    """Asked for the type of a thing, and used to make classes."""
    ours = python_types.TypeShim

    class Meta(ours):
        """A type of types of the user's own."""

        def __call__(cls, *arguments):
            made = super().__call__(*arguments)
            made.marked = True
            return made

    class Marked(metaclass=Meta):
        """Its instances are marked."""

    assert [python_types.FloatShim, int, str, ours] == [ours(1.0), ours(1), ours("a"), ours(ours)]
    assert Marked().marked
    assert Meta is ours(Marked)
    assert isinstance(Marked, ours)
    assert ours("Made", (), {"three": 3}).three == 3
    assert enum.Enum("Color", "RED").RED.value == 1


def test_a_type_of_numpy_beside_a_dtype():
    """The shim of a type is equal to the `dtype` of its original, from both sides."""

    def f(x):
        size = math.hypot(x[0], x[1])  # for which names are replaced
        assert x.dtype == np.float64
        assert np.float64 == x.dtype
        assert np.float32 != x.dtype
        return size * x[0] if x.dtype in (np.int64, np.float64) else 0.0 * size

    np.testing.assert_allclose([5 + 9 / 5, 12 / 5], grad(f)(np.array([3.0, 4.0])), rtol=1e-15)
