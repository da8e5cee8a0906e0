"""Claims about Hessians at a kink that the rest of the program smooths out."""

import math
from functools import partial

import numpy as np

from tests.corpus.claim import claims

hessians = partial(claims, of="hessian", quick=False)
products = partial(claims, of="hvp", quick=False)

I2, J2 = np.eye(2), np.ones((2, 2))
APART = np.array([[1.0, -1.0], [-1.0, 1.0]])
CENTRE = np.array([1.0, 2.0])


def relu(x):
    return max(0.0, x)


def bump(x):
    return np.exp(-(np.linalg.norm(x - CENTRE) ** 2) / 2)


def spread(x):
    return np.std(x) ** 2


CLAIMS = [
    *hessians("second: a norm squared at 0", lambda x: np.linalg.norm(x) ** 2, np.zeros(2), lambda x: 2 * I2, "x @ x",
        wrong={"nothing": lambda x: 0 * I2, "half": lambda x: I2}),
    *products("second: a norm squared at 0, times a vector", lambda x: np.linalg.norm(x) ** 2, np.zeros(3),
        lambda x, v: 2 * v, "2 I v",
        wrong={"nothing": lambda x, v: 0 * v, "the gradient": lambda x, v: 2 * x + v, "ones": lambda x, v: 2 + 0 * v}),
    *hessians("second: abs squared at 0", lambda x: abs(x) ** 2, 0.0, lambda x: 2.0, "x**2",
        wrong={"nothing": lambda x: 0.0, "one": lambda x: 1.0}),
    *hessians("second: abs times abs at 0", lambda x: np.sum(np.abs(x) * np.abs(x)), np.array([0.0, -1.0]),
        lambda x: 2 * I2, "x @ x", wrong={"nothing at 0": lambda x: np.diag([0.0, 2.0])}),
    *hessians("second: the variance of two alike by its root", spread, np.array([2.0, 2.0]), lambda x: APART / 2,
        "(a - b)**2 / 4",
        wrong={"nothing": lambda x: 0 * I2, "for one degree of freedom": lambda x: APART,
            "the diagonal": lambda x: I2 / 2}),
    *hessians("second: the variance of three alike by its root", spread, np.ones(3),
        lambda x: 2 / 3 * (np.eye(3) - 1 / 3), "the sum of squares about the mean, over 3",
        wrong={"without the mean": lambda x: 2 / 3 * np.eye(3),
            "the upper triangle": lambda x: np.triu(np.eye(3) - 1 / 3)}),
    *products("second: the variance of three alike, times a vector", spread, np.ones(3),
        lambda x, v: 2 / 3 * (v - np.mean(v)), "2/3 (I - J/3) v", wrong={"without the mean": lambda x, v: 2 / 3 * v}),
    *hessians("second: hypot squared at 0", lambda x: np.hypot(x[0], x[1]) ** 2, np.zeros(2), lambda x: 2 * I2, "x @ x",
        wrong={"nothing": lambda x: 0 * I2, "one": lambda x: I2}),
    *hessians("second: hypot to the fourth at 0", lambda x: math.hypot(x[0], x[1]) ** 4, np.zeros(2), why="(x @ x)**2",
        own=None, wrong={"one": lambda x: I2}),
    *hessians("second: relu and its mirror squared", lambda x: relu(x) ** 2 + relu(-x) ** 2, 0.0, lambda x: 2.0, "x**2",
        own=None, wrong={"one side": lambda x: 1.0, "nothing": lambda x: 0.0}),
    *hessians("second: maximum and minimum squared",
        lambda x: np.sum(np.maximum(x, 0.0) ** 2 + np.minimum(x, 0.0) ** 2), np.array([0.0, 1.0]), lambda x: 2 * I2,
        "x @ x", wrong={"shared": lambda x: np.diag([1.0, 2.0])}),
    *hessians("second: the larger times the smaller of two alike", lambda x: np.max(x) * np.min(x),
        np.array([3.0, 3.0]), lambda x: J2 - I2, "x * y",
        wrong={"shares": lambda x: J2 / 2, "nothing": lambda x: 0 * I2}),
    *hessians("second: the squares of the larger and the smaller of two alike",
        lambda x: np.maximum(x[0], x[1]) ** 2 + np.minimum(x[0], x[1]) ** 2, np.array([1.5, 1.5]), lambda x: 2 * I2,
        "x**2 + y**2", wrong={"shares": lambda x: J2}),
    *hessians("second: the squared span of two alike", lambda x: (np.max(x) - np.min(x)) ** 2, np.array([1.0, 1.0]),
        lambda x: 2 * APART, "(x - y)**2",
        wrong={"nothing": lambda x: 0 * I2, "without the cross terms": lambda x: 2 * I2}),
    *hessians("second: the squares of two alike in order", lambda x: np.sum(np.sort(x) ** 2), np.array([1.0, 1.0]),
        lambda x: 2 * I2, "x @ x", wrong={"mixed": lambda x: J2}),
    *hessians("second: a hyperbolic cosine of abs at 0", lambda x: math.cosh(abs(x)), 0.0, math.cosh, "cosh is even",
        wrong={"nothing": lambda x: 0.0, "the sign": lambda x: -1.0}),
    *hessians("second: a cosine of a length at 0", lambda x: np.cos(np.linalg.norm(x)), np.zeros(2), lambda x: -I2,
        "1 - (x @ x)/2 + ...", wrong={"nothing": lambda x: 0 * I2, "the sign": lambda x: I2}),
    *hessians("second: a Gaussian at its centre", bump, CENTRE, lambda x: -I2, "1 - r**2/2 + ...",
        wrong={"nothing": lambda x: 0 * I2, "a hundredth": lambda x: -1.01 * I2}),
    *products("second: a Gaussian at its centre, times a vector", bump, CENTRE, lambda x, v: -v, "minus I v",
        wrong={"the sign": lambda x, v: v, "the order of the vector": lambda x, v: -v[::-1]}),
    *hessians("second: a squared distance and a product", lambda x: np.linalg.norm(x - CENTRE) ** 2 + x[0] * x[1],
        CENTRE, lambda x: 2 * I2 + J2 - I2, "2 I and the cross terms of the product",
        wrong={"the product alone": lambda x: J2 - I2, "the distance alone": lambda x: 2 * I2}),
    *hessians("second: abs cubed at 0", lambda x: abs(x) ** 3, 0.0, lambda x: 6 * abs(x), "6 |x|",
        wrong={"six": lambda x: 6.0, "a thousandth": lambda x: 1e-3}),
    *hessians("second: abs to the power of 2.5 at 0", lambda x: np.sum(np.abs(x) ** 2.5), np.array([0.0, 4.0]),
        lambda x: np.diag([0.0, 7.5]), "3.75 sqrt(|x|)", wrong={"one": lambda x: np.diag([1.0, 7.5])}),
    *hessians("second: a fourth power by the norm of order 4", lambda x: np.linalg.norm(x, 4) ** 4,
        np.array([0.0, 1.0]), lambda x: np.diag([0.0, 12.0]), "x**4 + y**4",
        wrong={"cross terms": lambda x: np.array([[0.0, 1.0], [1.0, 12.0]])}),
    *hessians("second: the Frobenius norm of nothing, squared", lambda a: np.linalg.norm(a) ** 2, np.zeros((2, 2)),
        lambda a: 2 * np.eye(4).reshape(2, 2, 2, 2), "the sum of the squares",
        wrong={"nothing": lambda a: np.zeros((2, 2, 2, 2))}),
    *hessians("second: the root of a square, squared", lambda x: np.sqrt(np.sum(x**2)) ** 2, np.zeros(2),
        lambda x: 2 * I2, "x @ x", own=None, wrong={"nothing": lambda x: 0 * I2}),
]  # fmt: skip
