"""Running sums and products."""

import numpy as np
import pytest

from gradcli import hessian
from tests.mathematics.rules.agreement import agree, gradient_agrees
from tests.mathematics.rules.sample_arrays import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases

A = numbers((2, 3))


@pytest.mark.parametrize("values", [[0.0, 2.0, 3.0], [2.0, 0.0, 3.0, 0.0, 5.0], [0.0, 0.0]])
def test_products_with_zeros(values):
    """Zeros do no harm to any derivative, first or second."""
    agree(np.cumprod, np.array(values))


def test_products_that_underflow():
    x = np.array([1e-200, 1e-200, 1e200, 1e100, 3.0])
    gradient_agrees(lambda x: np.sum(np.cumprod(x)), (x,))


def test_second_derivatives_of_running_products():
    x = np.array([2.0, 0.0, 5.0])
    assert hessian(lambda x: np.cumprod(x).sum())(x).tolist() == [[0.0, 6.0, 0.0], [6.0, 0.0, 2.0], [0.0, 2.0, 0.0]]


@pytest.mark.parametrize(
    "x", [[1e-100, 3.0, 1e-80, 1e120, 2.0], [1e200, 1e-150, -0.7, 1e80], [2.0, 0.0, -3.0, 0.0, 1.0]]
)
def test_products_near_the_ends_of_the_range(x):
    """Their multiples leave it, so that nothing is divided by a factor."""
    x = np.array(x)
    weights = np.linspace(1.0, 2.0, x.size) / np.maximum(np.abs(np.cumprod(x)), 1.0)

    gradient_agrees(lambda x: np.sum(weights * np.cumprod(x)), [x])


def test_a_long_product():
    x = numbers((400,)) / 1.2

    agree(lambda x: np.cumprod(x)[::40], x)
