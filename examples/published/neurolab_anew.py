"""Two functions of neurolab 0.3.5 and their derivatives, written anew: it does not import with NumPy 2."""

import numpy as np

K, LEAST, MOST = 2.0, -1.0, 1.0  # of SatLinPrm
TARGET = np.array([[1.0, 0.0], [2.0, 0.0]])


def saturating(x):
    """SatLinPrm: clipped, and what is between the bounds times k."""
    y = x.copy()
    y[y < LEAST] = LEAST
    y[y > MOST] = MOST
    y[(y >= LEAST) & (y <= MOST)] *= K
    return y


def saturating_slope(x):
    """Its deriv: 1 between the bounds."""
    d = np.zeros_like(x)
    d[(x > LEAST) & (x < MOST)] = 1
    return np.diag(d)


def saturating_corrected(x):
    """K between the bounds."""
    return K * saturating_slope(x)


def squares(output):
    """MSE: the mean of the squared errors."""
    e = TARGET - output
    return np.sum(np.square(e)) / e.size


def squares_slope(output):
    """Its deriv, documented as dE/d_out."""
    e = TARGET - output
    return e * (2 / len(e))


def squares_corrected(output):
    """The derivative by the output, with the number of errors."""
    return -2 * (TARGET - output) / TARGET.size
