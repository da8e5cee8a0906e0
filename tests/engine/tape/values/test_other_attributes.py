"""Attributes of NumPy's arrays that recorded ones have no method for: facts, outcomes, or refused by name."""

import numpy as np
import pytest

from gradcli import grad, trace
from gradcli.engine.tape.values.array import Array
from gradcli.errors import UnsupportedError

X = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize("name", ["itemsize", "nbytes", "strides"])
def test_facts_of_the_layout_are_numpys(name):
    seen = []
    recording = trace(lambda x: seen.append(getattr(x, name)), X, names=False)

    assert [getattr(X, name)] == seen
    assert len(recording.nodes) == 1


def test_flags():
    """A recorded array may be written into, whatever its numbers are kept in."""
    seen = []
    trace(lambda x: seen.append((x.T.flags.f_contiguous, x.flags.writeable, x.flags["C"])), X, names=False)

    assert seen == [(True, True, True)]


def test_a_number_has_what_an_array_has_not():
    assert grad(lambda x: x[0] if x[0].is_integer() else x[1])(np.array([3.0, 0.5])).tolist() == [1.0, 0.0]
    assert grad(lambda x: x[0] if x[0].is_integer() else x[1])(np.array([0.5, 3.0])).tolist() == [0.0, 1.0]
    seen = []
    trace(lambda x: seen.append((hasattr(x, "is_integer"), hasattr(x.sum(), "is_integer"))), X, names=False)
    assert seen == [(False, True)]


@pytest.mark.parametrize("name", ["byteswap", "tobytes", "getfield"])
def test_what_has_no_rule_is_refused_by_name(name):
    with pytest.raises(UnsupportedError, match=f"numpy.ndarray.{name}"):
        trace(lambda x: getattr(x, name), X, names=False)


@pytest.mark.parametrize("name", ["get", "hex", "nosuch"])
def test_what_the_value_lacks_does_not_exist(name):
    with pytest.raises(AttributeError, match=f"'numpy.ndarray' object has no attribute '{name}'"):
        trace(lambda x: getattr(x, name), X, names=False)
    assert not hasattr(Array, name)


def test_python_looks_attributes_up_the_fast_way():
    """A class with a `__getattr__` would pay for it at each look at a tape, an index and a value."""
    assert not hasattr(Array, "__getattr__")
