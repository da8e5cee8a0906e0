"""The slope of pyglmnet's softplus loss along one coefficient, and the second derivative that comes with it."""

import numpy as np
from pyglmnet.pyglmnet import _gradhess_logloss_1d

FEATURE = np.array([0.5, -1.0, 2.0])
COUNTS = np.array([1.0, 0.0, 3.0])


def slope(coefficient):
    """The first of the two results."""
    return _gradhess_logloss_1d("softplus", FEATURE, COUNTS, coefficient * FEATURE, 2.0)[0]


def second(coefficient):
    """The second of them."""
    return _gradhess_logloss_1d("softplus", FEATURE, COUNTS, coefficient * FEATURE, 2.0)[1]


def corrected(coefficient):
    """The derivative with the square of s in the quotient rule."""
    z = coefficient * FEATURE
    mu, s = np.log1p(np.exp(z)), 1 / (1 + np.exp(-z))
    grad_s = s * (1 - s)
    grad_s_by_mu = grad_s / mu - s**2 / mu**2
    return np.mean((grad_s - COUNTS * grad_s_by_mu) * FEATURE**2)
