"""Statistics: NumPy's own results for every choice of options, what happens at kinks and with nothing, and types."""

import itertools
import warnings

import numpy as np
import pytest

from gradcli import grad, hessian, trace
from tests.mathematics.rules.agreement import agree
from tests.mathematics.rules.cases.statistics import METHODS, holes
from tests.mathematics.rules.sample_arrays import EMPTY, SHAPES, numbers, weights

pytestmark = pytest.mark.sampled(8)  # many like cases

A, CUBE, FIVE = numbers((2, 3)), numbers((2, 3, 4)), numbers((5,), seed=5)
MASK = CUBE > 0.8
SUMS = [np.sum, np.prod, np.mean, np.var, np.std, np.nansum, np.nanprod, np.nanmean, np.nanvar, np.nanstd]
EXTREMES = [np.max, np.min, np.ptp, np.nanmax, np.nanmin]
MIDDLES = [np.median, np.nanmedian, lambda x, **o: np.quantile(x, 0.3, **o), lambda x, **o: np.nanquantile(x, 0.3, **o)]
AXES = [None, 0, -1, (0, 1), (-1, 0)]


def value(f, *arguments):
    """What a program gives, without the warnings of NumPy about nothing."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return trace(f, *arguments, names=False).value


def same_as_numpys(f, *arguments, rtol=1e-14):
    """The value, shape and type of a program are those of its plain run."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = f(*arguments)
    found = value(f, *arguments)
    np.testing.assert_allclose(found, plain, rtol=rtol)
    assert (np.shape(plain), np.asarray(plain).dtype) == (np.shape(found), np.asarray(found).dtype)


@pytest.mark.parametrize("f", [*SUMS, *EXTREMES, *MIDDLES], ids=lambda f: f.__name__)
@pytest.mark.parametrize("keepdims", [False, True])
def test_values(f, keepdims):
    for axis, x in itertools.product(AXES, (CUBE, holes(CUBE), CUBE.astype(np.float32))):
        same_as_numpys(lambda x, axis=axis: f(x, axis=axis, keepdims=keepdims), x, rtol=1e-14 if x is CUBE else 1e-6)


@pytest.mark.parametrize("f", [*SUMS, np.max, np.min, np.nanmax, np.nanmin], ids=lambda f: f.__name__)
@pytest.mark.parametrize("axis", AXES)
def test_values_of_some(f, axis):
    """Only the numbers of a mask, from a first number on where the function has one."""
    starts = [{"initial": 1.1}] if f not in (np.mean, np.var, np.std, np.nanmean, np.nanvar, np.nanstd) else [{}]
    for start, x in itertools.product(starts, (CUBE, holes(CUBE))):
        same_as_numpys(lambda x, start=start: f(x, axis=axis, where=MASK, **start), x)


@pytest.mark.parametrize("f", [np.var, np.std, np.nanvar, np.nanstd], ids=lambda f: f.__name__)
@pytest.mark.parametrize("ddof", [0, 1, 2.5, 4, 9])
def test_degrees_of_freedom(f, ddof):
    for x in (A, holes(A)):
        same_as_numpys(lambda x: f(x, axis=1, ddof=ddof), x)
        same_as_numpys(lambda x: f(x, correction=ddof, axis=0), x)


@pytest.mark.parametrize("f", [np.var, np.std, np.median, np.ptp, np.cumsum, np.average], ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(f, shape):
    if f is np.std and np.prod(shape) == 1:
        return
    agree(f, numbers(shape))
    for axis in range(len(shape)):
        if f is not np.std or shape[axis] > 1:
            agree(lambda x, axis=axis: f(x, axis=axis), numbers(shape))


@pytest.mark.parametrize("f", [*SUMS, *MIDDLES, np.average, np.gradient, np.corrcoef], ids=lambda f: f.__name__)
@pytest.mark.parametrize("shape", EMPTY)
def test_empty(f, shape):
    x = np.zeros(shape)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            plain = f(x)
        except (ValueError, IndexError) as error:
            with pytest.raises(type(error)):
                value(f, x)
            return
        np.testing.assert_array_equal(value(f, x), plain)
        assert np.shape(value(f, x)) == np.shape(plain)
        assert shape == grad(lambda x: np.sum(f(x)))(x).shape


@pytest.mark.parametrize("f", [np.cov, np.corrcoef, np.median, np.std, np.linalg.norm, np.diff, np.gradient, np.unwrap])
def test_single_precision(f):
    """The gradient has the precision of the argument, twice."""
    x = FIVE.astype(np.float32)
    same_as_numpys(f, x, rtol=1e-6)
    once = grad(lambda x: np.sum(np.sin(f(x))))
    assert (once(x).dtype, grad(lambda x: np.sum(once(x) * x))(x).dtype) == (np.float32, np.float32)


# Variances


def test_a_variance_of_numbers_far_from_zero():
    x = 1e9 + np.array([1.0, 2.0, 4.0])
    wanted = [2 * (n - 7 / 3) / 3 for n in (1.0, 2.0, 4.0)]
    np.testing.assert_allclose(grad(np.var)(x), wanted, rtol=1e-6)


def test_the_second_derivative_of_a_variance():
    np.testing.assert_allclose(hessian(np.var)(A[0]), (2 * np.eye(3) - 2 / 3) / 3, rtol=1e-14)


def test_the_deviation_of_equal_numbers():
    """A deviation is a length, which has 0 there; a root of a variance has no slope."""
    assert grad(np.std)(np.ones(3)).tolist() == [0.0, 0.0, 0.0]
    assert grad(np.nanstd)(np.array([2.0, np.nan, 2.0])).tolist() == [0.0, 0.0, 0.0]
    rows = np.array([[1.0, 3.0], [2.0, 2.0]])
    assert grad(lambda x: np.sum(np.std(x, axis=1)))(rows).tolist() == [[-0.5, 0.5], [0.0, 0.0]]
    with np.errstate(all="ignore"):
        assert np.isnan(grad(lambda x: np.sqrt(np.var(x)))(np.ones(3))).all()
    assert grad(np.var)(np.ones(3)).tolist() == [0.0, 0.0, 0.0]


def test_a_correction_and_ddof():
    with pytest.raises(ValueError, match="ddof and correction"):
        value(lambda x: np.var(x, ddof=1, correction=1), A)


def test_correlations_stay_within_bounds():
    """A correlation of a variable with itself is 1, and does not move."""
    x = np.array([[0.1, 0.2, 0.7], [0.3, 0.6, 2.1]])
    assert np.abs(value(np.corrcoef, x)).max() <= 1.0
    np.testing.assert_allclose(grad(lambda x: np.corrcoef(x)[0, 1])(x), 0.0, atol=1e-13)


@pytest.mark.parametrize(
    ("f", "error"),
    [
        (lambda x: np.average(x, weights=[1.0, 2.0, 3.0]), TypeError),
        (lambda x: np.average(x, axis=0, weights=[1.0, 2.0, 3.0]), ValueError),
        (lambda x: np.average(x, axis=1, weights=[1.0, -1.0, 0.0]), ZeroDivisionError),
        (lambda x: np.cov(x, fweights=[1.5, 1, 1]), TypeError),
        (lambda x: np.cov(x, aweights=[-1.0, 1, 1]), ValueError),
        (lambda x: np.cov(x, fweights=[1, 1]), RuntimeError),
        (lambda x: np.cov(x, ddof=1.5), ValueError),
        (lambda x: np.quantile(x, 1.2), ValueError),
        (lambda x: np.quantile(x, 0.2, method="nosuch"), ValueError),
        (lambda x: np.median(x, axis=2), np.exceptions.AxisError),
        (lambda x: np.linalg.norm(x, 3), ValueError),
        (lambda x: np.linalg.norm(x, "nosuch", axis=0), ValueError),
        (lambda x: np.max(x, where=x > 1), ValueError),
        (lambda x: np.gradient(x, 1.0, 2.0, 3.0), TypeError),
        (lambda x: np.gradient(x, edge_order=3), ValueError),
        (lambda x: np.gradient(x[:, :1], axis=1), ValueError),
        (lambda x: np.diff(x, n=-1), ValueError),
        (lambda x: np.cumulative_sum(x), ValueError),
        (lambda x: np.bincount([0, 1], weights=x[0]), ValueError),
        (lambda x: np.histogram(x, weights=x[0]), ValueError),
    ],
)
def test_errors_are_numpys(f, error):
    """What NumPy does not take is refused with the same kind of error and the same words."""
    with pytest.raises(error) as plain:
        f(A)
    with pytest.raises(error) as found:
        value(f, A)
    assert str(plain.value).partition("\n")[0][:40] == str(found.value).partition("\n")[0][:40]


# Quantiles


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("count", [1, 2, 5, 6])
def test_methods_of_quantiles(method, count):
    """Each method is NumPy's, at the ends, at the numbers and between them, with and without numbers missing."""
    q = np.array([0.0, 0.05, 0.25, 0.3, 0.5, 0.62, 0.9, 1.0])
    x = numbers((3, count))
    for f in (np.quantile, np.nanquantile):
        same_as_numpys(lambda x, f=f: f(x, q, axis=1, method=method), x)
        same_as_numpys(lambda x, f=f: f(x, q, axis=0, method=method), holes(x))
        same_as_numpys(lambda x, f=f: f(x, 0.7, method=method, keepdims=True), x.astype(np.float32), rtol=1e-6)


def test_weights_of_quantiles():
    w = np.array([3.0, 1.0, 0.0, 2.0, 5.0])
    q = np.linspace(0, 1, 11)
    same_as_numpys(lambda x: np.quantile(x, q, weights=w, method="inverted_cdf"), FIVE)
    same_as_numpys(lambda x: np.percentile(x, 100 * q, axis=1, weights=w, method="inverted_cdf"), numbers((2, 5)))
    assert np.all(grad(lambda w: np.quantile(FIVE, 0.4, weights=w, method="inverted_cdf") + 0.0 * w.sum())(w) == 0.0)


@pytest.mark.parametrize("f", [np.median, lambda x: np.quantile(x, 0.25), lambda x: np.percentile(x, 99)])
@pytest.mark.parametrize("x", [[1.0, np.nan, 3.0, 2.0], [1.0, np.inf, -np.inf, 2.0], [2.0, 2.0, 2.0, 2.0], [np.inf]])
def test_quantiles_of_what_is_not_finite(f, x):
    same_as_numpys(f, np.array(x))


def test_medians_of_ties():
    """Of equal numbers the first ones count, and the derivative still adds up to one."""
    assert grad(np.median)(np.array([3.0, 1.0, 2.0, 0.0])).tolist() == [0.0, 0.5, 0.5, 0.0]
    assert grad(np.median)(np.ones(4)).sum() == 1.0


def test_a_quantile_that_moves():
    """Beyond the ends, and with steps, it stands still."""
    x = np.array([1.0, 2.0, 4.0])
    slope = lambda q, **options: grad(lambda q: np.quantile(x, q, **options))(np.float64(q))
    assert (slope(0.3), slope(0.7)) == (2.0, 4.0)
    assert 0.0 == slope(0.3, method="nearest") == slope(0.01, method="weibull")


# Missing numbers


@pytest.mark.parametrize("f", [np.nansum, np.nanmean, np.nanvar, np.nanmax, np.nanmedian, np.nancumsum, np.nancumprod])
def test_missing_numbers_get_nothing(f):
    x = np.array([1.0, np.nan, 3.0, 2.5])
    found = grad(lambda x: np.sum(f(x)))(x)
    assert np.isfinite(found).all()
    assert found[1] == 0.0


@pytest.mark.parametrize("f", [np.nanmean, np.nanmax, np.nanmin, np.nanmedian, np.nanvar])
def test_rows_of_missing_numbers(f):
    """Of no numbers at all, nan; the other rows are as they would be alone."""
    x = np.array([[np.nan, np.nan], [1.0, 3.0]])
    same_as_numpys(lambda x: f(x, axis=1), x)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = grad(lambda x: f(x, axis=1)[1])(x)
    assert np.array_equal(found[1], grad(f)(x[1]))
    assert np.array_equal(found[0], [0.0, 0.0])


# Norms


@pytest.mark.parametrize("order", [None, 2, 3, 1.5, 1, np.inf])
def test_norms_at_zero(order):
    """The derivative at zero is zero, of every order that has a smallest slope."""
    assert grad(lambda x: np.linalg.norm(x, order))(np.zeros(2)).tolist() == [0.0, 0.0]
    rows = np.array([[0.0, 0.0], [3.0, 4.0]])
    found = grad(lambda x: np.sum(np.linalg.norm(x, order, axis=1)))(rows)
    assert found[0].tolist() == [0.0, 0.0]
    np.testing.assert_array_equal(found[1], grad(lambda x: np.linalg.norm(x, order))(rows[1]))


@pytest.mark.filterwarnings("ignore:G206")
def test_a_norm_that_counts():
    x = np.array([1.0, 0.0, 2.0])
    same_as_numpys(lambda x: np.linalg.norm(x, 0) * x, x)
    assert grad(lambda x: np.sum(np.linalg.norm(x, 0) * x))(x).tolist() == [2.0, 2.0, 2.0]


def test_ties_of_a_largest_size():
    assert grad(lambda x: np.linalg.norm(x, np.inf))(np.array([2.0, -2.0, 1.0])).tolist() == [0.5, -0.5, 0.0]


@pytest.mark.parametrize(("order", "chosen"), [(2, [0]), (-2, [1]), ("nuc", [0, 1])])
def test_norms_of_singular_values(order, chosen):
    """The derivative is made of the singular vectors, along any two axes."""
    same_as_numpys(lambda x: np.linalg.norm(x, order, axis=(2, 0), keepdims=True), CUBE)
    u, _, vt = np.linalg.svd(A, full_matrices=False)
    np.testing.assert_allclose(grad(lambda x: np.linalg.norm(x, order))(A), u[:, chosen] @ vt[chosen], rtol=1e-12)


# Counts


@pytest.mark.parametrize("bins", [1, 4, [0.0, 1.0, 1.5, 2.0], "sturges"])
@pytest.mark.parametrize("density", [False, True])
def test_histograms(bins, density):
    x, w = numbers((40,)), weights((40,))
    for k in (0, 1):
        same_as_numpys(lambda x, k=k: np.histogram(x, bins, density=density)[k] + 0.0 * np.sum(x), x)
        if not isinstance(bins, str):
            same_as_numpys(lambda w, k=k: np.histogram(x, bins, weights=w)[k] + 0.0 * np.sum(w), w, rtol=1e-12)


def test_counts_are_plain():
    assert [2.0, 2.0] == grad(lambda x: np.sum(np.histogram(x, [0.0, 1.0, 3.0])[0]) * np.sum(x))(
        np.array([0.5, 2.0])
    ).tolist()
    assert value(lambda x: np.bincount([1, 2, 2]) * 1, A).tolist() == [0, 1, 2]


@pytest.mark.parametrize("period", [2 * np.pi, 1.0])
def test_phases(period):
    """Unwrapped phases are NumPy's, and move with the phases."""
    x = 12 * weights((3, 9))
    same_as_numpys(lambda x: np.unwrap(x, axis=0, period=period), x, rtol=1e-12)
    assert np.array_equal(np.ones((3, 9)), grad(lambda x: np.sum(np.unwrap(x, period=period)))(x))
