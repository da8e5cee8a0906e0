"""A quadratic function of pyproximal with a nonsymmetric operator, and its gradient."""

import numpy as np
from pylops import MatrixMult
from pyproximal import Quadratic

MATRIX = np.array([[2.0, 1.0], [0.0, 3.0]])
quadratic = Quadratic(MatrixMult(MATRIX), b=np.array([1.0, -1.0]))


def value(x):
    """x·A x / 2 + b·x."""
    return quadratic(x)


def gradient(x):
    """A x + b."""
    return quadratic.grad(x)


def corrected(x):
    """(A + Aᵀ) x / 2 + b."""
    return (MATRIX + MATRIX.T) @ x / 2 + quadratic.b
