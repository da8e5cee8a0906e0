"""What is told to write in place of a method that takes bare numbers."""

import ctypes
import struct
import sys

import numpy as np
import pytest

from gradcli import grad
from gradcli.errors import DetachedError
from gradcli.tape import method_hints

A, X = np.eye(3), np.array([0.3, 0.7, 0.2])
RNG = np.random.default_rng(0)

TOLD = {
    "A @ x, or np.dot(A, x)": lambda x: np.ndarray.dot(A, np.sin(x) * np.cos(x)),
    "np.searchsorted(a, x)": lambda x: np.ndarray.searchsorted(A[0], x),
    "loc + scale * rng.standard_normal(size)": lambda x: RNG.normal(x[0], np.abs(x[1]), 3),
    "low + (high - low) * rng.random(size)": lambda x: np.random.default_rng(1).uniform(x[0], 2.0),
    "x[rng.permutation(len(x))]": lambda x: RNG.permutation(x),
    "draws of poisson do not follow": lambda x: RNG.poisson(x) * x,
    "pass p=gradcli.stop_gradient(p)": lambda x: RNG.choice(A[0], p=x / np.sum(x)),
    "x[rng.choice(len(x), size)]": lambda x: RNG.choice(x),
    "What pack makes is no Python number": lambda x: struct.unpack("d", struct.pack("d", x[0]))[0] * x,
    "What c_double makes is no Python number": lambda x: ctypes.c_double(x[0]).value * x,
    "stop_gradient(x)": lambda x: memoryview(np.broadcast(x, x)),
}


@pytest.mark.parametrize("told", TOLD)
def test_the_hint(told):
    """It names what follows the value, whatever else is called in the same line."""
    with pytest.raises(DetachedError) as caught:
        grad(lambda x: np.sum(TOLD[told](x)))(X)
    assert told in caught.value.hint
    assert __file__ == caught.value.file


def test_where_nothing_is_called():
    """No hint for a frame that calls no method."""
    name = method_hints.called_method(sys._getframe())
    told = method_hints.way_out(sys._getframe())
    assert ("called_method", None) == (name, told)
