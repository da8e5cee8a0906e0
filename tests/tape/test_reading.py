"""Reading places of recorded arrays, which records what any rule records."""

import queue

import numpy as np
import pytest

from gradcli import grad, trace
from gradcli.errors import ForeignTapeError
from gradcli.rules.indexing import INDEX
from gradcli.tape.value import record
from tests.rules.arrays import numbers

X = numbers((3, 4))


@pytest.mark.parametrize("key", [1, -1, slice(1, 3), (1, 2), ([0, 0], 1), Ellipsis, None, X > 1.0, True])
def test_it_records_what_the_rule_does(key):
    """Operation, value, index and operand of the row are the same."""
    for one, other in zip(
        trace(lambda x: x[key], X, names=False).rows,
        trace(lambda x: record(INDEX, (x,), {"key": key}), X, names=False).rows,
        strict=True,
    ):
        assert (one[0].name, one[0].recorded, one[2::2]) == (other[0].name, other[0].recorded, other[2::2])
        np.testing.assert_array_equal(one[1], other[1])


def test_the_same_number_is_the_same_operation():
    """So that a loop over an array keeps little for each read; a truth value is another key than 0 or 1."""
    rows = trace(lambda x: (x[1], x[1], x[True]), X, names=False).rows

    assert rows[1][0] is rows[2][0]
    assert rows[1][0] is not rows[3][0]


def test_a_wrong_key_is_numpys_error():
    """In NumPy's own words, and nothing is recorded."""
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        grad(lambda x: np.sum(x[3]))(X)


def test_a_value_whose_gradient_is_finished():
    """It cannot be read any more."""
    kept = queue.SimpleQueue()
    grad(lambda x: (kept.put(x), np.sum(x))[1])(X)
    with pytest.raises(ForeignTapeError):
        kept.get()[1]
