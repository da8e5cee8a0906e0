"""The score and the Hessian of statsmodels' negative binomial model, before it is fitted."""

import numpy as np
from statsmodels.discrete.discrete_model import NegativeBinomial

COUNTS = np.array([0.0, 1.0, 4.0, 2.0, 7.0])
model = NegativeBinomial(COUNTS, np.column_stack([np.ones(5), np.linspace(-1.0, 1.0, 5)]))


def score(params):
    """The gradient of the log likelihood by two coefficients and log(alpha)."""
    return model.score(params)


def hessian(params):
    """The Hessian."""
    return model.hessian(params)


def corrected(params):
    """The Hessian by the same three numbers, where alpha changes by alpha times the change of its logarithm."""
    alpha = np.exp(params[-1])
    by_log = np.diag([1.0, 1.0, alpha])
    return by_log @ model.hessian(params) @ by_log + np.diag([0.0, 0.0, model.score(params)[-1]])
