"""Functions on arrays."""

import math

import numpy as np
import pytest
import scipy.special

from gradcli.mathematics.language import float_functions, numpy_like_functions
from gradcli.mathematics.language.vocabulary import PRIMITIVES

pytestmark = pytest.mark.sampled(4)  # many like cases

TABLE = numpy_like_functions.functions(np)
POOL = [0.0, -0.0, 1.0, -1.5, 2.5, 7.0, -7.5, 1e308, -1e308, 5e-324, 1e-310, math.inf, -math.inf, math.nan, 1e300, 3.0]


@pytest.fixture
def without_scipy(monkeypatch):
    """The table as it is where SciPy is not installed."""
    monkeypatch.setattr(numpy_like_functions, "_SPECIAL_MODULES", {})
    return numpy_like_functions.functions(np)


def test_every_function_is_there():
    assert set(PRIMITIVES) == set(TABLE)


@pytest.mark.parametrize("name", sorted(set(PRIMITIVES) - {"sum", "mean", "prod", "dot"}))
def test_elementwise_as_scalars(name):
    first = np.array([0.3, 0.7, 0.9])
    others = [np.array([2.0, 1.0, 3.0]), np.array([4.0, 5.0, 6.0])][: PRIMITIVES[name][0] - 1]
    values = (
        [np.array([1.0, 2.0, 3.0]), first]
        if name == "polygamma"
        else [1 + first if name == "acosh" else first, *others]
    )
    expected = [float_functions.IEEE[name](*row) for row in zip(*(value.tolist() for value in values), strict=True)]
    assert TABLE[name](*values).tolist() == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize(("name", "result"), [("sum", 6.0), ("mean", 2.0), ("prod", 6.0)])
def test_reductions(name, result):
    assert result == TABLE[name](np.array([1.0, 2.0, 3.0]))


def test_dot():
    assert TABLE["dot"](np.array([1.0, 2.0]), np.array([3.0, 4.0])) == 11.0


def test_logarithm_to_a_base():
    assert TABLE["log"](np.array([8.0]), 2.0) == pytest.approx([3.0])


@pytest.mark.parametrize("y", POOL)
def test_remainder_is_exact(y):
    """The remainder is Python's to the last bit, nan where Python raises."""
    expected = [float_functions.IEEE["remainder"](x, y) for x in POOL]
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(TABLE["remainder"](np.array(POOL), y), expected)


@pytest.mark.parametrize("name", ["erf", "erfc", "gamma", "lgamma", "digamma"])
def test_without_scipy(without_scipy, name):
    x = np.linspace(0.1, 5, 7)
    np.testing.assert_allclose(without_scipy[name](x), TABLE[name](x), rtol=1e-13, atol=1e-15)


def test_polygamma_without_scipy_broadcasts(without_scipy):
    orders, x = np.array([[1.0], [2.0]]), np.array([0.5, 1.5, 2.5])
    np.testing.assert_allclose(without_scipy["polygamma"](orders, x), scipy.special.polygamma(orders, x), rtol=1e-13)


@pytest.mark.parametrize("name", ["erf", "gamma", "digamma", "remainder", "polygamma", "reciprocal", "sinc", "cbrt"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_precision_stays(without_scipy, name, dtype):
    """Numbers of single precision stay so, with SciPy and without."""
    x = np.array([0.5, 1.5], dtype)
    values = {"remainder": (x, x), "polygamma": (1, x)}.get(name, (x,))
    assert (dtype, dtype) == (TABLE[name](*values).dtype, without_scipy[name](*values).dtype)


def test_integers_become_floats(without_scipy):
    assert without_scipy["erf"](np.array([1, 2])).dtype == np.float64


@pytest.mark.parametrize("shape", [(), (0,), (2, 0), (1,), (2, 3)])
@pytest.mark.parametrize("name", ["erf", "polygamma", "remainder"])
def test_shapes(without_scipy, name, shape):
    values = [np.ones(shape)] * PRIMITIVES[name][0]
    assert (shape, shape) == (np.shape(TABLE[name](*values)), np.shape(without_scipy[name](*values)))


@pytest.mark.parametrize("name", ["erf", "polygamma", "remainder", "gamma"])
def test_numbers_give_numbers(without_scipy, name):
    """Single numbers give single numbers, not arrays without dimensions."""
    values = [1.0] * PRIMITIVES[name][0]
    assert (type(TABLE[name](*values)), type(without_scipy[name](*values))) == (np.float64, np.float64)
