"""The sum of cotangents is made in place where only the sweep refers to it."""

import numpy as np
import pytest

from gradcli.engine.tape.accumulation import UNTOUCHED, accumulate

SIZES = [1, 3, 2000]


def test_the_first_is_stored():
    cts, first = [UNTOUCHED], np.ones(3)
    accumulate(cts, 0, first, np.zeros(3))

    assert first is cts[0]


@pytest.mark.parametrize("size", SIZES)
def test_a_sum_that_nobody_else_reads_is_added_to(size):
    cts = [np.ones(size)]
    before = cts[0].ctypes.data
    accumulate(cts, 0, np.ones(size), np.zeros(size))

    assert before == cts[0].ctypes.data
    np.testing.assert_array_equal(np.full(size, 2.0), cts[0])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("refer", [lambda x: x, lambda x: [x], lambda x: x[:1], memoryview])
def test_a_sum_that_somebody_else_reads_is_not_changed(refer, size):
    cts = [np.ones(size)]
    reader = refer(cts[0])
    accumulate(cts, 0, np.ones(size), np.zeros(size))

    assert np.all(np.asarray(reader) == 1.0)
    np.testing.assert_array_equal(np.full(size, 2.0), cts[0])


@pytest.mark.parametrize("size", SIZES)
def test_a_view_is_not_written_through(size):
    """The array that it shows may have other readers."""
    whole = np.ones(2 * size)
    cts = [whole[:size]]
    accumulate(cts, 0, np.ones(size), np.zeros(size))

    np.testing.assert_array_equal(np.ones(2 * size), whole)


def test_a_cotangent_is_summed_to_the_shape_of_its_row():
    cts = [UNTOUCHED]
    accumulate(cts, 0, np.ones((4, 3)), np.zeros(3, np.float32))

    np.testing.assert_array_equal(np.full(3, 4.0), cts[0])
    assert cts[0].dtype == np.float32
