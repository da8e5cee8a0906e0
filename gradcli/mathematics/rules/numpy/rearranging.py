"""NumPy's functions that roll, repeat, insert and delete elements, and that read diagonals, triangles and windows."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import (
    axis_of,
    numeric,
    plain_value,
    serves,
    unsupported,
    whole_numbers,
)
from gradcli.mathematics.rules.indexing import PUT, STRIDED
from gradcli.mathematics.rules.layout_preserving_copies import by_rows_or_columns
from gradcli.mathematics.rules.numpy.rearranging_helpers import moved_along, moved_together, rearranged
from gradcli.mathematics.rules.shape import ROLL
from gradcli.shared import devices

# Rolling and flipping


@serves("roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """`numpy.roll`."""
    a, shift = numeric(a), tuple(map(int, np.atleast_1d(shift)))
    if axis is None:
        return np.reshape(ROLL(np.ravel(a), shift=shift, axis=(0,)), np.shape(a))
    return ROLL(a, shift=shift, axis=tuple(map(int, np.atleast_1d(axis))))


# Repeating


@serves("tile")
def tile(A: Any, reps: Any) -> Any:
    """`numpy.tile`."""
    reps = whole_numbers(reps)
    count = max(len(reps), np.ndim(A))
    lengths = (1,) * (count - np.ndim(A)) + np.shape(A)
    reps = (1,) * (count - len(reps)) + reps
    if all(times == 1 for times in reps):  # NumPy keeps the memory layout then
        return np.reshape(numeric(A).copy("K"), lengths)
    separated = np.reshape(numeric(A), tuple(n for length in lengths for n in (1, length)))
    repeated = np.broadcast_to(separated, tuple(n for pair in zip(reps, lengths, strict=True) for n in pair))
    return np.reshape(repeated, tuple(r * n for r, n in zip(reps, lengths, strict=True))).copy()


@serves("repeat")
def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """`numpy.repeat`."""
    if axis is None:
        a, axis = np.ravel(numeric(a)), 0
    if np.size(repeats) != 1:
        return moved_along(lambda places: np.repeat(places, devices.to_host(plain_value(repeats))), a, axis)
    axis, times = axis_of(axis, np.ndim(a)), whole_numbers(repeats)[0]
    before, after = np.shape(a)[: axis + 1], np.shape(a)[axis + 1 :]
    separated = np.broadcast_to(np.expand_dims(numeric(a), axis + 1), (*before, times, *after))
    return np.reshape(separated, (*before[:-1], before[-1] * times, *after)).copy()


@serves("resize")
def resize(a: Any, new_shape: Any) -> Any:
    """`numpy.resize`."""
    if np.size(a) == 0:
        return np.resize(np.zeros_like(a), new_shape)
    return rearranged(lambda places: np.resize(places, whole_numbers(new_shape)), a)


@serves("delete")
def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """`numpy.delete`."""
    if axis is None:
        arr, axis = np.ravel(numeric(arr)), 0
    return moved_along(lambda places: np.delete(places, plain_value(obj)), arr, axis)


@serves("insert")
def insert(arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """`numpy.insert`; as in NumPy, the result has the dtype of `arr`."""
    joined = moved_together(lambda places, new: np.insert(places, plain_value(obj), new, axis), arr, values)
    dtype = np.result_type(numeric(arr))
    joined = joined if joined.dtype == dtype else joined.astype(dtype)
    return joined if axis is None else by_rows_or_columns(joined, arr)


@serves("trim_zeros")
def trim_zeros(filt: Any, trim: str = "fb", axis: Any = None) -> Any:
    """`numpy.trim_zeros`. The positions of the zeros are an outcome."""
    filt = numeric(filt)
    axes = range(np.ndim(filt)) if axis is None else [axis_of(n, np.ndim(filt)) for n in np.atleast_1d(axis)]
    key = [slice(None)] * np.ndim(filt)
    for n, places in enumerate(np.nonzero(filt) if np.ndim(filt) else ()):
        if n in axes:
            first, last = (int(np.min(places)), int(np.max(places)) + 1) if np.size(places) else (0, 0)
            key[n] = slice(first if "f" in trim.lower() else None, last if "b" in trim.lower() else None)
    return filt[tuple(key)]


@serves("diagonal")
def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """`numpy.diagonal`."""
    a = numeric(a)
    count = np.diagonal(np.broadcast_to(0.0, np.shape(a)), offset, axis1, axis2).shape[-1]
    last = np.moveaxis(a, (axis1, axis2), (-2, -1))
    rows, columns = np.shape(last)[-2:]
    start = offset if offset > 0 else -offset * columns
    flat = np.reshape(last, (*np.shape(last)[:-2], rows * columns))
    return flat[..., start : start + count * (columns + 1) : columns + 1]


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


@serves("sliding_window_view")
def sliding_window_view(
    x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False, writeable: bool = False
) -> Any:
    """`numpy.lib.stride_tricks.sliding_window_view`, which copies the windows here."""
    if writeable:
        raise unsupported("numpy.lib.stride_tricks.sliding_window_view with writeable=")
    return rearranged(lambda places: np.lib.stride_tricks.sliding_window_view(places, window_shape, axis), x)


@serves("as_strided")
def as_strided(x: Any, shape: Any = None, strides: Any = None, subok: bool = False, writeable: bool = True) -> Any:
    """`numpy.lib.stride_tricks.as_strided`, limited to elements of the array. Its result is a copy in memory."""
    x = numeric(x)
    own = plain_value(x)
    offsets = _offsets(own.shape, own.strides)
    wanted = _offsets(own.shape if shape is None else shape, own.strides if strides is None else strides)
    order = np.argsort(offsets.ravel(), kind="stable")
    places = np.minimum(np.searchsorted(offsets.ravel()[order], wanted), own.size - 1)
    if not np.array_equal(offsets.ravel()[order][places], wanted):
        raise unsupported("numpy.lib.stride_tricks.as_strided with memory outside the elements of the array")
    return STRIDED(x, places=devices.array_on_device_of(order[places], own))


def _offsets(shape: Any, strides: Any) -> Any:
    """The offset of each element in bytes from the first one."""
    places = np.indices(tuple(map(int, np.atleast_1d(shape))), sparse=False)
    return np.tensordot(np.array(np.atleast_1d(strides), dtype=int), places, axes=1)
