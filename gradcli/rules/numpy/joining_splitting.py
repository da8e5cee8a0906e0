"""NumPy's functions that join and split arrays."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.devices import to_host
from gradcli.rules.function_registry import numeric, serves
from gradcli.rules.shape import CONCATENATE, STACK


@serves("concatenate", sequences=("arrays",))
def concatenate(
    arrays: Sequence[Any], /, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: Any = None
) -> Any:
    """`numpy.concatenate`."""
    arrays = [numeric(array, dtype) for array in arrays]
    if axis is None:
        return CONCATENATE(*map(np.ravel, arrays), axis=0)
    return CONCATENATE(*arrays, axis=operator.index(axis))


@serves("stack", sequences=("arrays",))
def stack(arrays: Sequence[Any], axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Any:
    """`numpy.stack`."""
    return STACK(*(numeric(array, dtype) for array in arrays), axis=operator.index(axis))


@serves("vstack", sequences=("tup",))
def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Any:
    """`numpy.vstack`."""
    return np.concatenate([np.atleast_2d(array) for array in tup], dtype=dtype)


@serves("hstack", sequences=("tup",))
def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Any:
    """`numpy.hstack`."""
    arrays = [np.atleast_1d(array) for array in tup]
    return np.concatenate(arrays, axis=0 if np.ndim(arrays[0]) == 1 else 1, dtype=dtype)


@serves("dstack", sequences=("tup",))
def dstack(tup: Sequence[Any]) -> Any:
    """`numpy.dstack`."""
    return np.concatenate([np.atleast_3d(array) for array in tup], axis=2)


@serves("column_stack", sequences=("tup",))
def column_stack(tup: Sequence[Any]) -> Any:
    """`numpy.column_stack`."""
    return np.concatenate([np.atleast_2d(array).T if np.ndim(array) < 2 else array for array in tup], axis=1)


@serves("append")
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """`numpy.append`."""
    return np.concatenate([arr, values], axis=axis)


@serves("block", sequences=None)
def block(arrays: Any) -> Any:
    """`numpy.block`."""
    depth, count = _depth(arrays), _most_axes(arrays)
    joined = _block(arrays, 1, depth, max(depth, count))
    return joined if depth else joined.copy()


def _depth(arrays: Any) -> int:
    return 1 + max(map(_depth, arrays), default=0) if isinstance(arrays, list) else 0


def _most_axes(arrays: Any) -> int:
    return max(map(_most_axes, arrays), default=0) if isinstance(arrays, list) else int(np.ndim(arrays))


def _block(arrays: Any, level: int, depth: int, count: int) -> Any:
    """The blocks of one level of lists, joined; the innermost level along the last axis."""
    if isinstance(arrays, list):
        inner = [_block(array, level + 1, depth, count) for array in arrays]
        return np.concatenate(inner, axis=level - 1 - depth)
    array = numeric(arrays)
    return np.reshape(array, (1,) * (count - np.ndim(array)) + np.shape(array))


# Splitting: each part is a view, as in NumPy


@serves("array_split")
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """`numpy.array_split`."""
    length = np.shape(ary)[axis]
    indices = to_host(indices_or_sections)  # indices that the program computes on a device are plain facts too
    if np.ndim(indices):
        ends = [0, *map(operator.index, indices), length]
    else:
        lengths = [len(part) for part in np.array_split(range(length), int(indices))]
        ends = [sum(lengths[:n]) for n in range(len(lengths) + 1)]
    before = (slice(None),) * (axis % np.ndim(ary))
    return [ary[(*before, slice(start, end))] for start, end in itertools.pairwise(ends)]


@serves("split")
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """`numpy.split`."""
    if np.ndim(indices_or_sections) == 0 and np.shape(ary)[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


@serves("hsplit")
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """`numpy.hsplit`."""
    return _split_along(ary, indices_or_sections, 1 if np.ndim(ary) > 1 else 0, "hsplit", 1)


@serves("vsplit")
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """`numpy.vsplit`."""
    return _split_along(ary, indices_or_sections, 0, "vsplit", 2)


@serves("dsplit")
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """`numpy.dsplit`."""
    return _split_along(ary, indices_or_sections, 2, "dsplit", 3)


def _split_along(ary: Any, indices_or_sections: Any, axis: int, name: str, least: int) -> Any:
    if np.ndim(ary) < least:
        raise ValueError(f"{name} only works on arrays of {least} or more dimensions")
    return split(ary, indices_or_sections, axis)


@serves("unstack")
def unstack(x: Any, /, *, axis: int = 0) -> tuple[Any, ...]:
    """`numpy.unstack`."""
    return tuple(np.moveaxis(x, axis, 0))
