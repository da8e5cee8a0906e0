"""Sums, means, products and extremes along axes."""

import itertools
import math
import warnings

import numpy as np
import pytest

from gradcli import FindingWarning, grad, hessian, jacobian, trace
from gradcli.mathematics.rules.reduction import MAX
from tests.mathematics.rules.agreement import agree, agree_nearby
from tests.mathematics.rules.sample_arrays import SHAPES, numbers

pytestmark = pytest.mark.sampled(8)  # many like cases

REDUCTIONS = [np.sum, np.mean, np.prod, np.max, np.min]
every = pytest.mark.parametrize("reduce", REDUCTIONS, ids=lambda function: function.__name__)


def axes_of(shape):
    """What a reduction of an array of this shape may be told to reduce: all, one, one from the end, several, none."""
    count = len(shape)
    several = [tuple(chosen) for chosen in itertools.combinations(range(count), 2)]
    negative = [(-1, 0)] if count > 1 else []
    return [None, (), *range(count), *([-1] if count else []), *several, *negative]


CASES = [(shape, axis) for shape in SHAPES for axis in axes_of(shape)]


@pytest.mark.sampled(16)
@every
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(("shape", "axis"), CASES)
def test_axes(reduce, shape, axis, keepdims):
    agree(lambda x: reduce(x, axis=axis, keepdims=keepdims), numbers(shape))


@every
@pytest.mark.parametrize("axis", [np.int64(0), (np.int64(-1),)])
def test_axes_of_numpy_integers(reduce, axis):
    agree(lambda x: reduce(x, axis=axis), numbers((2, 3)))


@pytest.mark.parametrize("reduce", [np.add, np.multiply, np.maximum, np.minimum], ids=lambda ufunc: ufunc.__name__)
def test_ufuncs_that_reduce(reduce):
    """So does the ufunc's `reduce`, along the first axis unless told otherwise."""
    agree(lambda x: reduce.reduce(x), numbers((2, 3)))
    agree(lambda x: reduce.reduce(x, axis=None), numbers((2, 3)))


@every
def test_single_precision(reduce):
    x = numbers((2, 3)).astype(np.float32)
    once = grad(lambda x: np.sum(reduce(x, axis=0)))
    assert trace(lambda x: reduce(x, axis=0), x, names=False).value.dtype == np.float32
    assert (once(x).dtype, grad(lambda x: np.sum(once(x) * x))(x).dtype) == (np.float32, np.float32)


def test_sum_in_double_precision():
    """A sum may be taken in another precision; the gradient has that of the argument."""
    x = numbers((3,)).astype(np.float32)
    f = lambda x: np.sum(x, dtype=np.float64)
    assert (type(trace(f, x, names=False).value), grad(f)(x).dtype) == (np.float64, np.float32)


# Products with zeros


@pytest.mark.parametrize(
    "values",
    [
        [0.0, 2.0, 3.0],
        [2.0, 0.0, 0.0],
        [0.0, 0.0, 0.0],
        [-0.0, 2.0],
        [0.0],
        [1e-200, 1e-200, 3.0],
        [1e-170, 1e-150, 1e30],
        [1e200, 1e200, 1e-300, 2.0],
        [0.0, *np.linspace(0.5, 1.5, 8)],
    ],
)
def test_products_of_zeros_and_extremes(values):
    """The derivative is the product of all others, where the product itself is zero or not a float, too."""
    others = [math.prod(x for k, x in enumerate(values) if k != n) for n in range(len(values))]
    with np.errstate(over="ignore"):
        np.testing.assert_allclose(grad(np.prod)(np.array(values)), others, rtol=1e-14)


@pytest.mark.parametrize("axis", [None, 0, 1, (0, 1), -1])
@pytest.mark.parametrize("shape", [(2, 3), (3, 5)])
def test_products_with_zeros_along_axes(shape, axis):
    """Zeros among the numbers do no harm to any derivative, first or second."""
    x = numbers(shape)
    x[0, 1] = x[1, 2] = 0.0
    agree(lambda x: np.prod(x, axis=axis), x)


def test_second_derivatives_of_a_product_with_zeros():
    """The second derivative by two factors is the product of the others."""
    wanted = [[0.0, 0.0, 0.0], [0.0, 0.0, 5.0], [0.0, 5.0, 0.0]]
    assert hessian(np.prod)(np.array([5.0, 0.0, 0.0])).tolist() == wanted


def test_a_long_product_with_a_zero():
    """A zero among many numbers costs neither the square of their count nor their product."""
    x = np.ones(100_000)
    x[7] = 0.0
    found = grad(np.prod)(x)
    assert (found[7], found.sum()) == (1.0, 1.0)


# Ties of extremes


@pytest.mark.parametrize("reduce", [np.max, np.min], ids=["max", "min"])
@pytest.mark.parametrize(
    ("axis", "wanted"),
    [
        (None, [[0.25, 0.25], [0.25, 0.25]]),
        (0, [[0.5, 0.5], [0.5, 0.5]]),
        (1, [[0.5, 0.5], [0.5, 0.5]]),
    ],
)
def test_ties_share_equally(reduce, axis, wanted):
    assert grad(lambda x: np.sum(reduce(x, axis=axis)))(np.ones((2, 2))).tolist() == wanted


def test_the_others_get_nothing():
    assert grad(np.max)(np.array([1.0, 3.0, 3.0])).tolist() == [0.0, 0.5, 0.5]
    assert MAX.selects


def test_the_extreme_of_nan():
    """The extreme of numbers that are none is none."""
    assert math.isnan(trace(np.max, np.array([1.0, math.nan]), names=False).value)


def test_the_slope_of_an_extreme_of_nan():
    """What is nan is the extreme, and several share: no line that has one is silently without a derivative."""
    x = np.array([[1.0, math.nan, math.nan], [2.0, 0.0, 1.0]])
    expected = [[0.0, 0.5, 0.5], [1.0, 0.0, 0.0]]
    f = lambda x: np.sum(np.max(x, axis=1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)  # G110, told once
        assert grad(f)(x).tolist() == expected
    assert grad(f)(x[1:]).tolist() == expected[1:]


@pytest.mark.parametrize("ufunc", [np.logaddexp, np.logaddexp2])
@pytest.mark.parametrize("axis", [0, 1, None, (0, 1)])
def test_long_sums_of_powers(ufunc, axis):
    """One step of the tape, and no chain of them; what is no power at all has no share."""
    x = numbers((3, 40))
    agree_nearby(lambda x: ufunc.reduce(x, axis=axis, keepdims=axis == 1), x)
    few = trace(lambda x: ufunc.reduce(x, axis=axis), x, names=False)
    x[:2, 3] = -np.inf

    assert 3 > len(few.nodes)
    np.testing.assert_array_equal([0.0, 0.0], grad(lambda x: np.sum(ufunc.reduce(x, axis=axis)))(x)[:2, 3])


def test_sorts_of_equal_numbers_keep_their_order():
    weights = np.arange(5.0)
    for x, wanted in (
        ([2.0, 1.0, 2.0, 1.0, 0.0], [3, 1, 4, 2, 0]),
        ([2.0, np.nan, 1.0, np.nan, 0.0], [2, 3, 1, 4, 0]),
        ([2.0, 3.0, 1.0, 4.0, 0.0], [2, 3, 1, 4, 0]),
    ):
        found = jacobian(lambda x: np.sort(x) * weights)(np.array(x))
        np.testing.assert_array_equal(np.array(wanted, float), np.sum(found, axis=0))
