"""Claims about NumPy code: models, matrices, long vectors with one wrong entry."""

import math

import numpy as np

from tests.corpus.claim import claims

RNG = np.random.default_rng(7)
A = RNG.standard_normal((6, 4))
B = RNG.standard_normal(6)
S = np.array([[4.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 2.0]])
LONG = RNG.uniform(0.5, 2.0, 500)
WIDE = np.geomspace(1e-9, 1e3, 500)
LABELS = np.array([1.0, -1.0, 1.0, 1.0, -1.0, 1.0])


def least_squares(w):
    residual = A @ w - B
    return 0.5 * np.sum(residual**2)


def grad_least_squares(w):
    return A.T @ (A @ w - B)


def grad_mean_squares(w):
    """2/n of the transposed matrix on the residual."""
    return 2 / len(B) * A.T @ (A @ w - B)


def grad_skewed(w):
    """The coefficients, and each row sum with each column sum."""
    return np.arange(9.0).reshape(3, 3) + w.sum(axis=0)[:, None] + w.sum(axis=1)[None, :]


def logistic(w):
    return np.sum(np.log1p(np.exp(-LABELS * (A @ w))))


def grad_logistic(w):
    return A.T @ (-LABELS / (1 + np.exp(LABELS * (A @ w))))


def softmax_loss(x):
    shifted = x - np.max(x)
    return np.log(np.sum(np.exp(shifted))) - shifted[0]


def grad_softmax_loss(x):
    share = np.exp(x - np.max(x))
    share /= np.sum(share)
    share[0] -= 1
    return share


def weighted(x):
    return np.sum(WIDE * np.sin(x))


def grad_weighted(x):
    return WIDE * np.cos(x)


def spoiled(gradient, place, change):
    """A gradient with one number changed."""

    def wrong(x):
        found = gradient(x).copy()
        found[place] = change(found[place])
        return found

    return wrong


def cumulative(x):
    """The sum of the running products."""
    total, product = 0.0, 1.0
    for n in range(len(x)):
        product = product * x[n]
        total = total + product
    return total


def grad_cumulative(x):
    """Each product less one factor, summed over those that have it."""
    others = [[np.prod(np.delete(x[: m + 1], n)) if n <= m else 0.0 for m in range(len(x))] for n in range(len(x))]
    return np.sum(others, axis=1)


def perceptron(w, v):
    return np.sum(np.tanh(A @ w) @ v)


def grad_perceptron(w, v):
    hidden = np.tanh(A @ w)
    return A.T @ ((1 - hidden**2) * v), hidden


def gaussian(x):
    return 0.5 * x @ np.linalg.inv(S) @ x + 0.5 * np.log(np.linalg.det(S)) + 1.5 * np.log(2 * np.pi)


def chain(x):
    return np.sum((x[1:] - x[:-1]) ** 2) + np.sum(np.cos(x))


def grad_chain(x):
    found = -np.sin(x)
    found[1:] += 2 * (x[1:] - x[:-1])
    found[:-1] -= 2 * (x[1:] - x[:-1])
    return found


W = np.array([0.3, -1.2, 0.8, 2.0])
X3 = np.array([0.5, -1.0, 2.0])
M = np.arange(1.0, 10.0).reshape(3, 3) / 7

CLAIMS = [
    *claims("the nuclear norm of a symmetric matrix", lambda a: np.linalg.norm(a, "nuc"),
        np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]]), lambda a: np.eye(3),
        "its trace; beside the diagonal all that is left of the slopes is rounding",
        wrong={"beside the diagonal": lambda a: np.eye(3) + 1e-6 * np.tri(3, k=-1)}),
    *claims("least squares", least_squares, W, grad_least_squares,
        wrong={"twice": lambda w: 2 * grad_least_squares(w), "without the residual's B": lambda w: A.T @ (A @ w),
            "the sign": lambda w: -grad_least_squares(w),
            "a millionth in one": spoiled(grad_least_squares, 2, lambda g: g * (1 + 1e-6))}),
    *claims("least squares at the fit", least_squares, np.linalg.lstsq(A, B)[0], grad_least_squares,
        "0 but for rounding", wrong={"a millionth": lambda w: np.full(4, 1e-6)}),
    *claims("a mean of squares", lambda w: np.mean((A @ w - B) ** 2), W, grad_mean_squares,
        wrong={"without the 1/n": lambda w: len(B) * grad_mean_squares(w),
            "without the 2": lambda w: grad_mean_squares(w) / 2}),
    *claims("a quadratic form", lambda x: x @ S @ x, X3, lambda x: 2 * S @ x, "S is symmetric",
        wrong={"without the 2": lambda x: S @ x, "shifted": lambda x: np.roll(2 * S @ x, 1),
            "reversed": lambda x: (2 * S @ x)[::-1]}),
    *claims("a matrix", lambda w: np.sum(w * np.arange(9.0).reshape(3, 3)) + np.sum(w @ w), M, grad_skewed,
        wrong={"transposed": lambda w: grad_skewed(w).T}),
    *claims("the logistic loss", logistic, W, grad_logistic,
        wrong={"the sign": lambda w: -grad_logistic(w),
            "the other share": lambda w: A.T @ (LABELS / (1 + np.exp(-LABELS * (A @ w))))}),
    *claims("softmax", softmax_loss, np.array([2.0, -1.0, 0.5]), grad_softmax_loss,
        wrong={"without the label": lambda x: np.exp(x) / np.sum(np.exp(x))}),
    *claims("softmax, far apart", softmax_loss, np.array([20.0, -20.0, 3.0]), grad_softmax_loss,
        wrong={"the least one 0": spoiled(grad_softmax_loss, 1, lambda g: 0.0)}),
    *claims("500 numbers", weighted, LONG, grad_weighted,
        wrong={"one of 500, 1e-9 in size": spoiled(grad_weighted, 0, lambda g: 2 * g),
            "one of 500, 1e-9 in size, missing": spoiled(grad_weighted, 0, lambda g: 0.0),
            "one of 500, a millionth": spoiled(grad_weighted, 499, lambda g: g * (1 + 1e-6)),
            "the sign of one in the middle": spoiled(grad_weighted, 250, lambda g: -g)}, quick=False),
    *claims("500 numbers that ought to be 0", lambda x: np.sum(x[:250] ** 2), LONG,
        lambda x: np.where(np.arange(500) < 250, 2 * x, 0.0),
        wrong={"one is a millionth": lambda x: np.where(np.arange(500) < 250, 2 * x, 1e-6 * (np.arange(500) == 400))},
        quick=False),
    *claims("a chain of 60", chain, np.linspace(-2, 2, 60), grad_chain,
        wrong={"one end": spoiled(grad_chain, 0, lambda g: g + 1e-4),
            "the middle": spoiled(grad_chain, 30, lambda g: -g)}, quick=False),
    *claims("running products with a zero", cumulative, np.array([2.0, 0.0, 3.0, -1.0]), grad_cumulative,
        wrong={"by division": lambda x: np.array([cumulative(x) / 2, 0.0, 0.0, 0.0])}),
    *claims("running products with two zeros", cumulative, np.array([2.0, 0.0, 3.0, 0.0]), grad_cumulative,
        wrong={"nothing": lambda x: np.zeros(4)}),
    *claims("two layers", perceptron, (W, B), grad_perceptron,
        wrong={"without tanh'": lambda w, v: (A.T @ v, np.tanh(A @ w)),
            "a sign in the second": lambda w, v: (grad_perceptron(w, v)[0], -np.tanh(A @ w))}),
    *claims("a normal density", gaussian, X3, lambda x: np.linalg.solve(S, x),
        wrong={"S for its inverse": lambda x: S @ x}),
    *claims("an inner product with itself", lambda x: np.dot(x, x), X3, lambda x: 2 * x, wrong={"once": lambda x: x}),
    *claims("a mean", np.mean, X3, lambda x: np.full(3, 1 / 3), wrong={"ones": lambda x: np.ones(3)}),
    *claims("a variance", np.var, X3, lambda x: 2 * (x - np.mean(x)) / 3, own=None,
        wrong={"of a sample": lambda x: x - np.mean(x)}),
    *claims("a product", np.prod, X3, lambda x: np.prod(x) / x, wrong={"the value": lambda x: np.full(3, np.prod(x))}),
    *claims("a norm", lambda x: np.sqrt(np.sum(x**2)), X3, lambda x: x / math.sqrt(np.sum(x**2)),
        wrong={"of the square": lambda x: 2 * x}),
    *claims("sorted and weighted", lambda x: np.sum(np.sort(x) * np.array([1.0, 2.0, 4.0])), X3,
        lambda x: np.array([2.0, 1.0, 4.0]), wrong={"not sorted back": lambda x: np.array([1.0, 2.0, 4.0])}),
    *claims("a middle value", lambda x: np.median(x), np.array([3.0, 1.0, 7.0]), lambda x: np.array([1.0, 0.0, 0.0]),
        own=None, wrong={"of the mean": lambda x: np.full(3, 1 / 3)}),
    *claims("a largest value", np.max, X3, lambda x: np.array([0.0, 0.0, 1.0]),
        wrong={"of the least": lambda x: np.array([0.0, 1.0, 0.0])}),
    *claims("a gathered sum", lambda x: np.sum(x[[0, 0, 2]] ** 2), X3, lambda x: np.array([4 * x[0], 0.0, 2 * x[2]]),
        wrong={"each once": lambda x: np.array([2 * x[0], 0.0, 2 * x[2]])}),
    *claims("a broadcast", lambda x, y: np.sum(x[:, None] * y), (X3, M),
        lambda x, y: (y.sum(1), np.tile(x[:, None], (1, 3))),
        wrong={"the wrong axis": lambda x, y: (y.sum(0), np.tile(x[:, None], (1, 3)))}),
    *claims("a step function in the middle", lambda x: np.sum(np.where(x > 0, x**2, 0.0)), X3,
        lambda x: np.where(x > 0, 2 * x, 0.0), wrong={"everywhere": lambda x: 2 * x}),
]  # fmt: skip
