"""SciPy's linear algebra that NumPy has none of: functions of matrices, patterned ones, equations, factors."""

import numpy as np
import pytest
import scipy.linalg as la
import scipy.signal

from gradcli import grad
from tests.mathematics.rules.agreement import agree_nearby, of_families, slope_agrees
from tests.mathematics.rules.sample_arrays import matrix, numbers, symmetric, weights

pytestmark = pytest.mark.sampled(4)  # many like cases

SQUARE, OTHER, FEW = matrix(3, 3), matrix(3, 3, seed=1), numbers((3,), seed=1)
FOUR, MORE = numbers((4,), seed=2), numbers((4, 2), seed=3)
BANDS = numbers((4, 4), seed=4) + [[0], [0], [5], [0]]

ROTATION = np.array([[0.6, -0.8, 0.0], [0.8, 0.6, 0.0], [0.0, 0.0, 1.0]])  # all its singular values are 1
CASES = {
    "sqrtm": [(lambda x: la.sqrtm(x @ x.T + np.eye(3)), SQUARE)],
    "toeplitz": [(la.toeplitz, FOUR), (la.toeplitz, FOUR, FEW), (lambda x: la.toeplitz([1.0, x[0], 2.0], x), FEW)],
    "circulant": [(la.circulant, FOUR)],
    "hankel": [(la.hankel, FOUR), (la.hankel, FOUR, FEW)],
    "solve_toeplitz": [(lambda c, b: la.solve_toeplitz(c + [5, 0, 0, 0], b), FOUR, MORE),
        (lambda c, r, b: la.solve_toeplitz((c + [5, 0, 0, 0], r), b), FOUR, -FOUR, FOUR)],
    "matmul_toeplitz": [(lambda c, r, x: la.matmul_toeplitz((c, r), x), FOUR, FEW, numbers((3, 2), seed=5))],
    "khatri_rao": [(la.khatri_rao, SQUARE, numbers((2, 3), seed=5))],
    "solve_sylvester": [(lambda a, b, q: la.solve_sylvester(a + 5 * np.eye(3), b, q), SQUARE, OTHER, SQUARE),
        (lambda a, b, q: la.solve_sylvester(a + 5 * np.eye(3), b, q), SQUARE, matrix(2, 2), numbers((3, 2)))],
    "solve_continuous_lyapunov": [(la.solve_continuous_lyapunov, SQUARE, OTHER)],
    "solve_discrete_lyapunov": [(lambda a, q: la.solve_discrete_lyapunov(a / 8, q), SQUARE, OTHER)],
    "solve_banded": [(lambda ab, b: la.solve_banded((1, 2), ab, b), BANDS, FOUR),
        (lambda ab, b: la.solve_banded((1, 2), ab, b), BANDS, MORE),
        (lambda ab, b: la.solve_banded((0, 1), ab[1:3], b), BANDS, FOUR),
        (lambda ab, b: la.solve_banded((1, 0), ab[2:], b), BANDS, FOUR),
        (lambda b: la.solve_banded((0, 0), np.full((1, 4), 3.0), b), FOUR)],
    "solveh_banded": [(lambda ab, b: la.solveh_banded(ab[:3], b), BANDS, FOUR),
        (lambda ab, b: la.solveh_banded(ab[2:], b, lower=True), BANDS, MORE)],
    "cholesky_banded": [(lambda ab: la.cholesky_banded(ab[1:3]), BANDS),
        (lambda ab: la.cholesky_banded(ab[2:], lower=True), BANDS)],
    "cho_solve_banded": [(lambda ab, b: la.cho_solve_banded((la.cholesky_banded(ab[:3]), False), b), BANDS, MORE),
        (lambda ab, b: la.cho_solve_banded((la.cholesky_banded(ab[2:], lower=True), True), b), BANDS, FOUR)],
    "eigvals_banded": [(la.eigvals_banded, BANDS[1:3])],
    "eig_banded": [(lambda ab: np.abs(la.eig_banded(ab, lower=True)[1]), BANDS[2:] + [[0, 1, 2, 3], [0] * 4])],
    "eigvalsh_tridiagonal": [(la.eigvalsh_tridiagonal, FOUR + [0, 1, 2, 3], FEW)],
    "eigh_tridiagonal": [(lambda d, e: np.abs(la.eigh_tridiagonal(d, e)[1]), FOUR + [0, 1, 2, 3], FEW)],
    "companion": [(la.companion, FOUR)],
    "lu_factor": [(lambda a: la.lu_factor(a)[0], SQUARE[::-1].copy())],
    "lu_solve": [
        (lambda a, b, t=t: la.lu_solve(la.lu_factor(a), b, trans=t), OTHER[[1, 2, 0]], FEW) for t in (1, 0, 2)],
    "lu": [(lambda a: la.lu(a)[1] + la.lu(a)[2] + la.lu(a)[0], OTHER[[1, 2, 0]]),
        (lambda a: la.lu(a, permute_l=True)[0], OTHER[[1, 2, 0]]),
        (lambda a: la.lu(a, p_indices=True)[2], OTHER[[1, 2, 0]])],
    "polar": [*((lambda a, n=n, side=side: la.polar(a, side)[n], SQUARE) for n in (0, 1) for side in ("right", "left")),
        *((lambda a, n=n, side=side: la.polar(a, side)[n], matrix(3, 2)) for n in (0, 1) for side in ("right", "left")),
        (lambda a: la.polar(a)[0] + la.polar(a[:, ::-1])[0], matrix(2, 3)),
        (lambda a: la.polar(a)[0] - la.polar(2 * a, "left")[1], ROTATION)],
    "pinvh": [(lambda a: la.pinvh(symmetric(a)), SQUARE)],
    "eig": [(lambda a: np.sort(np.abs(la.eig(a + np.diag([1.0, 5.0, 9.0]))[0])), SQUARE)],
    "eigvals": [(lambda a: np.sort(np.abs(la.eigvals(a + np.diag([1.0, 5.0, 9.0])))), SQUARE)],
}  # fmt: skip
"""Programs with these functions, by name."""


@pytest.mark.sampled(12, each="family")
@pytest.mark.parametrize(("family", "f", "arrays"), of_families(CASES))
def test_functions(family, f, arrays):
    """Value, gradient, forward sweep and second derivative against differences."""
    agree_nearby(f, *arrays, rtol=1e-10)


@pytest.mark.parametrize("name", ["logm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm"])
def test_functions_of_matrices(name):
    """Those that SciPy itself takes its time for: the slope along a direction, by differences."""
    x, weight = matrix(2, 2) / 8 + np.eye(2), weights((2, 2))
    slope_agrees(lambda x: np.sum(weight * getattr(la, name)(x)), [x], [weights((2, 2), seed=3)])


@pytest.mark.parametrize("name", ["logm", "sqrtm"])
@pytest.mark.parametrize("complex_weight", [False, True])
def test_functions_of_matrices_with_negative_eigenvalues(name, complex_weight):
    """On the cut, of which they stay on one side: the gradient, and its own slope, by differences."""
    x = np.array([[-3.0, 0.4, 1.0], [0.4, 1.2, -0.3], [1.0, -0.3, -0.8]])
    weight = weights((3, 3)) * (1 + 2j if complex_weight else 1)
    f = lambda x: np.sum(np.real(weight * getattr(la, name)((x + x.T) / 2)))
    slope_agrees(f, [x], [weights((3, 3), seed=3)])
    slope_agrees(lambda x: np.sum(weights((3, 3), seed=4) * grad(f)(x)), [x], [weights((3, 3), seed=3)])


@pytest.mark.parametrize(
    "f",
    [
        lambda x: la.solve_banded((0, 0), np.full((1, 7), 3.0), x),
        lambda x: la.eigh(np.diag(x) + 1.0)[1] ** 2,
        lambda x: la.lu_factor(np.diag(x) + 1.0)[0],
    ],
)
def test_where_names_of_scipy_are_replaced(f):
    """What SciPy computes for a rule records nothing, though names of its own code are replaced for the same run."""
    agree_nearby(lambda x: f(scipy.signal.fftconvolve(x, x)), FOUR)
