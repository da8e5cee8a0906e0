"""The even Mathieu function of SciPy, and the derivative that comes with it."""

import numpy as np
from scipy.special import mathieu_cem


def even(x):
    """Order 2, parameter 1, at x degrees."""
    return mathieu_cem(2.0, 1.0, x)[0]


def derivative(x):
    """The second of the two results."""
    return mathieu_cem(2.0, 1.0, x)[1]


def corrected(x):
    """The derivative by degrees."""
    return np.pi / 180 * mathieu_cem(2.0, 1.0, x)[1]
