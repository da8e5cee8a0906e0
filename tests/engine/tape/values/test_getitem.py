"""Reading places of recorded arrays, which records what any rule records."""

import math
import operator
import queue

import numpy as np
import pytest

from gradcli import grad, hessian, trace, value_and_grad
from gradcli.engine.tape.value import record
from gradcli.errors import ForeignTapeError
from gradcli.mathematics.rules.indexing import INDEX, PUT
from tests.mathematics.rules.sample_arrays import numbers

X = numbers((3, 4))


@pytest.mark.parametrize("key", [1, -1, np.int64(2), slice(1, 3), (1, 2), ([0, 0], 1), Ellipsis, None, X > 1.0, True])
def test_it_records_what_the_rule_does(key):
    """The operation, the value, the index and the operand of the row are the same."""
    for one, other in zip(
        trace(lambda x: x[key], X, names=False).nodes,
        trace(lambda x: record(INDEX, (x,), {"key": key}), X, names=False).nodes,
        strict=True,
    ):
        assert (one.operation, one.positions, one.sources) == (other.operation, other.positions, other.sources)
        np.testing.assert_array_equal(one.value, other.value)


def test_the_same_number_is_the_same_operation():
    """So that a loop over an array keeps little for each read; a truth value is another key than 0 or 1."""
    nodes = trace(lambda x: (x[1], x[1], x[True]), X, names=False).nodes

    assert nodes[1].identity is nodes[2].identity
    assert nodes[1].identity is not nodes[3].identity


ITEMS = {
    "element": lambda x: x[1],
    "product of elements": lambda x: x[1] * x[2],
    "Python float": lambda x: math.sin(x[1]),
    "float": lambda x: 2.5,
    "int": lambda x: 3,
    "0-d array": lambda x: x[1:2].sum() * np.ones(()),
    "float32": lambda x: np.float32(x[1]),
}
PLACES = {"first": 0, "last": -1, "pair": (1, 0), "row": (slice(0, 1), 1)}


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
@pytest.mark.parametrize("item", ITEMS.values(), ids=ITEMS)
def test_a_number_written_at_an_index_has_the_derivative_that_any_write_has(item, place):
    """What it overwrites has none, a view shows it, and a second write counts alone."""

    def written(x, write):
        w = (x[:4] * 2.0).reshape(2, 2).copy() if type(place) is tuple else x[:4] * 2.0
        view = w[..., -1:]
        before = w[place] * 1.0
        write(w, place, item(x))
        write(w, place, w[place] * item(x))
        return np.sum(w * w) + np.sum(view) + 3.0 * np.sum(before)

    x = np.array([1.5, 0.7, -0.4, 2.0, 0.3])
    directly = value_and_grad(lambda x: written(x, operator.setitem))(x)
    by_rule = value_and_grad(lambda x: written(x, lambda w, key, y: w.replace(record(PUT, (w, y), {"key": key}))))(x)

    assert directly[0] == by_rule[0] == written(x, operator.setitem)
    np.testing.assert_array_equal(directly[1], by_rule[1])


def test_the_second_derivative_of_a_loop_that_fills_an_array():
    def f(x):
        w = np.zeros(3)
        w[0] = x[0]
        for n in (1, 2):
            w[n] = w[n - 1] * x[n] * x[0]
        return w[2]

    x = np.array([2.0, 3.0, 5.0])  # x0**3 * x1 * x2

    np.testing.assert_allclose(hessian(f)(x), [[180.0, 60.0, 36.0], [60.0, 0.0, 8.0], [36.0, 8.0, 0.0]])


def test_a_read_and_a_write_out_of_bounds_are_numpys_errors():
    for f in (lambda x: x[4], lambda x: operator.setitem(x, 4, x[0])):
        with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 3"):
            grad(f)(np.ones(3))


def test_a_wrong_key_is_numpys_error():
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        grad(lambda x: np.sum(x[3]))(X)


def test_a_value_whose_gradient_is_finished():
    kept = queue.SimpleQueue()
    grad(lambda x: (kept.put(x), np.sum(x))[1])(X)
    with pytest.raises(ForeignTapeError):
        kept.get()[1]
