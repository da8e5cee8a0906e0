"""Claims about Hessians where the gradient itself has a kink: each side has a Hessian of its own."""

from functools import partial

import numpy as np

from tests.corpus.claim import claims

hessians = partial(claims, of="hessian", quick=False, own=None, truth="kink")
products = partial(claims, of="hvp", quick=False, own=None, truth="kink")

I2 = np.eye(2)
APART = np.array([[1.0, -1.0], [-1.0, 1.0]])
ROW = np.array([1.0, 2.0])
UNIT = np.array([0.6, 0.8])


def pieces(x):
    return x**2 if x < 1 else 2 * x - 1


def squared_hinge(w):
    return np.maximum(1.0 - w @ ROW, 0.0) ** 2


CLAIMS = [
    *hessians("second: x times abs at 0", lambda x: x * abs(x), 0.0, lambda x: 0.5, "-2 to the left and 2 to the right",
        own="kink", wrong={"above": lambda x: 2.5, "below": lambda x: -3.0}),
    *hessians("second: x times abs at 0, its right side", lambda x: x * abs(x), 0.0, lambda x: 2.0, "-2 and 2"),
    *hessians("second: a squared positive part at 0", lambda x: np.maximum(x, 0.0) ** 2, np.float64(0.0), lambda x: 1.3,
        "0 and 2", own="kink", wrong={"above": lambda x: 2.2, "below 0": lambda x: -0.1}),
    *hessians("second: a squared positive part by Python's max", lambda x: max(0.0, x) ** 2, 0.0, lambda x: 2.0,
        "0 and 2", wrong={"twice": lambda x: 4.0}),
    *hessians("second: a square and a cube that meet", lambda x: np.sum(np.where(x > 0, x**3, x**2)),
        np.array([0.0, 1.0]), lambda x: np.diag([1.0, 6.0]), "2 and 0 at 0",
        wrong={"above": lambda x: np.diag([3.0, 6.0]), "the other piece beside it": lambda x: np.diag([1.0, 2.0])}),
    *hessians("second: huber at its seam", lambda x: np.sum(np.where(np.abs(x) <= 1, 0.5 * x**2, np.abs(x) - 0.5)),
        np.array([1.0, 0.3]), lambda x: np.diag([1.0, 1.0]), "1 and 0",
        wrong={"above": lambda x: np.diag([1.5, 1.0]), "flat inside": lambda x: np.diag([0.5, 0.0])}),
    *hessians("second: a parabola and its tangent", pieces, 1.0, lambda x: 1.0, "2 and 0",
        wrong={"the sign": lambda x: -1.0, "a hundredth above": lambda x: 2.02}),
    *hessians("second: a parabola and its tangent, the tangent", pieces, 1.0, lambda x: 0.0, "2 and 0"),
    *hessians("second: a squared hinge at its margin", squared_hinge, np.array([1.0, 0.0]),
        lambda w: 2 * np.outer(ROW, ROW), "0 and twice the outer product",
        wrong={"without the cross terms": lambda w: np.diag([2.0, 8.0]), "the identity": lambda w: 2 * I2,
            "too much": lambda w: 3 * np.outer(ROW, ROW)}),
    *hessians("second: a squared hinge at its margin, half of it", squared_hinge, np.array([1.0, 0.0]),
        lambda w: np.outer(ROW, ROW), "0 and twice the outer product"),
    *hessians("second: the squared excess of one over the other", lambda x: np.maximum(x[0] - x[1], 0.0) ** 2,
        np.array([2.0, 2.0]), lambda x: APART, "0 and 2 of what tells them apart",
        wrong={"without the cross terms": lambda x: 2 * I2,
            "not symmetric": lambda x: np.array([[1.0, -2.0], [0.0, 1.0]]),
            "the sign of the cross terms": lambda x: np.ones((2, 2))}),
    *hessians("second: a bent slope beside a square", lambda x: x[0] * np.abs(x[0]) + x[1] ** 2, np.zeros(2),
        lambda x: np.diag([-1.0, 2.0]), "-2 and 2 beside 2",
        wrong={"half of the square": lambda x: np.diag([0.5, 1.0]),
            "a cross term": lambda x: np.array([[0.0, 1.0], [0.0, 2.0]])}),
    *hessians("second: a sum of bent slopes", lambda x: np.sum(x * np.abs(x)), np.array([0.0, 2.0, -1.0]),
        lambda x: np.diag([1.0, 2.0, -2.0]), "-2 and 2 at 0",
        wrong={"the sign of one": lambda x: np.diag([1.0, 2.0, 2.0]), "above": lambda x: np.diag([3.0, 2.0, -2.0])}),
    *hessians("second: beyond a soft threshold, squared", lambda x: max(abs(x) - 1.0, 0.0) ** 2, -1.0, lambda x: 0.7,
        "2 and 0", wrong={"above": lambda x: 2.1}),
    *hessians("second: a squared positive part times another number", lambda x: np.maximum(x[0], 0.0) ** 2 * x[1],
        np.array([0.0, 3.0]), lambda x: np.array([[6.0, 0.0], [0.0, 0.0]]), "0 and 6; what is mixed is 0",
        wrong={"something mixed": lambda x: np.array([[6.0, 1.0], [1.0, 0.0]]),
            "above": lambda x: np.array([[7.0, 0.0], [0.0, 0.0]])}),
    *hessians("second: the squared distance from a disc, at its edge",
        lambda x: np.maximum(np.linalg.norm(x) - 1.0, 0.0) ** 2, UNIT, lambda x: np.outer(x, x),
        "0 inside, 2 along the radius outside",
        wrong={"to all sides": lambda x: I2, "across": lambda x: 2 * np.array([[0.64, -0.48], [-0.48, 0.36]])}),
    *products("second: a sum of bent slopes, times a vector", lambda x: np.sum(x * np.abs(x)), np.zeros(2),
        lambda x, v: v, "between -2 v and 2 v", wrong={"beyond": lambda x, v: 3 * v}),
    *products("second: a squared hinge at its margin, times a vector", squared_hinge, np.array([1.0, 0.0]),
        lambda w, v: ROW * (ROW @ v), "between 0 and twice the outer product",
        wrong={"elementwise": lambda w, v: ROW * ROW * v, "the sign": lambda w, v: -ROW * (ROW @ v)}),
]  # fmt: skip
