"""NumPy's functions of diagonals and triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import numeric, serves
from gradcli.rules.indexing import PUT
from gradcli.rules.numpy.rearranging_helpers import rearranged


@serves("diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """`numpy.diagonal`."""
    return rearranged(lambda places: np.diagonal(places, offset, axis1, axis2), a)


@serves("trace")
def trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.trace`."""
    return np.sum(diagonal(a, offset, axis1, axis2), axis=-1, dtype=dtype)


@serves("diag")
def diag(v: Any, k: int = 0) -> Any:
    """`numpy.diag`."""
    v = numeric(v)
    if np.ndim(v) == 2:
        return diagonal(v, k)
    if np.ndim(v) != 1:
        raise ValueError("Input must be 1- or 2-d.")
    length = np.shape(v)[0] + abs(k)
    places = np.cumsum(np.ones_like(v, dtype=int)) - 1
    return PUT(np.zeros_like(v, shape=(length, length)), v, key=(places + max(-k, 0), places + max(k, 0)))


@serves("diagflat")
def diagflat(v: Any, k: int = 0) -> Any:
    """`numpy.diagflat`."""
    return diag(np.ravel(numeric(v)), k)
