"""Claims about routines that read one triangle of a matrix: the slope by the numbers of the other is 0."""

import numpy as np
import scipy.linalg

from tests.corpus.claim import claims

SYMMETRIC = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.7], [0.5, -0.7, 5.0]])
RIGHT = np.array([1.0, -2.0, 0.5])
WHY = "the routine never reads the other triangle"


def folded(gradient, half):
    """A symmetric gradient by the numbers of one triangle alone, each of which stands for two."""
    return half(gradient + gradient.T) - np.diag(np.diag(gradient))


def largest_pair(x):
    """The product of the vector of the largest eigenvalue with itself."""
    v = np.linalg.eigh(x)[1][:, -1]
    return np.outer(v, v)


def of_solution(x):
    """The derivative of the sum of the solution by the whole matrix."""
    inverse = np.linalg.inv(x)
    return -np.outer(inverse.T @ np.ones(3), inverse @ RIGHT)


def right_and_symmetrised(gradient, half):
    """The right gradient, and the one that many libraries give."""
    return lambda x: folded(gradient(x), half), {"symmetrised": gradient}


def triangle_claims(name, f, gradient, half=np.tril):
    """The claims about one function that reads a triangle."""
    right, wrong = right_and_symmetrised(gradient, half)
    return claims(name, f, SYMMETRIC, right, WHY, wrong=wrong)


CLAIMS = [
    *triangle_claims("the largest eigenvalue of eigvalsh", lambda x: np.linalg.eigvalsh(x)[-1], largest_pair),
    *triangle_claims("the same by the upper triangle", lambda x: np.linalg.eigvalsh(x, "U")[-1], largest_pair, np.triu),
    *triangle_claims("the largest eigenvalue of eigh", lambda x: np.linalg.eigh(x).eigenvalues[-1], largest_pair),
    *triangle_claims("a log-determinant by Cholesky's factor",
        lambda x: 2 * np.sum(np.log(np.diag(np.linalg.cholesky(x)))), np.linalg.inv),
    *triangle_claims("the same by the upper factor",
        lambda x: 2 * np.sum(np.log(np.diag(np.linalg.cholesky(x, upper=True)))), np.linalg.inv, np.triu),
    *triangle_claims("a log-determinant by SciPy's factor, which is the upper one",
        lambda x: 2 * np.sum(np.log(np.diag(scipy.linalg.cholesky(x)))), np.linalg.inv, np.triu),
    *triangle_claims("the largest eigenvalue of SciPy's eigh",
        lambda x: scipy.linalg.eigh(x, eigvals_only=True, lower=False)[-1], largest_pair, np.triu),
    *triangle_claims("a system that is assumed to be positive definite",
        lambda x: np.sum(scipy.linalg.solve(x, RIGHT, assume_a="pos")), of_solution, np.triu),
    *triangle_claims("a system by cho_factor",
        lambda x: np.sum(scipy.linalg.cho_solve(scipy.linalg.cho_factor(x, lower=True), RIGHT)), of_solution),
    *claims("a system whose matrix is taken for a triangle",
        lambda x: np.sum(scipy.linalg.solve_triangular(x, RIGHT, lower=True)), SYMMETRIC,
        lambda x: np.tril(of_solution(np.tril(x))), WHY,
        wrong={"by the whole matrix": lambda x: of_solution(np.tril(x))}),
    *claims("a triangle with ones on its diagonal",
        lambda x: np.sum(scipy.linalg.solve_triangular(x, RIGHT, lower=True, unit_diagonal=True)), SYMMETRIC,
        lambda x: np.tril(of_solution(np.tril(x, -1) + np.eye(3)), -1), "nor its diagonal",
        wrong={"by the diagonal too": lambda x: np.tril(of_solution(np.tril(x, -1) + np.eye(3)))}),
]  # fmt: skip
