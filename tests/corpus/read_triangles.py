"""Claims about routines that read one triangle of a matrix: the slope by the other is 0, for the program ignores it."""

import numpy as np
import scipy.linalg

from tests.corpus.claim import Claim, claims

M = np.array([[4.0, 0.7, -0.2], [1.0, 3.0, 0.9], [0.5, -0.8, 5.0]])
B = np.array([[2.0, 9.0, 9.0], [0.3, 1.5, 9.0], [-0.1, 0.2, 1.2]])
V = np.array([1.0, -0.5, 2.0])
W = np.array([1.0, 2.0, -3.0])


def mirrored(a, lower=True):
    """The symmetric matrix that a triangle stands for."""
    a = a if lower else a.T
    return np.tril(a) + np.tril(a, -1).T


def folded(g, lower=True):
    """The slopes by the numbers of one triangle, from those by all of a symmetric matrix."""
    g = g + g.T - np.diag(np.diag(g))
    return np.tril(g) if lower else np.triu(g)


def spread(g):
    """As if both triangles were read: half of each."""
    return (g + g.T) / 2


def by_values(a, slopes, lower=True):
    """The slopes of a sum of weighted eigenvalues."""
    vectors = np.linalg.eigh(mirrored(a, lower))[1]
    return vectors @ np.diag(slopes) @ vectors.T


def by_solution(a, b, lower=True):
    """The slopes of W . A^-1 b by a symmetric A."""
    full = mirrored(a, lower)
    return -np.outer(np.linalg.solve(full, W), np.linalg.solve(full, b))


def one_triangle(name, f, symmetric, at=M, *, lower=True, **options) -> list[Claim]:
    """Claims about one function: what `symmetric` gives by a whole symmetric matrix, folded, and not folded."""
    side = "lower" if lower else "upper"
    why = f"the {side} triangle is read, the other is ignored"
    wrong = {
        "both triangles": lambda a: spread(symmetric(a)),
        "the other triangle": lambda a: folded(symmetric(a), lower).T,
        "once beside the diagonal": lambda a: np.tril(symmetric(a)) if lower else np.triu(symmetric(a)),
    }
    right = lambda a: folded(symmetric(a), lower)
    return [
        *claims(f"one triangle: {name}", f, at, right, why, wrong=wrong, **options),
        *claims(f"one triangle of a symmetric: {name}", f, mirrored(at), right, why, wrong=wrong, **options),
    ]


def grad_solved_below(a):
    low = np.tril(a)
    return np.tril(-np.outer(np.linalg.solve(low.T, W), np.linalg.solve(low, V)))


def grad_solved_unit(a):
    up = np.triu(a, 1) + np.eye(3)
    return np.triu(-np.outer(np.linalg.solve(up.T, W), np.linalg.solve(up, V)), 1)


BANDS = np.array([[7.0, 0.5, -0.3], [4.0, 3.0, 5.0], [0.2, -0.6, 7.0]])


def grad_banded(ab):
    """By the matrix that the bands stand for."""
    full = np.diag(ab[1]) + np.diag(ab[0, 1:], 1) + np.diag(ab[2, :-1], -1)
    g = -np.outer(np.linalg.solve(full.T, W), np.linalg.solve(full, V))
    return np.array([[0.0, *np.diag(g, 1)], np.diag(g), [*np.diag(g, -1), 0.0]])


def grad_tridiagonal(d, e):
    vectors = np.linalg.eigh(np.diag(d) + np.diag(e, 1) + np.diag(e, -1))[1]
    g = vectors @ np.diag(W) @ vectors.T
    return np.diag(g), 2 * np.diag(g, 1)


CLAIMS = [
    *one_triangle("eigvalsh", lambda a: np.linalg.eigvalsh(a) @ W, lambda a: by_values(a, W)),
    *one_triangle("eigvalsh of the upper", lambda a: np.linalg.eigvalsh(a, UPLO="U") @ W,
        lambda a: by_values(a, W, lower=False), lower=False),
    *one_triangle("eigh", lambda a: np.sum(np.linalg.eigh(a)[0] ** 2), lambda a: 2 * mirrored(a), quick=False),
    *one_triangle("the first of eigh", lambda a: np.linalg.eigh(a).eigenvalues[0] * 2.0,
        lambda a: by_values(a, np.array([2.0, 0.0, 0.0]))),
    *one_triangle("SciPy's eigh of the upper", lambda a: np.sum(scipy.linalg.eigh(a, lower=False)[0] ** 3),
        lambda a: 3 * mirrored(a, lower=False) @ mirrored(a, lower=False), lower=False),
    *one_triangle("SciPy's eigvalsh", lambda a: scipy.linalg.eigvalsh(a) @ W, lambda a: by_values(a, W)),
    *one_triangle("two matrices of eigvalsh", lambda b: np.sum(1.0 / scipy.linalg.eigvalsh(M, b)),
        lambda b: np.linalg.inv(mirrored(M)), at=B),
    *one_triangle("cholesky", lambda a: 2 * np.sum(np.log(np.diag(np.linalg.cholesky(a)))),
        lambda a: np.linalg.inv(mirrored(a))),
    *one_triangle("cholesky of the upper", lambda a: 2 * np.sum(np.log(np.diag(np.linalg.cholesky(a, upper=True)))),
        lambda a: np.linalg.inv(mirrored(a, lower=False)), lower=False),
    *one_triangle("SciPy's cholesky", lambda a: 2 * np.sum(np.log(np.diag(scipy.linalg.cholesky(a)))),
        lambda a: np.linalg.inv(mirrored(a, lower=False)), lower=False),
    *one_triangle("cho_factor and cho_solve", lambda a: W @ scipy.linalg.cho_solve(scipy.linalg.cho_factor(a), V),
        lambda a: by_solution(a, V, lower=False), lower=False),
    *one_triangle("solve, positive", lambda a: W @ scipy.linalg.solve(a, V, assume_a="pos"),
        lambda a: by_solution(a, V, lower=False), lower=False),
    *one_triangle("solve, symmetric, lower", lambda a: W @ scipy.linalg.solve(a, V, assume_a="sym", lower=True),
        lambda a: by_solution(a, V)),
    *one_triangle("singular values of a Hermitian",
        lambda a: np.sum(np.linalg.svd(a, compute_uv=False, hermitian=True) ** 2), lambda a: 2 * mirrored(a)),
    *one_triangle("the pseudo-inverse of a Hermitian", lambda a: W @ np.linalg.pinv(a, hermitian=True) @ V,
        lambda a: by_solution(a, V)),
    *claims("one triangle: forward substitution", lambda a: W @ scipy.linalg.solve_triangular(a, V, lower=True), M,
        grad_solved_below, "the upper triangle is not read",
        wrong={"of a whole matrix": lambda a: -np.outer(np.linalg.solve(a.T, W), np.linalg.solve(a, V)),
            "transposed": lambda a: grad_solved_below(a).T}),
    *claims("one triangle: back substitution with ones",
        lambda a: W @ scipy.linalg.solve_triangular(a, V, unit_diagonal=True), M, grad_solved_unit,
        "neither the lower triangle nor the diagonal is read",
        wrong={"with the diagonal": lambda a: grad_solved_unit(a) - np.diag(W * V),
            "a thousandth": lambda a: 1.001 * grad_solved_unit(a)}),
    *claims("one triangle: a tridiagonal matrix",
        lambda d, e: scipy.linalg.eigh_tridiagonal(d, e, eigvals_only=True) @ W,
        (np.array([2.0, -1.0, 0.5]), np.array([0.3, 0.8])), grad_tridiagonal,
        "each number beside the diagonal stands for two",
        wrong={"once": lambda d, e: (grad_tridiagonal(d, e)[0], grad_tridiagonal(d, e)[1] / 2)}),
    *claims("not read: the corner of a row", lambda c, r: np.sum(scipy.linalg.toeplitz(c, r) * M),
        (np.array([2.0, -1.0, 0.5]), np.array([9.0, 0.3, 0.8])),
        lambda c, r: (np.array([np.trace(M), np.trace(M, -1), np.trace(M, -2)]),
            np.array([0.0, np.trace(M, 1), np.trace(M, 2)])), "the corner is the column's",
        wrong={
            "the row's too": lambda c, r: (np.array([np.trace(M), np.trace(M, -1), np.trace(M, -2)]),
                np.array([np.trace(M), np.trace(M, 1), np.trace(M, 2)]))}),
    *claims("not read: two corners of bands", lambda ab: W @ scipy.linalg.solve_banded((1, 1), ab, V), BANDS,
        grad_banded, "a band of three has two numbers",
        wrong={"one of them": lambda ab: grad_banded(ab) + np.eye(3)[[2, 1, 0]] * np.array([0.1, 0.0, 0.0])}),
]  # fmt: skip
