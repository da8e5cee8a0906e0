"""NumPy's functions that insert and delete elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import axis_of, numeric, plain_value, serves
from gradcli.rules.layout_preserving_copies import by_rows_or_columns
from gradcli.rules.numpy.rearranging_helpers import moved_along, moved_together


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
