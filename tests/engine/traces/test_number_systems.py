"""The numbers of the run itself: their values and sweeps are those of runs."""

import numpy as np
import pytest

from gradcli import trace
from gradcli.engine.traces.number_systems import FLOATS
from gradcli.engine.traces.trace_replay import Traversal
from tests.methods.numerics.programs import random_program


def test_arrays_by_their_choices():
    """An axis, an index, a mask, and what is written."""

    def f(x):
        y = np.zeros((2, 3))
        y[:, 1] = x[0, :2]
        return np.sum(np.where(x > 0.5, x, 0.0) + y, axis=1)[[1, 0]]

    here, there = np.linspace(0.1, 0.9, 6).reshape(2, 3), np.linspace(0.12, 0.91, 6).reshape(2, 3)
    found = trace(f, here, names=False)
    values = Traversal(found.steps, FLOATS).values({0: there}, asks_again=False)

    np.testing.assert_array_equal(f(there), values[found.result])


def sweeps_agree(seed):
    """The cotangents of the inputs by the traversal and by the eager sweep, bit for bit."""
    program, point = random_program(seed)
    try:
        recorded = trace(program, *point, names=False)
    except (ArithmeticError, ValueError, TypeError):  # it has no value there
        return False
    last = recorded.result_index()
    if last is None or recorded.has_complex:
        return False
    values = [node.value for node in recorded.nodes]
    one = 1.0 if type(recorded.value) is float else np.float64(1.0)
    found = Traversal(recorded.steps, FLOATS).cotangents(values, last, one)
    swept = recorded.swept(last)
    for index in recorded.input_indices():
        np.testing.assert_array_equal(swept[index], found.get(index, 0.0))
    return True


def test_the_sweeps_of_random_programs():
    assert sum(map(sweeps_agree, range(60))) > 40


@pytest.mark.long
def test_the_sweeps_of_many_random_programs():
    assert sum(map(sweeps_agree, range(60, 2060))) > 1500


def test_the_sweep_of_arrays():
    """Products of matrices, an axis, an index, what is written, and what is broadcast."""

    def f(x, w):
        y = np.zeros((2, 3))
        y[:, 1] = x[0, :2]
        return np.sum(np.tanh(np.where(x > 0.5, x, 0.3) + y) @ w * np.array([1.0, 2.0])) + np.max(x)

    recorded = trace(f, np.linspace(0.1, 0.9, 6).reshape(2, 3), np.linspace(-1.0, 1.0, 6).reshape(3, 2), names=False)
    values = [node.value for node in recorded.nodes]
    last = recorded.result_index()
    found = Traversal(recorded.steps, FLOATS).cotangents(values, last, np.float64(1.0))

    for index in recorded.input_indices():
        np.testing.assert_allclose(recorded.swept(last)[index], found[index], rtol=1e-14)
