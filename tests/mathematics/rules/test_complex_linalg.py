"""Linear algebra of complex matrices: what is holomorphic, and factorisations by functions that no phase changes."""

import numpy as np
import pytest
import scipy.linalg

from tests.mathematics.rules.agreement import agree_nearby, of_families
from tests.mathematics.rules.sample_arrays import complexes

pytestmark = pytest.mark.sampled(8)  # many like cases

la = np.linalg
SQUARE = complexes((3, 3)) + np.diag([3.0, 5.0, 8.0])
TALL, VECTOR, STACK = complexes((4, 2), 1), complexes((3,), 2), complexes((2, 2, 2), 3)


def hermitian(x):
    return x @ np.conj(np.swapaxes(x, -1, -2)) + np.diag(np.arange(1.0, 1.0 + x.shape[-2]))


def product(factors):
    """The matrix of the squares of the singular values, which no phase of the vectors changes."""
    u, s, vh = factors
    return (u * s[..., None, :] ** 2) @ vh


CASES = {
    "inv": [(la.inv, SQUARE), (la.inv, STACK + 2 * np.eye(2))],
    "det": [(la.det, SQUARE), (la.det, np.array([[1.0, 1j], [1j, -1.0]]))],
    "slogdet": [(lambda x: la.slogdet(x)[0] * la.slogdet(x)[1], SQUARE)],
    "solve": [(la.solve, SQUARE, VECTOR)],
    "pinv": [(la.pinv, TALL)],
    "lstsq": [(lambda a, b: la.lstsq(a, b)[0], TALL, complexes((4,), 4))],
    "cholesky": [
        (lambda x: la.cholesky(hermitian(x)), SQUARE),
        (lambda x: la.cholesky(hermitian(x), upper=True), SQUARE),
    ],
    "qr": [(lambda x: la.qr(x)[0], TALL), (lambda x: la.qr(x)[1], SQUARE), (lambda x: la.qr(x)[1], TALL.T)],
    "svd": [(la.svdvals, TALL), (lambda x: product(la.svd(x, full_matrices=False)), TALL)],
    "wide": [(lambda x: product(la.svd(x, full_matrices=False)), TALL.T)],
    "eigh": [(lambda x: la.eigvalsh(hermitian(x)), SQUARE), (lambda x: abs(la.eigh(hermitian(x))[1]) ** 2, SQUARE)],
    "eig": [(la.eigvals, SQUARE), (lambda x: abs(la.eig(x)[1]) ** 2, SQUARE)],
    "rotation": [(la.eigvals, np.array([[1.0, -2.0], [3.0, 0.5]]))],
    "expm": [(scipy.linalg.expm, SQUARE / 8)],
    "sqrtm": [(lambda x: scipy.linalg.sqrtm(x @ x + 9 * np.eye(3)), SQUARE)],
    "sylvester": [(lambda a, q: scipy.linalg.solve_continuous_lyapunov(a + 5 * np.eye(3), q), SQUARE, SQUARE[::-1])],
    "lu": [(lambda x: scipy.linalg.lu(x)[2], SQUARE)],
    "lu_solve": [
        (lambda a, b, t=t: scipy.linalg.lu_solve(scipy.linalg.lu_factor(a), b, trans=t), SQUARE, VECTOR) for t in (0, 2)
    ],
    "solve_banded": [(lambda a, b: scipy.linalg.solve_banded((1, 1), a, b), SQUARE, VECTOR)],
    "solveh_banded": [(lambda a, b: scipy.linalg.solveh_banded(np.stack([a[0], 9 + np.abs(a[1])]), b), SQUARE, VECTOR)],
    "toeplitz": [(scipy.linalg.toeplitz, VECTOR)],
    "einsum": [(lambda x, y: np.einsum("ij,kj->ik", x, y), SQUARE, TALL[:3, :1] * VECTOR)],
    "vecdot": [(np.vecdot, SQUARE, VECTOR), (np.vecmat, VECTOR, SQUARE)],
    "convolve": [(np.convolve, VECTOR, TALL[:, 0]), (lambda x, y: np.correlate(x, y, "full"), VECTOR, TALL[:, 0])],
}
"""Programs with these functions, by name."""


@pytest.mark.sampled(24, each="family")
@pytest.mark.parametrize(("family", "f", "arrays"), of_families(CASES))
def test_functions(family, f, arrays):
    """Value, gradient, forward sweep and second derivative along real, imaginary and mixed directions."""
    agree_nearby(f, *arrays)
