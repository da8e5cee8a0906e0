"""SciPy's linear algebra, where it is installed: triangles, Cholesky's factors, pairs of matrices, exponentials."""

import numpy as np
import pytest
import scipy
import scipy.linalg as la

from gradcli import assert_grad, grad, jvp, trace, value_and_grad
from gradcli.errors import UnsupportedError
from tests.mathematics.rules.agreement import agree_nearby, of_families
from tests.mathematics.rules.sample_arrays import matrix, numbers, symmetric

pytestmark = pytest.mark.sampled(4)  # many like cases

SQUARE, TALL, FEW, MANY = matrix(3, 3), matrix(4, 2), numbers((3,), seed=1), numbers((3, 2), seed=2)

CASES = {
    "inv": [(la.inv, SQUARE)],
    "det": [(la.det, SQUARE)],
    "pinv": [(la.pinv, TALL)],
    "solve": [(la.solve, SQUARE, FEW), (lambda a, b: la.solve(symmetric(a), b, assume_a="pos"), SQUARE, MANY),
        (lambda a, b: la.solve(a, b, transposed=True), SQUARE, FEW)],
    "solve_triangular": [(la.solve_triangular, SQUARE, FEW),
        (lambda a, b: la.solve_triangular(a, b, lower=True, trans="T"), SQUARE, MANY),
        (lambda a, b: la.solve_triangular(a, b, unit_diagonal=True), SQUARE, FEW)],
    "cholesky": [(lambda x: la.cholesky(symmetric(x)), SQUARE),
        (lambda x: la.cholesky(symmetric(x), lower=True), SQUARE)],
    "cho_factor": [(lambda a, b: la.cho_solve(la.cho_factor(symmetric(a)), b), SQUARE, FEW)],
    "cho_solve": [(lambda a, b: la.cho_solve((la.cholesky(symmetric(a), lower=True), True), b), SQUARE, MANY)],
    "qr": [(lambda x: la.qr(x, mode="economic")[0], TALL), (lambda x: la.qr(x)[1], TALL),
        (lambda x: la.qr(x)[0], SQUARE)],
    "svd": [(lambda x: la.svd(x)[1], TALL), (lambda x: la.svd(x, full_matrices=False)[0] ** 2, TALL)],
    "svdvals": [(la.svdvals, TALL)],
    "eigh": [(lambda x: la.eigh(symmetric(x))[1] ** 2, SQUARE),
        (lambda x: la.eigh(symmetric(x), lower=False, eigvals_only=True), SQUARE),
        (lambda x: la.eigh(symmetric(x), np.diag([1.0, 2.0, 4.0]))[1] ** 2, SQUARE)],
    "eigvalsh": [(lambda x, y: la.eigvalsh(symmetric(x), symmetric(y)), SQUARE, matrix(3, 3, seed=1))],
    "norm": [(la.norm, SQUARE), (lambda x: la.norm(x, axis=0), SQUARE)],
    "lstsq": [(lambda a, b: la.lstsq(a, b)[0], TALL, numbers((4,), seed=3))],
    "expm": [(la.expm, SQUARE / 4), (la.expm, matrix(2, 2, 2)), (lambda x: la.expm(x @ x.T / 20), SQUARE)],
    "block_diag": [(lambda x, y: la.block_diag(x, y, [1.0]), SQUARE, FEW)],
}  # fmt: skip
"""Programs with these functions, by name."""


@pytest.mark.sampled(12, each="family")
@pytest.mark.parametrize(("family", "f", "arrays"), of_families(CASES))
def test_functions(family, f, arrays):
    """Value, gradient, forward sweep and second derivative against differences."""
    agree_nearby(f, *arrays, rtol=1e-10)


def test_by_any_name():
    """The function is followed whatever name the program has for it."""
    from scipy.linalg import expm

    x = SQUARE / 4
    wanted = grad(lambda x: np.sum(la.expm(x)))(x)
    np.testing.assert_array_equal(wanted, grad(lambda x: np.sum(expm(x)))(x))
    np.testing.assert_array_equal(wanted, grad(lambda x: np.sum(scipy.linalg.expm(x)))(x))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: la.block_diag([[x, 1.0], [0.0, x]], [x * x], x),
        lambda x: la.cho_solve(([[x, 0.0], [1.0, x]], True), [x, 1.0]),
        lambda x: la.lu_solve(la.lu_factor([[x, 0.3], [0.2, 1.0]]), [x, 1.0]),
        lambda x: la.matmul_toeplitz([x, 1.0], [x, 2.0]),
        lambda x: la.matmul_toeplitz(([x, 1.0], [x, 3.0]), [x, 2.0]),
        lambda x: la.solve_banded((1, 1), [[0.0, x], [3.0, x], [1.0, 2.0]], [x, 1.0]),
        lambda x: la.cho_solve_banded((la.cholesky_banded([[0.0, x / 4], [3.0, x]]), False), [x, 1.0]),
    ],
)
def test_lists_of_recorded_numbers(f):
    agree_nearby(lambda x: f(x[0]), np.array([2.0]), rtol=1e-10)


def test_the_exponential_at_zero():
    np.testing.assert_allclose(np.ones((2, 2)), grad(lambda x: np.sum(la.expm(x)))(np.zeros((2, 2))), rtol=1e-14)


@pytest.mark.parametrize("n", [2, 3, 5, 8])
@pytest.mark.parametrize("lower", [True, False])
def test_the_signs_of_eigenvectors_are_scipys(n, lower):
    """Another routine than NumPy's chooses them, and what depends on them has to be what the plain program has."""
    x = symmetric(matrix(n, n, seed=n))

    def f(x):
        return np.sum(la.eigh(x, lower=lower)[1] ** 3) + np.sum(la.eigh(x, x @ x + np.eye(n), lower=lower)[1])

    assert f(x) == pytest.approx(trace(f, x, names=False).value, rel=1e-10)


def test_some_eigenvalues():
    agree_nearby(lambda x: la.eigh(symmetric(x), subset_by_index=[1, 2])[1] ** 2, SQUARE, rtol=1e-10)
    agree_nearby(lambda x: la.eigvalsh(symmetric(x), subset_by_index=[0, 0]), SQUARE, rtol=1e-10)


def test_what_a_function_needs_leaves_scipy_alone():
    """A function of SciPy's that begins in a helper shared by all is answered by the program's names, as any other."""

    def f(x):
        return np.sum(la.pinv(x)) + np.sum(la.expm(x / 4))

    before = trace(f, SQUARE, names=False).value
    assert f(SQUARE) == pytest.approx(before, rel=1e-12)


def test_plain_matrices_stay_plain():
    plain = trace(lambda x: np.sum(la.logm(np.eye(2)).real) + np.sum(la.expm(x)), np.zeros((2, 2))).value
    assert plain == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (la.orth, "scipy.linalg.orth"),
        (la.schur, "scipy.linalg.schur"),
        (lambda x: la.eigh(x, x, type=2), "scipy.linalg.eigh with type="),
        (lambda x: la.eig(x, left=True), "scipy.linalg.eig with left="),
        (lambda x: la.lu(x[:2]), "scipy.linalg.lu with a matrix that is not square="),
    ],
)
def test_refusals(f, name):
    with pytest.raises(UnsupportedError, match=f"{name} has no derivative rule") as caught:
        grad(lambda x: np.sum(f(x)[0]))(SQUARE)
    assert __file__ == caught.value.file


@pytest.mark.parametrize("trans", [0, 1, 2])
@pytest.mark.parametrize("lower", [False, True])
def test_triangular_systems_are_substituted(trans, lower):
    """One of n equations takes n**2 operations, forth and back, not n**3; complex ones and their many digits too."""
    f = lambda x, b: la.solve_triangular(x + 4 * np.eye(3), b, trans, lower)
    assert "substitution" in [node.operation for node in trace(f, SQUARE, FEW).nodes]
    agree_nearby(lambda z, b: f(z * (1 + 0.5j), b), SQUARE + 0.3j, FEW * 1j)
    assert_grad(lambda x: np.sum(f(x, x[0]) ** 2), at=(SQUARE,))


@pytest.mark.parametrize(
    "f",
    [
        lambda x: la.solve_triangular(x, x[0]),
        lambda x: la.solve_banded((1, 1), x, x[0]),
        lambda x: la.solveh_banded(x[1:] + [[0.0], [9.0]], x[0]),
        lambda x: la.cho_solve((la.cholesky(x @ x.T), False), x[0]),
        lambda x: la.lu_solve(la.lu_factor(x), x[0]),
        lambda x: la.solve_sylvester(x, x, x),
        lambda x: la.solve_continuous_lyapunov(x, x),
        lambda x: la.expm(x),
        lambda x: la.sqrtm(x @ x.T),
        lambda x: la.logm(x @ x.T),
    ],
)
def test_a_sensitivity_that_overflows(f):
    """SciPy refuses it; the gradient is nan or infinite, backwards and forwards."""
    x = SQUARE + 4 * np.eye(3)
    with np.errstate(all="ignore"):
        back = grad(lambda x: np.sum(f(x)) * 1e308 * 1e308)(x)
        _, ahead = jvp(f, (x,), (np.full((3, 3), np.inf),))

    assert not np.all(np.isfinite(back))
    assert not np.all(np.isfinite(ahead))


@pytest.mark.parametrize("f", [la.expm, la.cholesky, lambda a: la.cholesky(a, lower=True)])
@pytest.mark.parametrize("shaped", [lambda a: a, lambda a: np.array([a])], ids=["number", "vector"])
def test_a_number_is_a_matrix_of_one_element(f, shaped):
    value, slope = value_and_grad(lambda a: f(shaped(a))[0, 0])(2.0)

    assert f(2.0)[0, 0] == value
    assert pytest.approx((f(2.00001)[0, 0] - f(1.99999)[0, 0]) / 2e-5, rel=1e-8) == slope
