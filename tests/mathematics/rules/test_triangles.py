"""What a routine of linear algebra reads of its matrix: the derivative by all other numbers is exactly 0."""

import numpy as np
import pytest
import scipy.linalg as sp

from gradcli import grad, hessian, jvp, trace
from gradcli.errors import UnsupportedError
from gradcli.methods.exact import gradient as exact
from tests.mathematics.rules.sample_arrays import weights

pytestmark = pytest.mark.sampled(8)  # many like cases

la = np.linalg
REAL = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.7], [0.5, -0.7, 5.0]])
COMPLEX = REAL + 1j * np.array([[0.0, 0.3, -0.2], [-0.3, 0.0, 0.4], [0.2, -0.4, 0.0]])
SECOND = np.array([[2.0, 0.3, 0.1], [0.3, 3.0, 0.2], [0.1, 0.2, 1.5]])
RIGHT = np.array([1.0, -2.0, 0.5])
STEP = 1e-6

LOWER, UPPER = np.tril(np.ones((3, 3))), np.triu(np.ones((3, 3)))
BAND = np.abs(np.arange(3)[:, None] - np.arange(3)) <= 1


def by_triangle(f):
    """A function with `lower=` by each triangle, beside what it reads."""
    return [(lambda x: f(x, True), LOWER), (lambda x: f(x, False), UPPER)]


HERMITIAN = {
    "eigvalsh": [(la.eigvalsh, LOWER), (lambda x: la.eigvalsh(x, "U"), UPPER)],
    "eigh": [(lambda x: np.abs(la.eigh(x)[1]) ** 2, LOWER), (lambda x: np.abs(la.eigh(x, "U")[1]) ** 2, UPPER)],
    "cholesky": [(la.cholesky, LOWER), (lambda x: la.cholesky(x, upper=True), UPPER)],
    "pinv": [(lambda x: la.pinv(x, hermitian=True), LOWER)],
    "svd": [(lambda x: la.svd(x, hermitian=True)[1], LOWER)],
    "scipy eigh": by_triangle(lambda x, lower: np.abs(sp.eigh(x, lower=lower)[1]) ** 2),
    "scipy eigvalsh": by_triangle(lambda x, lower: sp.eigvalsh(x, lower=lower)),
    "of a pair": by_triangle(lambda x, lower: sp.eigvalsh(x, SECOND, lower=lower)),
    "by the second of a pair": by_triangle(lambda x, lower: sp.eigvalsh(SECOND, x, lower=lower)),
    "scipy cholesky": by_triangle(lambda x, lower: sp.cholesky(x, lower)),
    "cho_factor": by_triangle(lambda x, lower: sp.cho_solve(sp.cho_factor(x, lower), RIGHT)),
    "pinvh": by_triangle(lambda x, lower: sp.pinvh(x, lower=lower)),
    "solve pos": by_triangle(lambda x, lower: sp.solve(x, RIGHT, lower, assume_a="pos")),
    "solve her": by_triangle(lambda x, lower: sp.solve(x, RIGHT, lower, assume_a="her")),
    "inv pos": by_triangle(lambda x, lower: sp.inv(x, assume_a="pos", lower=lower)),
}
"""Functions of a Hermitian matrix, each with a mask of the numbers that it reads."""

OTHERS = {
    "solve sym": by_triangle(lambda x, lower: sp.solve(x, RIGHT, lower, assume_a="sym")),
    "inv sym": by_triangle(lambda x, lower: sp.inv(x, assume_a="sym", lower=lower)),
    "solve diagonal": [(lambda x: sp.solve(x, RIGHT, assume_a="diagonal"), np.eye(3))],
    "solve tridiagonal": [(lambda x: sp.solve(x, RIGHT, assume_a="tridiagonal"), BAND)],
    "solve triangle": [(lambda x: sp.solve(x, RIGHT, assume_a="lower triangular"), LOWER),
        (lambda x: sp.solve(x, RIGHT, assume_a="upper triangular"), UPPER),
        (lambda x: sp.inv(x, assume_a="upper triangular"), UPPER)],
    "solve_triangular": [(lambda x: sp.solve_triangular(x, RIGHT), UPPER),
        (lambda x: sp.solve_triangular(x, RIGHT, lower=True, trans="C"), LOWER),
        (lambda x: sp.solve_triangular(x, RIGHT, lower=True, unit_diagonal=True), np.tril(LOWER, -1))],
    "cho_solve": by_triangle(lambda x, lower: sp.cho_solve((x, lower), RIGHT)),
}  # fmt: skip
"""Functions of any matrix, likewise."""

SEPARATE = {
    "what SciPy leaves in the other triangle": [
        (lambda x: sp.cho_factor(x, True)[0], None),
        (lambda x: sp.cho_factor(x, False)[0], None),
    ],
    "a matrix whose structure SciPy looks for": [(lambda x: sp.solve(x, RIGHT), None)],
}
"""Functions with no number that they do not read."""


def cases(*tables):
    """The functions of some tables as pytest's parameters."""
    named = [(name, n, *each) for table in tables for name, both in table.items() for n, each in enumerate(both)]
    return [pytest.param(f, read, id=f"{name}-{n}") for name, n, f, read in named]


def weighted(f):
    """One real number of a function's result, in which every number has a part."""

    def total(x):
        y = f(x)
        return np.sum(np.real(y) * weights(np.shape(y))) + np.sum(np.imag(y) * weights(np.shape(y), seed=1))

    return total


def differences(f, x):
    """Each number moved alone, as an ordinary user would."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        for way in (1.0, 1j)[: 1 + np.iscomplexobj(x)]:
            unit = np.zeros_like(x)
            unit[place] = STEP * way
            found[place] += way * (f(x + unit) - f(x - unit)) / (2 * STEP)
    return found


def follows(f, x, read):
    """Assert that the gradient is that of the program, by every single number, and 0 by those that it does not read."""
    total = weighted(f)
    gradient = grad(total)(x)
    np.testing.assert_allclose(gradient, differences(total, x), rtol=1e-6, atol=1e-8)
    assert total(x) == pytest.approx(trace(total, x).value, rel=1e-12)
    if read is not None:
        assert not np.any(gradient[read == 0])


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("f", "read"), cases(HERMITIAN, OTHERS, SEPARATE))
def test_the_derivative_is_the_programs(f, read):
    follows(f, REAL, read)


@pytest.mark.sampled(24)
@pytest.mark.parametrize(("f", "read"), cases(HERMITIAN))
def test_of_complex_matrices(f, read):
    follows(f, COMPLEX, read)


@pytest.mark.parametrize("lower", [True, False])
def test_a_complex_matrix_that_is_symmetric(lower):
    symmetric = REAL + 0.3j * SECOND
    read = LOWER if lower else UPPER
    follows(lambda x: sp.solve(x, RIGHT, lower, assume_a="sym"), symmetric, read)
    follows(lambda x: sp.inv(x, assume_a="sym", lower=lower), symmetric, read)


@pytest.mark.sampled(32)
@pytest.mark.parametrize(("f", "read"), cases(HERMITIAN))
def test_in_every_mode(f, read):
    """Forward, twice, and with fifty digits: a number that is not read has no part in any of them."""
    total = weighted(f)
    unread = (read == 0) * 1.0
    assert jvp(total, (REAL,), (unread,))[1] == 0
    second = hessian(total)(REAL)
    assert not np.any(second[read == 0])
    assert not np.any(second[:, :, read == 0])
    tape = trace(total, REAL, names=False)
    found = exact.gradient(tape, tape.result_index(), list(tape.input_indices())).derivatives
    assert not any(found[n] for n in np.flatnonzero(unread))


def test_the_inverse_of_a_diagonal_is_refused():
    """SciPy says that it does not read the other numbers, and hands them back in some releases."""
    with pytest.raises(UnsupportedError, match="with assume_a= has no derivative rule"):
        grad(lambda x: np.sum(sp.inv(x, assume_a="diagonal")))(REAL)


def test_the_signs_of_banded_eigenvectors_are_scipys():
    lower, diagonal = np.array([[4.0, 5.0, 6.0, 5.5], [1.0, 0.5, -0.7, 0.9]]), np.array([1.0, -2.0, 0.5, 0.3])
    for f, x in (
        (lambda x: sp.eig_banded(x, lower=True)[1], lower),
        (lambda x: sp.eigh_tridiagonal(x, lower[1, :3])[1], diagonal),
    ):
        follows(f, x, None)
