"""The energy of a reading whose noise is correlated."""

import numpy as np


def energy(reading, spread):
    """Half the squared distance in the metric of the covariance, and half the logarithm of its determinant."""
    covariance = np.diag(spread) + 0.5
    weights = np.linalg.solve(covariance, reading)
    root = np.linalg.cholesky(covariance)
    return 0.5 * reading @ weights + np.sum(np.log(np.diag(root)))
