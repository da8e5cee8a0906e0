"""The logarithm to a base, which is two rows in one word."""

import math

import numpy as np
import pytest

from gradcli import grad, queries
from gradcli.mathematics.rules import functions


def test_on_plain_numbers():
    assert (math.log(8.0), 3.0) == (functions()["log"](8.0), functions()["log"](8.0, 2.0))


def test_by_the_argument_and_by_the_base():
    """log(x, y) has the derivatives 1 / (x log y) and -log x / (y log² y)."""
    found = queries.gradient("log(x, y)", "3,2").gradient
    assert pytest.approx(1 / (3 * math.log(2))) == found["x"]
    assert pytest.approx(-math.log(3) / (2 * math.log(2) ** 2)) == found["y"]


def test_on_arrays():
    gradient = grad(lambda x: np.sum(functions()["log"](x, 10.0)))(np.array([1.0, 2.0]))
    np.testing.assert_allclose([1 / math.log(10), 0.5 / math.log(10)], gradient, rtol=1e-15)
