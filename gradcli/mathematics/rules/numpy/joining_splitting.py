"""NumPy's functions that join and split arrays."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import axis_of, numeric, plain_value, serves
from gradcli.mathematics.rules.shape import CONCATENATE, STACK
from gradcli.shared.devices import to_host


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


def joined(tup: Sequence[Any], dimensions: int, first: int, axis: int, **options: Any) -> Any:
    """Arrays joined along an axis, each with at least `dimensions` axes.

    Arrays of one shape that lack the axis get it together, by one row instead of one for each.

    Args:
        tup: the arrays.
        dimensions: the least number of axes.
        first: the position of an array's own axes among them; from the end if negative.
        axis: the axis along which the arrays are joined.
        options: those of `numpy.concatenate`.
    """
    shape, *others = {np.shape(plain_value(array)) for array in tup} or ((),)
    before, lengths = _with_axes(shape, dimensions, first)
    at = axis_of(axis, len(lengths))
    if others or before <= at < before + len(shape):
        shaped = [_in_shape(x, _with_axes(np.shape(plain_value(x)), dimensions, first)[1]) for x in tup]
        return np.concatenate(shaped, axis=axis, **options)
    lengths[at] = len(tup)
    return _in_shape(np.stack(tup, axis=0 if at < before else -1, **options), lengths)


def _with_axes(shape: tuple[int, ...], dimensions: int, first: int) -> tuple[int, list[int]]:
    """The number of axes before those of an array with this shape, and its lengths in all axes; see `joined`."""
    missing = max(dimensions - len(shape), 0)
    before = (first if first >= 0 else first + missing + 1) if missing else 0
    return before, [*(1,) * before, *shape, *(1,) * (missing - before)]


def _in_shape(array: Any, lengths: list[int]) -> Any:
    return array if np.ndim(plain_value(array)) == len(lengths) else np.reshape(array, lengths)


@serves("hstack", sequences=("tup",))
def hstack(tup: Sequence[Any], **options: Any) -> Any:
    """`numpy.hstack`."""
    return joined(tup, 1, 0, int(np.ndim(plain_value(tup[0])) > 1), **options)


for _name, _dimensions, _first, _axis in (("vstack", 2, -1, 0), ("dstack", 3, -2, 2), ("column_stack", 2, 0, 1)):
    serves(_name, sequences=("tup",))(partial(joined, dimensions=_dimensions, first=_first, axis=_axis))


@serves("block", sequences=None)
def block(arrays: Any) -> Any:
    """`numpy.block`."""
    depth, count = _depth(arrays), _most_axes(arrays)
    return _block(arrays, 1, depth, max(depth, count)) if depth else numeric(arrays).copy()


def _depth(arrays: Any) -> int:
    return 1 + max(map(_depth, arrays), default=0) if isinstance(arrays, list) else 0


def _most_axes(arrays: Any) -> int:
    return max(map(_most_axes, arrays), default=0) if isinstance(arrays, list) else np.ndim(plain_value(arrays))


def _block(arrays: Any, level: int, depth: int, count: int) -> Any:
    """The blocks of one level of lists, joined; the innermost level along the last axis."""
    if isinstance(arrays, list):
        inner = [_block(array, level + 1, depth, count) for array in arrays]
        return joined(inner, count, -1, level - 1 - depth)
    return numeric(arrays)


@serves("array_split")
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """`numpy.array_split`."""
    length = np.shape(ary)[axis]
    indices = to_host(indices_or_sections)  # indices that the program computes on a device are plain facts too
    if np.ndim(indices):
        ends = [0, *map(operator.index, indices), length]
    else:
        ends = [0, *itertools.accumulate(map(len, np.array_split(np.broadcast_to(0.0, length), int(indices))))]
    before = (slice(None),) * (axis % np.ndim(ary))
    return [ary[(*before, slice(start, end))] for start, end in itertools.pairwise(ends)]
