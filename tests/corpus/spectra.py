"""Claims where eigenvalues or singular values are equal, or zero: kinks, and what is smooth all the same.

The gradients of the largest eigenvalue of a symmetric matrix are the means of `v v^T` over its unit vectors `v`; those
of the sum of the singular values are `U V^T + W`, where `W` lives outside of both and is no longer than 1; those of the
largest singular value are the means of `u v^T`.
(A. Lewis, Derivatives of spectral functions, Mathematics of Operations Research 21, 1996.)
"""

import numpy as np

from tests.corpus.claim import claims
from tests.corpus.triangles import folded

TWICE = np.diag([2.0, 2.0, 1.0])
TURN = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))[0]
TURNED = TURN @ TWICE @ TURN.T
TURNED = 0.5 * (TURNED + TURNED.T)
RANK_ONE = np.outer([1.0, 0.0, 0.0], [0.0, 2.0, 0.0])
WIDE = np.array([[3.0, 0.0, 0.0], [0.0, 0.0, 0.0]])


def low(gradient):
    """A symmetric gradient by the lower triangle, which is the one that is read."""
    return folded(np.array(gradient), np.tril)


def pair(*v):
    return low(np.outer(v, v))


def largest(x):
    """The largest eigenvalue of the lower triangle, mirrored."""
    return np.linalg.eigvalsh(x)[-1]


def block(corner):
    """A matrix of two rows as the corner of one of three."""
    whole = np.zeros((3, 3))
    whole[:2, :2] = corner
    return whole


OFF = [[1.0, 0.5], [0.5, 0.0]]  # each number between its slopes, and an eigenvalue below 0

CLAIMS = [
    *claims("the largest eigenvalue where two are equal", largest, TWICE, lambda x: pair(0.6, 0.8, 0.0),
        "v v^T of a unit vector", own="kink",
        wrong={"both": lambda x: np.diag([1.0, 1.0, 0.0]), "of no vector": lambda x: low(block(OFF)),
            "the other one": lambda x: pair(0.0, 0.0, 1.0), "a thousandth more": lambda x: 1.001 * pair(0.6, 0.8, 0.0),
            "mirrored": lambda x: np.outer([0.6, 0.8, 0.0], [0.6, 0.8, 0.0])}),
    *claims("the same, the mean of both", largest, TWICE, lambda x: np.diag([0.5, 0.5, 0.0]), "a mean", own=None,
        truth="kink"),
    *claims("the largest eigenvalue where rounding parts two", largest, TURNED,
        lambda x: low(TURN @ block([[0.5, 0.0], [0.0, 0.5]]) @ TURN.T), "equal to the last digit", own="kink",
        wrong={"both": lambda x: low(TURN @ block(np.eye(2)) @ TURN.T)}),
    *claims("the smallest eigenvalue of the identity", lambda x: np.linalg.eigvalsh(x)[0], np.eye(2),
        lambda x: pair(1.0, 0.0), "v v^T of any unit vector", own="kink",
        wrong={"the trace": np.array, "nothing": np.zeros_like}),
    *claims("the spread of equal eigenvalues", lambda x: np.linalg.eigvalsh(x)[-1] - np.linalg.eigvalsh(x)[0],
        3 * np.eye(2), lambda x: low([[0.6, 0.5], [0.5, -0.6]]), "without a trace, and no eigenvalue larger than 1",
        own="kink", wrong={"too long": lambda x: low([[0.8, 0.8], [0.8, -0.8]])}),
    *claims("the larger of an eigenvalue and the other's size", lambda x: np.max(np.abs(np.linalg.eigvalsh(x))),
        np.diag([1.0, -1.0]), lambda x: np.diag([0.5, -0.5]), "the mean of both sides", own="kink",
        wrong={"both": lambda x: np.diag([1.0, -1.0])}),
    *claims("the sum of the two largest, the second and the third equal", lambda x: np.sum(np.linalg.eigvalsh(x)[-2:]),
        np.diag([3.0, 2.0, 2.0]), lambda x: np.diag([1.0, 0.5, 0.5]), "the first, and a mean of the others", own="kink",
        wrong={"all": lambda x: np.eye(3), "the first": lambda x: np.diag([1.0, 0.0, 0.0])}),
    *claims("the sum of the two largest, which are equal", lambda x: np.sum(np.linalg.eigvalsh(x)[-2:]), TWICE,
        lambda x: np.diag([1.0, 1.0, 0.0]), "the trace of a part that stands apart",
        wrong={"one of them": lambda x: np.diag([1.0, 0.0, 0.0])}),
    *claims("a trace by eigenvalues that are equal", lambda x: np.sum(np.linalg.eigvalsh(x)), np.eye(3), np.array,
        "the trace", wrong={"of one": lambda x: np.diag([1.0, 0.0, 0.0]), "twice": lambda x: 2 * x}),
    *claims("a log-determinant by eigenvalues that are equal", lambda x: np.sum(np.log(np.linalg.eigvalsh(x))), TWICE,
        np.linalg.inv, "smooth, as the determinant is", wrong={"the matrix": lambda x: x}),
    *claims("a log-determinant by eigenvalues that rounding parts", lambda x: np.sum(np.log(np.linalg.eigvalsh(x))),
        TURNED, lambda x: low(np.linalg.inv(x)), "smooth, as the determinant is", wrong={"mirrored": np.linalg.inv}),
    *claims("the spectral norm where two are equal", lambda x: np.linalg.norm(x, 2), TWICE,
        lambda x: np.outer([0.6, 0.8, 0.0], [0.6, 0.8, 0.0]), "u v^T of a pair", own="kink",
        wrong={"both": lambda x: np.diag([1.0, 1.0, 0.0]),
            "of unlike vectors": lambda x: np.outer([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])}),
    *claims("the spectral norm at 0", lambda x: np.linalg.norm(x, 2), np.zeros((2, 2)),
        lambda x: np.array([[0.5, 0.0], [0.0, -0.5]]), "singular values that add up to no more than 1", own="kink",
        wrong={"more than 1": lambda x: 0.6 * np.eye(2)}),
    *claims("the sum of the singular values at a low rank", lambda x: np.linalg.norm(x, "nuc"), RANK_ONE,
        lambda x: np.outer([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]), "u v^T", own="kink",
        wrong={"too much outside": lambda x: np.array([[0, 1, 0], [0.8, 0, 0.8], [0.8, 0, 0.8]]),
            "nothing": np.zeros_like, "half": lambda x: 0.5 * np.outer([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])}),
    *claims("the same, and something outside", lambda x: np.linalg.norm(x, "nuc"), RANK_ONE,
        lambda x: np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [-0.4, 0.0, 0.4]]),
        "u v^T, and a matrix outside of both that is no longer than 1", own=None, truth="kink"),
    *claims("the sum of the singular values at 0", lambda x: np.linalg.norm(x, "nuc"), np.zeros((2, 2)),
        lambda x: 0.45 * np.ones((2, 2)), "no singular value larger than 1", own="kink",
        wrong={"larger": lambda x: 0.6 * np.ones((2, 2)), "a little larger": lambda x: 0.5001 * np.ones((2, 2))}),
    *claims("the sum of the singular values of a wide matrix of rank 1",
        lambda x: np.sum(np.linalg.svd(x, compute_uv=False)), WIDE,
        lambda x: np.array([[1.0, 0.0, 0.0], [0.0, 0.6, 0.8]]), "u v^T, and a matrix outside", own="kink",
        wrong={"inside": lambda x: np.array([[1.0, 0.5, 0.0], [0.0, 0.0, 0.0]])}),
    *claims("the sum of singular values that are equal", lambda x: np.linalg.norm(x, "nuc"),
        np.array([[0.0, 2.0], [-2.0, 0.0]]), lambda x: x / 2, "the nearest rotation",
        wrong={"the matrix": lambda x: x}),
    *claims("the smallest singular value, which is 0", lambda x: np.linalg.norm(x, -2), np.diag([2.0, 1.0, 0.0]),
        lambda x: np.diag([0.0, 0.0, -0.7]), "between u v^T and its negative", own="kink",
        wrong={"too much": lambda x: np.diag([0.0, 0.0, 1.2]), "of another": lambda x: np.diag([0.0, 0.5, 0.0])}),
    *claims("the condition of the identity", np.linalg.cond, np.eye(2), lambda x: np.array([[0.5, 0.0], [0.0, -0.5]]),
        "of equal singular values the means of u v^T, less those of others", own="kink",
        wrong={"with a trace": lambda x: np.eye(2)}),
    *claims("the length of a matrix by singular values that are equal",
        lambda x: np.sqrt(np.sum(np.linalg.svd(x, compute_uv=False) ** 2)), np.eye(2), lambda x: x / np.sqrt(2),
        "the Frobenius norm", wrong={"not halved": np.array}),
    *claims("the largest eigenvalue along a line of equal ones", lambda t: np.linalg.eigvalsh(t * np.eye(2))[-1], 2.0,
        lambda t: 1.0, "t itself", wrong={"both": lambda t: 2.0}),
]  # fmt: skip
