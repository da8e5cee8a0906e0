"""The squared distance of a polynomial from the sign of its variable, at evenly spaced places."""

import numpy as np

from benchmarks.gradbench.evaluation import Evaluation, gradient, listed, plain


def objective(x, n):
    t = np.linspace(-1.0, 1.0, n)
    value = np.zeros(n)
    for coefficient in x[::-1]:  # Horner
        value = value * t + coefficient
    return 0.5 * np.sum((np.sign(t) - value) ** 2)


def arguments(given):
    return np.array(given["x"]), given["n"]


MODULE = {
    "primal": Evaluation(arguments, plain(objective), float),
    "gradient": Evaluation(arguments, gradient(objective), listed),
}
