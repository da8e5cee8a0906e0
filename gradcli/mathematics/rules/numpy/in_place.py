"""NumPy's functions that write into their first argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, serves
from gradcli.mathematics.rules.numpy.indexing import key_along_axis
from gradcli.shared.devices import array_on_device_of


def _places(like: Any, indices: Any) -> Any:
    """The key for positions in C order."""
    return np.unravel_index(indices, np.shape(like)) if np.ndim(like) else ()


def write_at(a: Any, indices: Any, values: Any) -> None:
    """Write at positions in C order; values are repeated or truncated as necessary."""
    if np.size(indices) and np.size(values):
        values = np.ravel(numeric(values))
        count = np.size(indices)
        new = values if np.size(values) == count else np.resize(values, (count,))
        a[_places(a, indices)] = new if np.ndim(a) else new[-1]


@serves("copyto")
def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """`numpy.copyto`."""
    dst[...] = src if where is True else np.where(where, src, dst)


@serves("put")
def put(a: Any, ind: Any, v: Any, mode: str = "raise") -> None:
    """`numpy.put`."""
    indices = np.ravel(ind)
    if mode == "raise" and np.any((indices < -np.size(a)) | (indices >= np.size(a))):
        raise IndexError(f"index out of bounds for an array of {np.size(a)} numbers")
    indices = np.clip(indices, 0, np.size(a) - 1) if mode == "clip" else np.remainder(indices, max(1, np.size(a)))
    write_at(a, indices, v)


@serves("place")
def place(arr: Any, mask: Any, vals: Any) -> None:
    """`numpy.place`."""
    indices = np.flatnonzero(mask)
    if np.size(indices) and not np.size(vals):
        raise ValueError("Cannot insert from an empty array!")
    write_at(arr, indices, vals)


@serves("putmask")
def putmask(a: Any, /, mask: Any, values: Any) -> None:
    """`numpy.putmask`."""
    indices = np.flatnonzero(mask)
    if np.size(values):
        write_at(a, indices, np.ravel(numeric(values))[indices % np.size(values)])


@serves("put_along_axis")
def put_along_axis(arr: Any, indices: Any, values: Any, axis: int | None) -> None:
    """`numpy.put_along_axis`."""
    if axis is None:
        write_at(arr, np.ravel(indices), values)
    else:
        arr[key_along_axis(arr, array_on_device_of(indices, arr), axis)] = values
