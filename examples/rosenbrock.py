"""Rosenbrock's curved valley over an array of any length, with its gradient by hand."""

import numpy as np


def rosen(x):
    """A sum of squares that is zero where every number is 1."""
    step = x[1:] - x[:-1] ** 2
    return np.sum(100.0 * step**2 + (1.0 - x[:-1]) ** 2)


def grad_rosen(x):
    """Every number but the last occurs as a left neighbour, every one but the first as a right one."""
    step = x[1:] - x[:-1] ** 2
    gradient = np.zeros_like(x)
    gradient[:-1] = -400.0 * x[:-1] * step - 2.0 * (1.0 - x[:-1])
    gradient[1:] += 200.0 * step
    return gradient


problem = {"fun": rosen, "jac": grad_rosen}  # as `scipy.optimize` takes them
