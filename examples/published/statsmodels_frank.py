"""The generator of statsmodels' Frank copula, and its derivative."""

import numpy as np
from statsmodels.distributions.copula.transforms import TransfFrank

generator = TransfFrank()
THETA = 2.5


def value(t):
    """The generator, which falls from infinity to 0."""
    return generator.evaluate(t, THETA)


def slope(t):
    """Its deriv."""
    return generator.deriv(t, THETA)


def corrected(t):
    """The derivative, which is negative."""
    return THETA * np.exp(-t * THETA) / (np.exp(-t * THETA) - 1)
