"""An array operation taken apart into single numbers: its steps, and the cotangents that come back through them."""

from decimal import Decimal

import numpy as np
import pytest

from gradcli.mathematics.rules.products import MATMUL
from gradcli.mathematics.rules.reduction import MAX, PROD
from gradcli.methods.exact import decimals, scalar_trace

NUMBERS = [2.0, 3.0, 5.0]


def pulled(rule, *arrays, ct=1.0, **static):
    """The cotangent of the first argument, as floats."""
    with decimals.digits(60):
        found = scalar_trace.argument_cotangent(
            rule, 0, decimals.to_decimals(ct), [decimals.to_decimals(x) for x in arrays], static
        )
    return np.asarray(found, dtype=float).tolist()


def test_a_product_of_three_numbers():
    assert pulled(PROD, np.array(NUMBERS), axis=None, keepdims=False) == [15.0, 10.0, 6.0]


def test_a_matrix_product():
    """Each entry of a row gets the sum of a row of the other matrix."""
    found = pulled(MATMUL, np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]), ct=np.ones((2, 2)))

    assert found == [[3.0, 7.0], [3.0, 7.0]]


def test_a_choice():
    assert pulled(MAX, np.array(NUMBERS), axis=None, keepdims=False) == [0.0, 0.0, 1.0]


def test_steps_keep_their_sources():
    steps = scalar_trace.Trail()
    x = scalar_trace.Traced(steps, Decimal(3), steps.add(scalar_trace.Step(None, (), ())))
    x * x - 2

    assert [(step.rule.name, step.sources) for step in steps[1:]] == [("mul", (0, 0)), ("sub", (1, -1))]


@pytest.mark.parametrize(("below", "expected"), [(2.0, False), (4.0, True)])
def test_comparisons_are_by_value(below, expected):
    steps = scalar_trace.Trail()

    assert expected is (scalar_trace.Traced(steps, Decimal(3), 0) < below)
