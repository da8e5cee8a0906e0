"""NumPy's protocols: ufuncs and their options, functions of lists, and what is refused."""

import sys

import numpy as np
import pytest

from gradcli import grad, trace
from gradcli.engine.tape.values.array_function import holds_recorded, name_of
from gradcli.errors import UnsupportedError
from tests.mathematics.rules.agreement import agree
from tests.mathematics.rules.sample_arrays import numbers

X = numbers((2, 3))


@pytest.mark.parametrize(
    ("f", "what"),
    [
        (lambda x: np.packbits(x[0]), "numpy.packbits"),
    ],
)
def test_refusals(f, what):
    with pytest.raises(UnsupportedError) as caught:
        trace(f, X, names=False)
    assert f"{what} has no derivative rule" == caught.value.message


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.multiply([1.0, 2.0, 3.0], x),
        lambda x: np.add.reduce(x, axis=1, keepdims=True),
        lambda x: np.float_power(x, 2),
    ],
)
def test_what_is_followed(f):
    agree(f, X)


def test_float_power_is_of_double_precision():
    assert trace(lambda x: np.float_power(x, 2), X.astype(np.float32), names=False).value.dtype == np.float64


def test_out():
    """`out=` a recorded array writes into it, also what is plain."""

    def f(x):
        held = x.copy()
        np.multiply(x, 3.0, out=held)
        first = held[0].copy()
        np.add([1.0, 2.0, 3.0], 1.0, out=held[0])
        return np.sum(first * held)

    agree(f, X)


def test_a_function_that_fills_a_plain_array():
    """Where NumPy itself would write a recorded number into a plain array, the names are replaced."""
    assert grad(lambda x: np.full((2, 3), x[0]).sum())(np.ones(2)).tolist() == [6.0, 0.0]


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (np.sum, "sum"),
        (np.linalg.norm, "linalg.norm"),
        (np.fft.rfft, "fft.rfft"),
        (np.dot, "dot"),
        (np.add.outer, "add.outer"),
    ],
)
def test_names(function, name):
    """A function's name says which submodule it is in."""
    assert name == name_of(function)


def test_what_holds_recorded_values():
    """Nested lists are looked through; a recorded array is no list."""

    def f(x):
        assert holds_recorded([1.0, [2.0, (x,)]])
        assert holds_recorded(x)
        assert not holds_recorded([1.0, [2.0]])
        return x.sum()

    trace(f, X, names=False)


class Calls(list):
    """The functions in Python that are called inside of a block."""

    def __enter__(self):
        self.before = sys.getprofile()
        sys.setprofile(self.note)

    def __exit__(self, *_):
        sys.setprofile(self.before)

    def note(self, frame, event, _):
        if event == "call" and frame.f_code.co_filename != __file__:
            self.append(frame.f_code.co_qualname)


CALLS = Calls()


def summed(x):
    with CALLS:
        return np.sum(x)


def averaged(x):
    with CALLS:
        return np.mean(x)


def largest(x):
    with CALLS:
        return np.max(x)


@pytest.mark.parametrize("f", [summed, averaged, largest])
def test_a_served_function_is_recorded_in_few_calls(f):
    """Device, kind and options are looked at once: each call costs as much as the arithmetic on tens of numbers."""
    grad(f)(np.ones(3))  # what is compiled and imported once
    CALLS.clear()
    grad(f)(np.ones(3))

    assert len(CALLS) <= 12, CALLS
