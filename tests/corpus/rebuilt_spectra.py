"""Claims about matrix functions by eigh and svd, and Hessians of spectral functions, where values are equal."""

from functools import partial

import numpy as np

from tests.corpus.claim import claims

hessians = partial(claims, of="hessian", quick=False)
products = partial(claims, of="hvp", quick=False)

I2, I3 = np.eye(2), np.eye(3)
TURN = np.array([[0.6, -0.8], [0.8, 0.6]])
WEIGHTS = np.array([[1.0, 0.3, -0.2], [0.3, 2.0, 0.7], [-0.2, 0.7, -1.0]])
SKEWED = np.array([[1.0, 2.0], [-0.5, 0.3]])
TALL = np.array([[1.0, -2.0], [0.5, 3.0], [0.2, 0.1]])
SYMMETRIC = np.einsum("ik,jl->ijkl", I2, I2) / 2 + np.einsum("il,jk->ijkl", I2, I2) / 2
"""What takes the symmetric part of a matrix."""
SWAP = np.einsum("il,jk->ijkl", I2, I2)


def sym(a):
    return (a + a.T) / 2


def rebuilt(a, function):
    """A function of a symmetric matrix, by its eigenvalues."""
    w, v = np.linalg.eigh(sym(a))
    return (v * function(w)) @ v.T


def divided(w, function, slope):
    """The divided differences of a function, and its slope where two are equal."""
    apart = w[:, None] - w[None]
    with np.errstate(all="ignore"):
        return np.where(apart == 0, slope(w)[:, None], (function(w)[:, None] - function(w)[None]) / apart)


def polar(a):
    u, _, vt = np.linalg.svd(a)
    return u @ vt


def grad_polar(a):
    """At a multiple of an orthogonal matrix: what of C is skew to it, over the multiple."""
    size = np.sqrt(np.sum(a**2) / 2)
    q = a / size
    return (SKEWED - q @ SKEWED.T @ q) / (2 * size)


def remade(a):
    u, s, vt = np.linalg.svd(a, full_matrices=False)
    return (u * s) @ vt


def by_svd(a):
    u, s, vt = np.linalg.svd(a)
    return (vt.T / s) @ u.T


def squares(a):
    """The sum of the squared eigenvalues of the symmetric part."""
    return np.sum(np.linalg.eigvalsh(sym(a)) ** 2)


def singular_squares(a):
    return np.sum(np.linalg.svd(a, compute_uv=False) ** 2)


CLAIMS = [
    *claims("rebuilt: the sum of a matrix by its eigenvectors", lambda a: np.sum(rebuilt(a, lambda w: w)), I2,
        lambda a: np.ones((2, 2)), "the sum of all numbers",
        wrong={"the trace": lambda a: I2, "nothing": lambda a: 0 * I2}),
    *claims("rebuilt: the sum of a square by its eigenvectors", lambda a: np.sum(rebuilt(a, lambda w: w**2)), 2.0 * I2,
        lambda a: np.full((2, 2), 4.0), "(S 1)(1') + 1 (S 1)'", wrong={"half": lambda a: np.full((2, 2), 2.0)}),
    *claims("rebuilt: an exponential where two of three are equal", lambda a: np.sum(WEIGHTS * rebuilt(a, np.exp)),
        np.diag([0.5, 0.5, -0.3]), lambda a: WEIGHTS * divided(np.diag(a), np.exp, np.exp),
        "divided differences, by Daleckii and Krein",
        wrong={"elementwise": lambda a: WEIGHTS * np.exp(np.diag(np.diag(a))),
            "the slopes alone": lambda a: WEIGHTS * np.exp(np.diag(a))[:, None]}),
    *claims("rebuilt: a root where two of three are equal", lambda a: np.sum(WEIGHTS * rebuilt(a, np.sqrt)),
        np.diag([4.0, 4.0, 1.0]), lambda a: WEIGHTS / (np.sqrt(np.diag(a))[:, None] + np.sqrt(np.diag(a))[None]),
        "1 / (sqrt(a) + sqrt(b))",
        wrong={"half of it": lambda a: WEIGHTS / 2 / (np.sqrt(np.diag(a))[:, None] + np.sqrt(np.diag(a))[None])}),
    *claims("rebuilt: the orthogonal factor of a multiple of a rotation", lambda a: np.sum(SKEWED * polar(a)),
        2.0 * TURN, grad_polar, "what of C is skew to it",
        wrong={"the sign": lambda a: -grad_polar(a),
            "what is symmetric": lambda a: (SKEWED + TURN @ SKEWED.T @ TURN) / 4, "nothing": lambda a: 0 * I2}),
    *claims("rebuilt: a matrix by equal singular values", lambda a: np.sum(SKEWED * remade(a)), TURN, lambda a: SKEWED,
        "the matrix itself", wrong={"transposed": lambda a: SKEWED.T}),
    *claims("rebuilt: a tall matrix by equal singular values", lambda a: np.sum(TALL * remade(a)), 3.0 * np.eye(3, 2),
        lambda a: TALL, "the matrix itself",
        wrong={"the upper part": lambda a: TALL * np.array([[1.0], [1.0], [0.0]])}),
    *claims("rebuilt: an inverse by equal singular values", lambda a: np.sum(by_svd(a)), 2.0 * TURN,
        lambda a: -np.outer(np.linalg.inv(a).sum(0), np.linalg.inv(a).sum(1)), "-A^-T 1 1' A^-T",
        wrong={"transposed": lambda a: -np.outer(np.linalg.inv(a).sum(1), np.linalg.inv(a).sum(0))}),
    *claims("rebuilt: the sum of what is positive of nothing",
        lambda a: np.sum(np.maximum(np.linalg.eigvalsh(sym(a)), 0.0)), np.zeros((2, 2)),
        lambda a: np.array([[0.5, 0.2], [0.2, 0.3]]), "between 0 and the identity", own=None, truth="kink",
        wrong={"beyond the identity": lambda a: 1.5 * I2, "negative": lambda a: np.array([[0.5, 0.6], [0.6, 0.5]])}),
    *hessians("rebuilt: the Hessian of a trace", lambda a: np.sum(np.linalg.eigvalsh(sym(a))), I2, why="linear",
        own=None,
        wrong={"something": lambda a: SYMMETRIC, "at one place": lambda a: np.eye(16)[1, :].reshape(2, 2, 2, 2)}),
    *hessians("rebuilt: the Hessian of the squared eigenvalues", squares, 2.0 * I2, lambda a: 2 * SYMMETRIC,
        "the squared Frobenius norm of the symmetric part",
        wrong={"not symmetric": lambda a: 2 * np.eye(4).reshape(2, 2, 2, 2), "half": lambda a: SYMMETRIC}),
    *products("rebuilt: the Hessian of the squared eigenvalues, times a matrix", squares, 2.0 * I2,
        lambda a, v: v + v.T, "2 sym(v)", wrong={"not symmetric": lambda a, v: 2 * v}),
    *hessians("rebuilt: the Hessian of a determinant by equal eigenvalues",
        lambda a: np.prod(np.linalg.eigvalsh(sym(a))), 3.0 * I2, lambda a: np.einsum("ij,kl->ijkl", I2, I2) - SYMMETRIC,
        "ad - (b + c)**2 / 4",
        wrong={"the general one": lambda a: np.einsum("ij,kl->ijkl", I2, I2) - SWAP,
            "the sign": lambda a: SYMMETRIC - np.einsum("ij,kl->ijkl", I2, I2)}),
    *hessians("rebuilt: the Hessian of a trace of an exponential", lambda a: np.sum(np.exp(np.linalg.eigvalsh(sym(a)))),
        0.5 * I2, lambda a: np.exp(0.5) * SYMMETRIC, "exp(c) tr(E E) where all are c",
        wrong={"the slopes alone": lambda a: np.exp(0.5) * np.einsum("ij,kl->ijkl", I2, I2)}),
    *hessians("rebuilt: the Hessian of the squared singular values of a rotation", singular_squares, TURN,
        lambda a: 2 * np.eye(4).reshape(2, 2, 2, 2), "the squared Frobenius norm",
        wrong={"symmetric": lambda a: 2 * SYMMETRIC, "half": lambda a: np.eye(4).reshape(2, 2, 2, 2)}),
    *hessians("rebuilt: the Hessian of the squared singular values of nothing", singular_squares, np.zeros((2, 2)),
        why="the squared Frobenius norm", own=None, wrong={"nothing": lambda a: np.zeros((2, 2, 2, 2))}),
    *hessians("rebuilt: the Hessian of the product of equal singular values",
        lambda a: np.prod(np.linalg.svd(a, compute_uv=False)), I2, why="the determinant, which is positive there",
        own=None, wrong={"of a symmetric matrix": lambda a: np.einsum("ij,kl->ijkl", I2, I2) - SYMMETRIC}),
    *products("rebuilt: the Hessian of a product of singular values, times a matrix",
        lambda a: np.prod(np.linalg.svd(a, compute_uv=False)), I2, lambda a, v: np.trace(v) * I2 - v.T,
        "the determinant's", wrong={"not transposed": lambda a, v: np.trace(v) * I2 - v}),
]  # fmt: skip
