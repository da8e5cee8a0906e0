"""NumPy's functions of diagonals and triangles."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import numeric, serves, whole_numbers
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


@serves("tril")
def tril(m: Any, k: int = 0) -> Any:
    """`numpy.tril`."""
    return np.where(_triangle(m, k), numeric(m), 0)


@serves("triu")
def triu(m: Any, k: int = 0) -> Any:
    """`numpy.triu`."""
    return np.where(_triangle(m, k - 1), 0, numeric(m))


def _triangle(m: Any, k: int) -> Any:
    """The mask of the elements on and below a diagonal of the last two axes."""
    shape = np.shape(m) * 2 if np.ndim(m) == 1 else np.shape(m)[-2:]
    return np.tril(np.ones_like(m, dtype=bool, shape=shape), *whole_numbers(k))
