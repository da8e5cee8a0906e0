"""`gradcli.numpy`: NumPy's names for code that cannot rely on dispatch."""

import math

import numpy as np
import pytest

import gradcli
import gradcli.numpy as gnp
from gradcli import grad, trace
from gradcli.engine.running import known_programs
from gradcli.engine.running.bound_call import BoundCall
from gradcli.errors import UnsupportedError


def test_creation_and_writes_without_replacements():
    """The function is run once, and no name has to be replaced."""
    known_programs.forget()
    calls = []

    def f(x, y):
        calls.append(1)
        a = gnp.zeros(3)
        a[0] = x
        a[1:] = gnp.array([y, x * y])
        return gnp.sum(a) * gnp.sin([x, y])[0]

    x, y = 0.5, 2.0
    expected = ((1 + y) * math.sin(x) + (x + y + x * y) * math.cos(x), (1 + x) * math.sin(x))
    assert grad(f, (0, 1))(x, y) == pytest.approx(expected)
    assert calls == [1]
    assert known_programs.known_program(BoundCall(f, (x, y), (0, 1))).replacements.exchanged is None


def test_a_module_like_numpy():
    """Constants, types, functions and submodules, and a list of them."""
    assert (gnp.pi, gnp.inf) == (np.pi, np.inf)
    assert gnp.float64 == np.float64
    assert gnp.ndarray is np.ndarray
    assert dir(np) == dir(gnp)
    assert gnp is gradcli.numpy
    assert math.isclose(5.0, gnp.linalg.norm([3.0, 4.0]))


@pytest.mark.parametrize("name", ["zeros", "ones", "eye", "linspace", "arange"])
def test_outside_of_a_run_it_is_numpy(name):
    arguments = (0.0, 1.0, 4) if name == "linspace" else (3,)
    expected, found = getattr(np, name)(*arguments), getattr(gnp, name)(*arguments)

    np.testing.assert_array_equal(expected, found)
    assert (type(expected), expected.dtype) == (type(found), found.dtype)


def test_a_name_that_numpy_does_not_have():
    with pytest.raises(AttributeError, match="has no attribute 'zeroes'"):
        gnp.zeroes


def test_submodules():
    """`linalg` follows lists of recorded numbers too; what has no rule is refused by name."""
    assert grad(lambda v: gnp.linalg.norm([v[0], v[1]]))([3.0, 4.0]) == pytest.approx([0.6, 0.8])
    with pytest.raises(UnsupportedError, match=r"numpy\.packbits"):
        grad(lambda x: gnp.packbits([x, 1.0, x])[0])(2.0)


def test_float64():
    tape = trace(lambda x: gnp.float64(x) * 2, 1.5)

    assert type(tape.value) is np.float64
    assert tape.sensitivities()[0] == 2.0


def test_plain_numpy_beside_it():
    """A plain array can be read, and a copy of it written to."""
    weights = np.array([1.0, 2.0])

    def f(x):
        a = gnp.array(weights)
        a[0] = x
        return (a * weights).sum()

    def writes(x):
        a = weights.copy()
        a[0] = x
        return a.sum()

    assert grad(f)(3.0) == 1.0
    assert grad(writes)(3.0) == 1.0
    np.testing.assert_array_equal([1.0, 2.0], weights)
