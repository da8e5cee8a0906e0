# Derived by gradcli: gradcli.derive(energy, at=…)

import numpy as np


def cholesky_pull(ct, root):
    """The sensitivity to the lower triangle of root @ root.T; Murray, arXiv:1602.07527, equation 10."""
    halved = 1 + np.eye(len(root), dtype=ct.dtype)
    inner = np.tril(root.T @ ct) / halved
    outer = np.linalg.solve(root.T, np.linalg.solve(root.T, inner).T)
    return np.tril(outer + outer.T) / halved


def grad_energy(reading, spread):
    """The gradient of energy (correlated_noise.py) by reading and spread.

    s_x is the sensitivity of the result to x: how much the result changes when
    x does, relative to that change.
    """
    assert reading.ndim == 1, "reading is an array with 1 axis"
    assert spread.ndim == 1, "spread is an array with 1 axis"
    assert reading.dtype.kind in "fc", "reading holds floats"
    assert spread.dtype.kind in "fc", "spread holds floats"
    covariance = np.diag(spread) + 0.5
    weights = np.linalg.solve(covariance, reading)
    root = np.linalg.cholesky(covariance)
    # return 0.5 * reading @ weights + np.sum(np.log(np.diag(root)))
    s_root = np.diag(1.0 / np.diag(root))
    s_weights = 0.5 * reading
    s_reading = 0.5 * weights
    # root = np.linalg.cholesky(covariance)
    s_covariance = cholesky_pull(s_root, root)
    # weights = np.linalg.solve(covariance, reading)
    solved = np.linalg.solve(covariance.T, s_weights)
    s_reading = s_reading + solved
    s_covariance = s_covariance - np.outer(solved, weights)
    # covariance = np.diag(spread) + 0.5
    return s_reading, np.diag(s_covariance)
