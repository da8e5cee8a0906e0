"""Types of numbers: what a gradient is made of where the point is of half, single or extended precision, or whole."""

import math
import warnings

import numpy as np
import pytest
import scipy.special

from gradcli import grad, jacobian, jvp, trace, value_and_grad
from gradcli.errors import FindingWarning, UnsupportedError
from gradcli.mathematics.rules import RULES, Elementwise

pytestmark = pytest.mark.sampled(4)  # many like cases

PROGRAMS = {
    "square": lambda x: np.sum(x * x),
    "mean": lambda x: np.mean(x**3),
    "prod": np.prod,
    "max": np.max,
    "sin": lambda x: np.sum(np.sin(x) * 2.0 + 1),
    "norm": np.linalg.norm,
    "matmul": lambda x: x @ x,
    "numbers": lambda x: x[0] * x[1] ** 2 * 3 + 1.5,
    "where": lambda x: np.sum(np.where(x > 0.6, x, 2.0)),
    "with doubles": lambda x: np.sum(x * np.array([1.0, 2.0])),
    "Python's float": lambda x: float(x[0]) * 2.0,
    "maximum": lambda x: np.sum(np.maximum(x, 0)),
    "power": lambda x: np.sum(x**1.5),
    "item": lambda x: x[0].item() * x[1].item(),
    "shapes": lambda x: np.sum(np.concatenate([x.reshape(2, 1) @ x.reshape(1, 2), [x]])),
}


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("f", PROGRAMS.values(), ids=PROGRAMS)
def test_precision(f, dtype):
    """The value and the tangent are what NumPy makes of them; gradient and Jacobian stay in the type of the point."""
    x = np.array([0.5, 0.7], dtype=dtype)
    value, gradient = value_and_grad(f)(x)

    assert (f(x), type(f(x))) == (value, type(value))
    assert type(f(x)) is type(jvp(f, (x,), (x,))[1])
    assert [dtype, dtype] == [gradient.dtype, jacobian(grad(f))(x).dtype]
    np.testing.assert_allclose(gradient.astype(float), grad(f)(x.astype(float)), rtol=4 * np.finfo(dtype).eps + 1e-15)


OF_SINGLE_PRECISION = {
    "r_": lambda x: np.r_[x, 1.0, 2],
    "select": lambda x: np.select([x < 0.6, x > 5], [x * x, 3.0]),
    "choose": lambda x: np.choose([0, 1], [x, 1.0]),
    "choose of NumPy's number": lambda x: np.choose([0, 1], [x, np.float64(1.0)]),
    "vectorize": lambda x: np.vectorize(lambda t: t * t)(x),
    "vectorize by math": lambda x: np.vectorize(math.sin)(x),
    "vectorize twice": lambda x: np.vectorize(lambda t: (t, math.sqrt(t)))(x)[1],
    "gradient": lambda x: np.gradient(x, np.array([0.0, 0.3])),
    "histogram": lambda x: np.histogram(x, bins=2, weights=x)[0],
    "bins": lambda x: np.histogram(x, bins=2, density=True)[1],
    "density": lambda x: np.histogram(x, bins=2, weights=x, density=True)[0],
    "emath.power": lambda x: np.emath.power(-x, 0.5),
    "sort_complex": np.sort_complex,
    "geomspace": lambda x: np.geomspace(x[0], 9.0, 3),
    "setdiff1d": lambda x: np.setdiff1d(x, [1.0]),
    "lstsq": lambda x: np.linalg.lstsq(x[:, None], np.array([1.0, 2.0]))[0],
    "var in complex": lambda x: np.var(x, dtype=complex),
    "std in double": lambda x: np.std(x, dtype=float),
    "polygamma": lambda x: scipy.special.polygamma(2, x),
    "factorial": scipy.special.factorial,
    "factorial of a number": lambda x: scipy.special.factorial(x[0]),
    "comb": lambda x: scipy.special.comb(x + 3, 2),
    "voigt_profile": lambda x: scipy.special.voigt_profile(x, x, x),
}


@pytest.mark.parametrize("f", OF_SINGLE_PRECISION.values(), ids=OF_SINGLE_PRECISION)
def test_results_of_single_precision(f):
    """A result has the type that NumPy and SciPy give it, beside Python's numbers too; the gradient that of x."""
    x = np.array([0.5, 0.7], dtype=np.float32)
    value = trace(f, x, names=False).value

    np.testing.assert_allclose(f(x), value, rtol=1e-5)
    assert np.asarray(f(x)).dtype == np.asarray(value).dtype
    assert grad(lambda x: np.sum(np.abs(f(x))))(x).dtype == np.float32


@pytest.mark.parametrize("f", [np.nextafter, lambda x, y: np.divmod(x, y)[1], lambda x, y: np.divmod(y, x)[1]])
def test_a_recorded_number_beside_an_array(f):
    """A Python number that is recorded takes the type of the array, as a plain one does."""
    x = np.array([0.5, 0.7], dtype=np.float32)
    value, tangent = jvp(f, (x, 0.2), (x, 1.0))
    assert [value.dtype, tangent.dtype] == [np.float32, np.float32]
    assert f(x, 0.2).tolist() == value.tolist()


@pytest.mark.parametrize("rule", [r for r in RULES.values() if isinstance(r, Elementwise) and len(r.parameters) == 1])
def test_a_truth_value_is_a_number(rule):
    """A row of True is a float, as of 1."""
    if not rule.special:
        assert repr(rule(1.0)) == repr(rule(True))


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, bool])
def test_whole_numbers(dtype):
    with pytest.warns(FindingWarning, match=f"G501: an array of {np.dtype(dtype)} ") as caught:
        gradient = grad(lambda x: np.sum(x * x))(np.array([1, 0], dtype=dtype))
    assert (gradient.tolist(), gradient.dtype) == ([2.0, 0.0], np.float64)
    assert __file__ == caught[0].filename


@pytest.mark.parametrize("point", [3, True, np.int64(3), [1, 2], {"a": 1}])
def test_single_whole_numbers(point):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grad(lambda x: 1.0)(point)


def test_whole_numbers_inside():
    """They stay what they are, and never lower or raise the precision of the point."""
    x = np.array([1.5, 2.5], dtype=np.float32)
    assert grad(lambda x: np.sum(x * np.array([2, 3])))(x.astype(float)).tolist() == [2, 3]
    assert grad(lambda x: np.sum((x < 2) * x))(x).tolist() == [1, 0]
    assert grad(lambda x: np.sum(x.astype(int) * x))(x).tolist() == [1, 2]
    assert grad(lambda x: np.sum(x * np.array([2, 2**3]) ** [2, 1]))(x).tolist() == [4, 8]
    assert grad(lambda x: np.sum(x * (np.array([2**62]) * 4)))(x).tolist() == [0, 0]  # it overflows, as in NumPy


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum(x * np.ma.array([1.0, 2.0], mask=[False, True])),
        lambda x: np.sum(np.matrix([[1.0, 2.0], [3.0, 4.0]]) @ x),
        lambda x: np.sum(x + np.matrix([[1.0, 2.0]])),
    ],
)
def test_arrays_that_compute_in_a_way_of_their_own(f):
    """Masked arrays and matrices inside a program are refused at the line that met them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        with pytest.raises(UnsupportedError, match="has arithmetic of its own") as caught:
            grad(f)(np.array([1.0, 2.0]))
    assert __file__ == caught.value.file


def test_a_mapped_file(tmp_path):
    np.save(tmp_path / "a.npy", np.array([2.0, 3.0]))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")

    assert grad(lambda x: np.sum(x * mapped))(np.array([1.0, 1.0])).tolist() == [2.0, 3.0]
