"""Special functions that are less accurate than their dtype, found with many digits."""

import numpy as np
import pytest
from scipy import special

from gradcli import trace
from gradcli.methods.exact.special_function_accuracy import inaccuracies


def named(f, x):
    """What is inaccurate in a run: the operation and its argument, with the digits that are right."""
    return [(each.node.operation, each.parameter, round(each.digits)) for each in inaccuracies(trace(f, x))]


def test_a_value_without_any_digit():
    assert named(lambda x: special.eval_genlaguerre(20.0, 225.3, x), -8.2) == [("eval_genlaguerre", None, 0)]


def test_a_derivative_of_few_digits():
    assert named(lambda x: special.hyperu(2.656957, 112.67798254, x), 112.67797477) == [("hyperu", "x", 3)]


def test_an_element_of_an_array():
    found = inaccuracies(trace(lambda x: special.beta(x, 0.1), np.array([[2.0, 3.0], [4.0, 242705.0]])))

    assert [each.place for each in found] == [(1, 1)]
    assert pytest.approx(found[0].digits, abs=1) == 10


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (special.j0, 2.404825557695773),  # beside a zero, where the argument's rounding matters
        (special.i0e, 1e12),
        (lambda x: special.beta(x, 0.1), 2.0),
        (lambda x: special.beta(x, 0.1), np.float32(2.1)),
        (lambda x: special.zeta(2.0, x), 1e-200),
        (np.sin, 1e200),
    ],
)
def test_accurate_functions(f, x):
    assert named(f, x) == []


def test_a_function_without_an_exact_form():
    assert named(lambda x: special.gammaincinv(2.0, x), 0.5) == []
