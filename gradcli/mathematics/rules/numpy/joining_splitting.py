"""NumPy's functions that join and split arrays."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, serves
from gradcli.mathematics.rules.numpy.shapes_axes import with_axes
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
    return with_axes(numeric(arrays), count, -1)


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
