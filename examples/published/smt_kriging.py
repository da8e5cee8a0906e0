"""The variance that the kriging of smt predicts with a linear trend, and its gradient."""

import numpy as np
from scipy.linalg import solve_triangular
from smt.surrogate_models import KRG

POINTS = np.array([[0.0, 0.3], [0.4, 1.0], [0.9, 0.1], [0.6, 0.5], [0.2, 0.8], [1.0, 0.9]])

kriging = KRG(poly="linear", theta0=[1.0, 1.0], hyper_opt="NoOp", print_global=False)
kriging.set_training_values(POINTS, np.sin(3 * POINTS[:, 0]) + POINTS[:, 1] ** 2)
kriging.train()


def variance(x):
    """The variance at a point."""
    return kriging.predict_variances(x[None])[0, 0]


def gradient(x):
    """The gradient that comes with it."""
    return kriging.predict_variance_gradient(x[None])[0]


def variance_corrected(x):
    """The variance with `lower=True` in the second solve too: G is upper triangular, and its transpose is not."""
    fitted = kriging.optimal_par
    scaled = (x - kriging.X_offset) / kriging.X_scale
    correlation = np.exp(-((scaled - kriging.X_norma) ** 2) @ kriging.optimal_theta)
    r = solve_triangular(fitted["C"], correlation, lower=True)
    trend = np.concatenate([[1.0], scaled])
    u = solve_triangular(fitted["G"].T, fitted["Ft"].T @ r - trend, lower=True)
    return fitted["sigma2"][0] * (1 - r @ r + u @ u)
