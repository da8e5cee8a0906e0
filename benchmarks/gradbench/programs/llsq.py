"""The squared distance of a polynomial from the sign of its variable, at evenly spaced places."""

import numpy as np

from benchmarks.gradbench.evaluation import Evaluation, gradient, listed, plain


def objective(x, n):
    t = np.linspace(-1.0, 1.0, n)
    residuals = np.sign(t) - np.vander(t, len(x), increasing=True) @ x
    return 0.5 * np.sum(residuals**2)


def arguments(given):
    return np.array(given["x"]), given["n"]


MODULE = {
    "primal": Evaluation(arguments, plain(objective), float),
    "gradient": Evaluation(arguments, gradient(objective), listed),
}
