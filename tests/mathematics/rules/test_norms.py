"""Norms and their like of numbers whose squares leave the range of floats: the gradients of the numbers scaled."""

import math

import numpy as np
import pytest
import scipy.linalg
from scipy.spatial import distance

import gradcli
from gradcli import grad, hessian, trace

pytestmark = pytest.mark.sampled(4)  # many like cases

X = np.array([[3.0, -4.0, 0.5], [1.0, 2.0, -2.0]])

LENGTHS = {
    "norm": np.linalg.norm,
    "norm of rows": lambda x: np.sum(np.linalg.norm(x, axis=1)),
    "norm of columns, kept": lambda x: np.sum(np.linalg.norm(x, axis=0, keepdims=True)),
    "norm of order 3": lambda x: np.sum(np.linalg.norm(x, 3, axis=1)),
    "norm of order -2": lambda x: np.sum(np.linalg.norm(x, -2, axis=1)),
    "norm of order 1/2": lambda x: np.linalg.norm(x[0], 0.5),
    "Frobenius": lambda x: np.linalg.norm(x, "fro"),
    "spectral": lambda x: np.linalg.norm(x, 2),
    "vector_norm": np.linalg.vector_norm,
    "matrix_norm": np.linalg.matrix_norm,
    "SciPy's norm": lambda x: scipy.linalg.norm(x),
    "SciPy's norm of rows": lambda x: np.sum(scipy.linalg.norm(x, axis=1)),
    "std": np.std,
    "std of columns": lambda x: np.sum(np.std(x, axis=0)),
    "std of some": lambda x: np.std(x, where=np.abs(X) < 3.5, ddof=1),
    "nanstd": lambda x: np.sum(np.nanstd(x, axis=1)),
    "complex": lambda x: np.linalg.norm(x[0] + 1j * x[1]),
    "complex std": lambda x: np.std(x[0] + 1j * x[1]),
    "pdist": lambda x: np.sum(distance.pdist(x)),
    "cdist": lambda x: np.sum(distance.cdist(x, -2.0 * x)),
    "weighted cdist": lambda x: np.sum(distance.cdist(x, -x, w=[1.0, 2.0, 3.0])),
    "cdist of order 3": lambda x: np.sum(distance.cdist(x, -x, "minkowski", p=3)),
    "weighted cdist of order 3": lambda x: np.sum(distance.cdist(x, -x, "minkowski", p=3, w=[1.0, 2.0, 3.0])),
    "euclidean": lambda x: distance.euclidean(x[0], x[1]),
    "minkowski": lambda x: distance.minkowski(x[0], x[1], 3),
    "math.dist": lambda x: math.dist(x[0], x[1]),
    "math.hypot": lambda x: math.hypot(*x[0]),
}


@pytest.mark.filterwarnings("ignore:(overflow|divide by zero):RuntimeWarning")
@pytest.mark.parametrize("scale", [2.0**-700, 2.0**-530, 2.0**700])
@pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS)
def test_a_length_has_the_gradient_of_numbers_scaled(length, scale):
    """It is of degree 1, so its gradient does not depend on the scale, and its second derivative falls with it."""
    found = grad(length)(scale * X)

    np.testing.assert_allclose(found, grad(length)(X), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("scale", [2.0**-400, 2.0**400])
@pytest.mark.parametrize("metric", ["cosine", "correlation"])
def test_an_angle_of_numbers_scaled(metric, scale):
    f = lambda x: np.sum(distance.cdist(x, np.roll(x, 1, axis=1), metric))

    np.testing.assert_allclose(scale * grad(f)(scale * X), grad(f)(X), rtol=1e-12, atol=1e-14)


def test_lanes_are_scaled_apart():
    """A lane of tiny numbers, one of huge ones, one of zeros and one of ordinary ones."""
    x = np.array([[3e-200, 4e-200], [3e200, 4e200], [0.0, 0.0], [3.0, 4.0]])
    with np.errstate(over="ignore"):
        found = grad(lambda x: np.sum(np.linalg.norm(x, axis=1)[[0, 2, 3]]) + np.linalg.norm(x[1]) / 1e300)(x)

    np.testing.assert_allclose(found, [[0.6, 0.8], [0.6e-300, 0.8e-300], [0.0, 0.0], [0.6, 0.8]], rtol=1e-14)


def test_the_second_derivative_of_a_length():
    found = hessian(np.linalg.norm)(2.0**-600 * X[0])

    np.testing.assert_allclose(2.0**-600 * found, hessian(np.linalg.norm)(X[0]), rtol=1e-12, atol=1e-14)


def test_single_precision():
    found = grad(np.linalg.norm)(np.array([3e-30, 4e-30], np.float32))

    np.testing.assert_allclose(found, [0.6, 0.8], rtol=1e-6)
    assert found.dtype == np.float32


def test_the_value_is_the_library_s():
    x = np.array([3e-200, 4e-200])

    assert np.linalg.norm(x) == trace(np.linalg.norm, x).value
    assert pytest.approx(trace(lambda x: scipy.linalg.norm(x), x).value, rel=1e-15, abs=0.0) == 5e-200


def test_a_replay_elsewhere():
    there = np.array([3.0, 4.0])
    recorded = trace(np.linalg.norm, np.array([3e-200, 4e-200]))

    assert recorded.replay(there).value == 5.0


@pytest.mark.parametrize("f", [np.linalg.norm, lambda x: np.sqrt(x @ x), np.std])
def test_a_check_does_not_pass_0(f):
    x = np.array([3e-200, 4e-200])
    right = np.array([0.6, 0.8]) if f is not np.std else np.array([-0.5, 0.5])

    assert "pass" != gradcli.check(f, at=x, against=np.zeros(2)).verdict
    assert "fail" != gradcli.check(f, at=x, against=right).verdict


def test_the_range_of_an_order_below_1():
    """The largest number whose root can be squared again is larger than any float."""
    assert trace(lambda x: np.linalg.norm(x, 0.5), np.zeros(2)).value == 0.0
    assert gradcli.grad(lambda x: np.linalg.norm(x, 0.5))(np.array([4.0, 9.0])) == pytest.approx([2.5, 5 / 3])
