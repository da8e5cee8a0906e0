"""Claims about norms at 0: the gradients there are the vectors whose dual norm is no more than 1."""

import numpy as np

from tests.corpus.claim import claims

DUAL = "the dual norm is no more than 1"
WAY = np.array([0.6, 0.0, -0.8])


def at_zero(name, order, right, wrong, **options):
    """The claims about a norm of vectors at 0."""
    return claims(
        f"the norm of order {name} at 0",
        lambda x: np.linalg.norm(x, order),
        np.zeros(3),
        lambda x: np.array(right),
        DUAL,
        own="kink",
        wrong={what: lambda x, g=g: np.array(g) for what, g in wrong.items()},
        **options,
    )


def of_a_matrix(name, order, right, wrong):
    """The claims about a norm of matrices at 0."""
    return claims(
        f"the matrix norm {name} at 0",
        lambda x: np.linalg.norm(x, order),
        np.zeros((2, 2)),
        lambda x: np.array(right),
        DUAL,
        own="kink",
        wrong={"longer": lambda x: np.array(wrong)},
    )


def of_many(order, size, quick=False):
    """The claims about the edge of the gradients of a norm of many numbers at 0, of which samples show few.

    For another order than 2 the edge is farthest off along another direction than that of the candidate.
    """
    numbers, dual = np.cos(np.arange(size)), order / (order - 1)
    edge = numbers / np.linalg.norm(numbers, dual)
    longer = {f"{factor} times too long": lambda x, factor=factor: factor * edge for factor in (1.1, 1.01, 1.001)}
    name, f = f"the norm of order {order:g} of {size} numbers at 0", lambda x: np.linalg.norm(x, order)
    within = claims(
        f"{name}, within", f, np.zeros(size), lambda x: 0.999 * edge, DUAL, own=None, truth="kink", quick=quick
    )
    return within + claims(name, f, np.zeros(size), lambda x: edge, DUAL, own="kink", wrong=longer, quick=quick)


def concave(size):
    """The claims about a norm that is taken off, beside a slope."""
    edge = np.cos(np.arange(size)) / np.linalg.norm(np.cos(np.arange(size)), 1.5)
    return claims(
        f"a slope less the norm of order 3 of {size} numbers at 0",
        lambda x: 2 * np.sum(x) - np.linalg.norm(x, 3),
        np.zeros(size),
        lambda x: 2 + edge,
        DUAL,
        own="kink",
        wrong={"a hundredth longer": lambda x: 2 + 1.01 * edge},
    )


def difference(seed):
    """A gradient of a difference of lengths beside 0, which is one at 0 too, though few gradients are near to it."""
    turn, beside = np.random.default_rng(seed).normal(size=(6, 6)), np.cos(np.arange(6) + seed)
    there = beside / np.linalg.norm(beside) - turn.T @ (turn @ beside) / np.linalg.norm(turn @ beside)
    return claims(
        f"a difference of lengths at 0, {seed}",
        lambda x: np.linalg.norm(x) - np.linalg.norm(turn @ x),
        np.zeros(6),
        lambda x: there,
        "the gradient at all points in one direction",
        own=None,
        truth="kink",
        quick=False,
    )


CUBE = np.array([1.0, -1.0, 1.0]) / 3 ** (2 / 3)  # of order 3/2, the dual of 3

CLAIMS = [
    *at_zero("2", 2, WAY, {"a millionth longer": 1.00001 * WAY, "twice": 2 * WAY}),
    *of_many(2, 5, quick=True),
    *of_many(2, 10),
    *of_many(2, 30),
    *of_many(2, 60),
    *of_many(3, 5, quick=True),
    *(
        claim
        for order in (1.5, 3, 4)
        for size in (3, 5, 10, 30)
        if (order, size) != (3, 5)
        for claim in of_many(order, size)
    ),
    *concave(5),
    *(claim for seed in (7, 13, 23) for claim in difference(seed)),
    *at_zero("1", 1, [1.0, -1.0, 0.3], {"one beyond": [1.0, -1.0, 1.1]}),
    *at_zero("inf", np.inf, [0.5, -0.2, 0.3], {"too much together": [0.5, -0.3, 0.3], "each": [1.0, 1.0, 1.0]}),
    *at_zero("3", 3, CUBE, {"a little longer": 1.001 * CUBE, "of order 2": [1.0, 1.0, 1.0]}),
    *at_zero("3/2", 1.5, [0.5, 0.5, -0.5], {"a little longer": 1.001 * np.ones(3) / 3 ** (1 / 3)}),
    *claims("the least size at 0", lambda x: np.linalg.norm(x, -np.inf), np.zeros(2), lambda x: np.zeros(2),
        "0 along both axes, and 1 along the diagonal", own="kink",
        wrong={"more than 1": lambda x: np.array([0.7, 0.7])}),
    *claims("the norm of order 1/2 at 0", lambda x: np.linalg.norm(x, 0.5), np.zeros(2), lambda x: np.array([0.3, 0.3]),
        "slopes of 1 along the axes, and steeper ones between without a bound", own=None, truth="kink"),
    *claims("norms along an axis, one of them at 0", lambda x: np.sum(np.linalg.norm(x, axis=1)),
        np.array([[3.0, 4.0], [0.0, 0.0]]), lambda x: np.array([[0.6, 0.8], [0.6, 0.8]]), DUAL, own="kink",
        wrong={"longer": lambda x: np.array([[0.6, 0.8], [0.8, 0.8]]), "of the first": lambda x: np.full((2, 2), 0.6)}),
    *of_a_matrix("fro", "fro", [[0.5, 0.5], [-0.5, 0.5]], [[0.6, 0.5], [-0.5, 0.5]]),
    *of_a_matrix("1", 1, [[0.7, -0.3], [-0.7, 0.3]], [[0.8, -0.3], [-0.7, 0.3]]),
    *of_a_matrix("inf", np.inf, [[0.7, -0.7], [-0.3, 0.3]], [[0.8, -0.7], [-0.3, 0.3]]),
    *of_a_matrix("nuc", "nuc", [[0.6, 0.8], [-0.8, 0.6]], [[0.8, 0.8], [-0.8, 0.8]]),
    *claims("a distance to a point that is there",
        lambda x: np.linalg.norm(x - np.array([1.0, 2.0])) + 0.5 * np.sum(x**2), np.array([1.0, 2.0]),
        lambda x: x + np.array([0.6, 0.8]), "a unit vector beside the point itself", own="kink",
        wrong={"a thousandth longer": lambda x: x + 1.001 * np.array([0.6, 0.8])}),
    *claims("a distance squared to a point that is there", lambda x: np.linalg.norm(x - np.array([1.0, 2.0])) ** 2,
        np.array([1.0, 2.0]), lambda x: 0 * x, "smooth", wrong={"a thousandth": lambda x: 0 * x + 1e-3}),
    *claims("the length of a complex number at 0", abs, 0j, lambda z: 0.6 - 0.8j, "no longer than 1", own="kink",
        wrong={"longer": lambda z: 0.8 + 0.8j}),
]  # fmt: skip
