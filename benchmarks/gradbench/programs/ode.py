"""A chain of linear differential equations, by Runge and Kutta's method of order four."""

import numpy as np

from benchmarks.gradbench.evaluation import Evaluation, gradient, listed, plain


def slope(x, y):
    return np.concatenate([x[:1], x[1:] * y[:-1]])


def solved(x, steps):
    y, h = np.zeros(len(x)), 2.0 / steps
    for _ in range(steps):
        k1 = slope(x, y)
        k2 = slope(x, y + h / 2 * k1)
        k3 = slope(x, y + h / 2 * k2)
        k4 = slope(x, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y


def last(x, steps):
    return solved(x, steps)[-1]


def arguments(given):
    return np.array(given["x"]), given["s"]


MODULE = {
    "primal": Evaluation(arguments, plain(solved), listed),
    "gradient": Evaluation(arguments, gradient(last), listed),
}
