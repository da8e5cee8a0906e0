"""Two functions and their gradients, which a worker checks before the first case to have what every check needs.

They use the usual operations, whose derivatives are formulas that SymPy simplifies and compiles at their first use:
NumPy's functions, because those of `math` are followed only in code that is not gradcli's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


def value(x: float, y: float) -> Any:
    """A number."""
    waves = 3 * np.sin(x) - np.sqrt(y) * np.cos(x) + np.exp(-x) + np.log(y) * np.tanh(x)
    return x * x - x**2 / y + x**y + waves


def value_gradient(x: float, y: float) -> tuple[Any, Any]:
    """The gradient of `value`."""
    waves = 3 * np.cos(x) + np.sqrt(y) * np.sin(x) - np.exp(-x) + np.log(y) / np.cosh(x) ** 2
    by_y = x**2 / y**2 + x**y * np.log(x) - np.cos(x) / (2 * np.sqrt(y)) + np.tanh(x) / y
    return 2 * x - 2 * x / y + y * x ** (y - 1) + waves, by_y


def total(x: Numbers) -> Any:
    """A number from an array."""
    return np.sum(np.sin(x) * x + x**2 / 2 - np.exp(-x)) + x @ x


def total_gradient(x: Numbers) -> Any:
    """The gradient of `total`."""
    return np.cos(x) * x + np.sin(x) + 3 * x + np.exp(-x)
