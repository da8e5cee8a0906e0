"""Derivatives by differences alone: the reference of the survey, which shares nothing with gradcli."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

STEPS = 8


def plain(function: Callable[[Any], Any], at: Any) -> Any:
    """The value at a copy of a point, as an array of floats, without warnings."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return np.array(function(at.copy() if isinstance(at, np.ndarray) else at), dtype=float)


def jacobian(function: Callable[[Any], Any], at: Any) -> tuple[Any, Any]:
    """The derivative of a function in the shape result + point, and its error, by Ridders' extrapolation."""
    columns = [_column(function, at, index) for index in np.ndindex(*np.shape(at))]
    shape = plain(function, at).shape + np.shape(at)
    derivative, error = (np.stack(part, axis=-1).reshape(shape) for part in zip(*columns, strict=True))
    return derivative, error


def _column(function: Callable[[Any], Any], at: Any, index: tuple[int, ...]) -> tuple[Any, Any]:
    """The derivative by one number of the point, where two neighbours in the table of extrapolations agree best."""
    first = 0.02 * abs(float(np.asarray(at)[index])) or 0.01
    above: list[Any] = []
    best, error = None, np.inf
    for step in (first / 2**k for k in range(STEPS)):
        row = [(_beside(function, at, index, step) - _beside(function, at, index, -step)) / (2 * step)]
        for order, coarse in enumerate(above, 1):
            row.append(row[-1] + (row[-1] - coarse) / (4.0**order - 1))
            distance = np.maximum(abs(row[-1] - row[-2]), abs(row[-1] - coarse))
            distance = np.where(np.isfinite(distance), distance, np.inf)
            best = row[-1] if best is None else np.where(distance < error, row[-1], best)
            error = np.minimum(distance, error)
        above = row
    return best, error


def _beside(function: Callable[[Any], Any], at: Any, index: tuple[int, ...], step: float) -> Any:
    if not isinstance(at, np.ndarray):
        return plain(function, at + step)
    moved = at.copy()
    moved[index] += step
    return plain(function, moved)
