"""Two functions and their gradients, which a worker checks before the first case to have what every check needs."""

from __future__ import annotations

from math import cos, sin

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


def value(x: float, y: float) -> float:
    """A number."""
    return x**2 * y / 3 + sin(x) - 1


def value_gradient(x: float, y: float) -> tuple[float, float]:
    """The gradient of `value`."""
    return 2 * x * y / 3 + cos(x), x**2 / 3


def total(x: Numbers) -> np.float64:
    """A number from an array."""
    return np.sum(np.sin(x) * x)


def total_gradient(x: Numbers) -> Numbers:
    """The gradient of `total`."""
    return np.cos(x) * x + np.sin(x)
