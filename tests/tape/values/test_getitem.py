"""Reading places of recorded arrays, which records what any rule records."""

import queue

import numpy as np
import pytest

from gradcli import grad, trace
from gradcli.errors import ForeignTapeError
from gradcli.rules.indexing import INDEX
from gradcli.tape.value import record
from tests.rules.sample_arrays import numbers

X = numbers((3, 4))


@pytest.mark.parametrize("key", [1, -1, slice(1, 3), (1, 2), ([0, 0], 1), Ellipsis, None, X > 1.0, True])
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


def test_a_wrong_key_is_numpys_error():
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        grad(lambda x: np.sum(x[3]))(X)


def test_a_value_whose_gradient_is_finished():
    kept = queue.SimpleQueue()
    grad(lambda x: (kept.put(x), np.sum(x))[1])(X)
    with pytest.raises(ForeignTapeError):
        kept.get()[1]
