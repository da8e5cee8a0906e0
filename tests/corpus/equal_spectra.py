"""Claims about eigenvalues, singular values and norms where some are equal or 0, and where that does no harm."""

import numpy as np
import scipy.linalg

from tests.corpus.claim import claims

I2, I3 = np.eye(2), np.eye(3)
TURN = np.array([[0.6, -0.8], [0.8, 0.6]])
RANK_ONE = np.outer([1.0, 2.0, 2.0], [3.0, 4.0]) / 15  # with the singular value 1
UV = RANK_ONE
BESIDE = np.outer([2.0, -2.0, 1.0], [-4.0, 3.0]) / 15  # another such pair of vectors, at right angles to both
DOUBLE = np.diag([2.0, 2.0, 1.0])
SYMMETRIC = "A and its transpose are averaged, so that all numbers of A are read"


def sym(a):
    return (a + a.T) / 2


def largest(a):
    return np.linalg.eigvalsh(sym(a))[-1]


def gap(a):
    values = np.linalg.eigvalsh(sym(a))
    return values[-1] - values[0]


def top_two(a):
    return np.sum(np.linalg.eigvalsh(sym(a))[-2:])


def nuclear(a):
    return np.sum(np.linalg.svd(a, compute_uv=False))


def spectral(a):
    return np.linalg.norm(a, 2)


def corner(*numbers):
    """A matrix of three rows with four numbers at its first corner."""
    out = np.zeros((3, 3))
    out[:2, :2] = np.reshape(numbers, (2, 2))
    return out


CLAIMS = [
    *claims("spectra: the largest eigenvalue where two are equal", largest, DOUBLE,
        lambda a: corner(0.5, 0.5, 0.5, 0.5), "v v^T for any unit vector v of the plane of both, and what lies between",
        own="kink",
        wrong={"both": lambda a: corner(1.0, 0.0, 0.0, 1.0), "not positive": lambda a: corner(0.5, 0.7, 0.7, 0.5),
            "the third": lambda a: np.diag([0.4, 0.4, 0.2]),
            "a thousandth too much": lambda a: corner(0.5, 0.5, 0.5, 0.501)}),
    *claims("spectra: the largest eigenvalue where all are equal", largest, 3.0 * I3, lambda a: I3 / 3,
        "positive, with the trace 1", own="kink", wrong={"each": lambda a: I3, "nothing": lambda a: 0 * I3}),
    *claims("spectra: the largest eigenvalue of nothing", largest, np.zeros((2, 2)),
        lambda a: np.array([[0.2, 0.4], [0.4, 0.8]]), "v v^T", own="kink",
        wrong={"nothing": np.zeros_like, "a sum of squares": lambda a: np.array([[0.6, 0.6], [0.6, 0.6]])}),
    *claims("spectra: the least eigenvalue where two are equal", lambda a: np.linalg.eigvalsh(sym(a))[0],
        np.diag([1.0, 1.0, 4.0]), lambda a: corner(1.0, 0.0, 0.0, 0.0),
        "positive, with the trace 1, in the plane of both", own="kink",
        wrong={"both": lambda a: corner(1.0, 0.0, 0.0, 1.0), "the largest": lambda a: np.diag([0.0, 0.0, 1.0])}),
    *claims("spectra: the lower triangle's largest eigenvalue where two are equal", lambda a: np.linalg.eigvalsh(a)[-1],
        DOUBLE, lambda a: corner(0.5, 0.0, 1.0, 0.5), "v v^T, that beside the diagonal twice and below it alone",
        own="kink",
        wrong={"both triangles": lambda a: corner(0.5, 0.5, 0.5, 0.5), "too much": lambda a: corner(0.5, 0, 1.2, 0.5)}),
    *claims("spectra: the spread of equal eigenvalues", gap, 2.0 * I2, lambda a: np.array([[1.0, 0.0], [0.0, -1.0]]),
        "u u^T - v v^T", own="kink",
        wrong={"the trace": lambda a: I2, "a hundredth too much": lambda a: np.array([[1.01, 0.0], [0.0, -1.01]])}),
    *claims("spectra: the two largest where the second equals the third", top_two, np.diag([1.0, 3.0, 1.0]),
        lambda a: np.diag([0.5, 1.0, 0.5]), "the 3 counts whole, the others 1 together", own="kink",
        wrong={"all three": lambda a: I3, "the 3 alone": lambda a: np.diag([0.0, 1.0, 0.0])}),
    *claims("spectra: the nuclear norm at rank one", nuclear, RANK_ONE, lambda a: UV + 0.4 * BESIDE,
        "u v^T and up to 1 of what is at right angles to both", own="kink",
        wrong={"too much beside": lambda a: UV + 1.3 * BESIDE, "half": lambda a: UV / 2,
            "a thousandth too much": lambda a: UV - 1.001 * BESIDE}),
    *claims("spectra: the nuclear norm at rank one, u v^T alone", lambda a: np.linalg.norm(a, "nuc"), 2.0 * RANK_ONE,
        lambda a: UV, "u v^T and up to 1 of what is at right angles to both", own="kink",
        wrong={"the matrix": lambda a: 2 * UV}),
    *claims("spectra: the nuclear norm of nothing", nuclear, np.zeros((2, 2)), lambda a: TURN,
        "no singular value above 1", own="kink",
        wrong={"all ones": np.ones_like, "a hundredth too much": lambda a: 1.01 * TURN,
            "one by one within, together not": lambda a: np.full((2, 2), 0.6)}),
    *claims("spectra: the spectral norm where two are equal", spectral, TURN, lambda a: TURN @ np.diag([0.3, 0.7]),
        "convex sums of u v^T", own="kink", wrong={"both": lambda a: TURN, "transposed": lambda a: 0.5 * TURN.T}),
    *claims("spectra: the spectral norm of nothing", spectral, np.zeros((2, 2)),
        lambda a: np.array([[0.5, 0.0], [0.0, 0.5]]), "singular values whose sum is at most 1", own="kink",
        wrong={"their sum is 2": lambda a: I2}),
    *claims("spectra: the Frobenius norm of nothing", np.linalg.norm, np.zeros((2, 2)),
        lambda a: np.array([[0.5, -0.5], [0.5, 0.5]]), "no longer than 1", own="kink",
        wrong={"longer than 1": lambda a: np.array([[0.5, -0.5], [0.5, 0.52]])}),
    *claims("spectra: the taxicab norm with a 0", lambda x: np.linalg.norm(x, 1), np.array([0.0, -2.0, 0.0]),
        lambda x: np.array([0.3, -1.0, -1.0]), "from -1 to 1 where x is 0", own="kink",
        wrong={"beyond 1": lambda x: np.array([1.1, -1.0, 0.0]), "the sign": lambda x: np.array([0.0, 1.0, 0.0])}),
    *claims("spectra: the largest of two numbers of a size", lambda x: np.linalg.norm(x, np.inf),
        np.array([2.0, -2.0, 1.0]), lambda x: np.array([0.3, -0.7, 0.0]), "signs whose shares add up to 1", own="kink",
        wrong={"both": np.sign, "the third": lambda x: np.array([0.3, -0.3, 0.4])}),
    *claims("spectra: the norm of order 3 at 0", lambda x: np.linalg.norm(x, 3), np.zeros(2),
        lambda x: np.array([0.6, 0.6]), "the norm of order 3/2 of the slopes is at most 1", own="kink",
        wrong={"longer than 1": lambda x: np.array([0.7, 0.7])}),
    *claims("spectra: the largest column sum at a tie", lambda a: np.linalg.norm(a, 1),
        np.array([[1.0, -2.0], [2.0, 1.0]]), lambda a: np.array([[0.5, -0.5], [0.5, 0.5]]),
        "columns whose shares add up to 1", own="kink",
        wrong={"both": np.sign, "unlike in a column": lambda a: np.array([[0.9, -0.1], [0.1, 0.9]])}),
    *claims("spectra: the condition number of a rotation", np.linalg.cond, TURN, np.zeros_like,
        "the least there is: 1 and more to all sides", own="kink",
        wrong={"beyond": lambda a: 1.5 * TURN @ np.diag([1.0, -1.0])}),
    *claims("spectra: a trace by equal eigenvalues", lambda a: np.sum(np.linalg.eigvalsh(sym(a))), DOUBLE, lambda a: I3,
        "the trace is smooth", wrong={"one of the equal": lambda a: np.diag([1.0, 0.0, 1.0])}),
    *claims("spectra: the squares of equal eigenvalues", lambda a: np.sum(np.linalg.eigvalsh(sym(a)) ** 2), DOUBLE,
        lambda a: 2 * a, "the square of the Frobenius norm is smooth", wrong={"half": lambda a: a}),
    *claims("spectra: a product of equal eigenvalues", lambda a: np.prod(np.linalg.eigvalsh(sym(a))), DOUBLE,
        lambda a: np.diag([2.0, 2.0, 4.0]), "the determinant is smooth",
        wrong={"the eigenvalues": lambda a: np.diag([2.0, 2.0, 1.0])}),
    *claims("spectra: a smooth largest of equal eigenvalues",
        lambda a: np.log(np.sum(np.exp(np.linalg.eigvalsh(sym(a))))), DOUBLE,
        lambda a: np.diag(np.exp(np.diag(a)) / np.sum(np.exp(np.diag(a)))),
        "symmetric in the eigenvalues, so that it is smooth",
        wrong={"the hard one": lambda a: np.diag([0.5, 0.5, 0.0])}),
    *claims("spectra: the two largest where both are equal", top_two, DOUBLE, lambda a: np.diag([1.0, 1.0, 0.0]),
        "their sum is smooth while the third is apart", wrong={"one": lambda a: np.diag([1.0, 0.0, 0.0])}),
    *claims("spectra: the squares of the singular values of nothing", lambda a: nuclear(a) ** 2, np.zeros((2, 2)),
        np.zeros_like, "a square of a kink", wrong={"a thousandth": lambda a: 1e-3 * I2}),
    *claims("spectra: a function of a matrix at equal eigenvalues", lambda a: np.trace(scipy.linalg.expm(sym(a))),
        DOUBLE, lambda a: np.diag(np.exp(np.diag(a))), "exp of the eigenvalues",
        wrong={"the trace": lambda a: I3 * np.e**2}),
]  # fmt: skip
