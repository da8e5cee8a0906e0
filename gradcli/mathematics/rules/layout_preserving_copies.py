"""Copies of arrays with the memory layout of the originals, so that the same slices of them are views."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def from_outer(x: Any) -> tuple[int, ...]:
    """The axes of an array in order of decreasing stride."""
    return tuple(sorted(range(x.ndim), key=lambda axis: -abs(x.strides[axis])))


def by_rows(x: Any) -> Any:
    """An array, plain or recorded, in contiguous C order: itself, or a copy."""
    flags = getattr(getattr(x, "_value", x), "flags", None)
    return x if flags is None or flags.c_contiguous else np.copy(x, order="C")


def as_lies(x: Any, like: Any) -> Any:
    """An array, plain or recorded, with its axes in memory in the same order as those of `like`."""
    like = getattr(like, "_value", like)
    order = from_outer(like) if np.ndim(like) > 1 else ()
    if order == tuple(range(len(order))):
        return by_rows(x)
    turned = by_rows(np.transpose(x, order))
    return np.transpose(turned, tuple(int(axis) for axis in np.argsort(order)))


def by_rows_or_columns(x: Any, like: Any) -> Any:
    """An array in Fortran order if `like` is, else in C order, as many NumPy functions return it."""
    flags = getattr(getattr(like, "_value", like), "flags", None)
    return as_lies(x, like) if flags is not None and flags.f_contiguous else by_rows(x)


def copy_with_layout(x: Any) -> Any:
    """A copy of an array with the same layout, including gaps and negative strides.

    NumPy reshapes some transposed or strided arrays without a copy, so that writes reach the original; a copy without
    gaps would behave differently. The gaps are one element wide here.
    """
    if x.flags.forc or 0 in x.shape or 0 in x.strides:
        return x.copy("K")
    strides = [abs(stride) for stride in x.strides]
    order = from_outer(x)
    lengths = [x.shape[order[0]]]
    for outer, axis in itertools.pairwise(order):
        lengths.append(x.shape[axis] + (strides[outer] != strides[axis] * x.shape[axis]))
    gap = strides[order[-1]] != x.itemsize
    base = np.empty_like(x, shape=(*lengths, 2) if gap else tuple(lengths), order="C")
    inside = base[tuple(slice(0, x.shape[axis]) for axis in order) + (0,) * gap]
    copy = np.transpose(inside, tuple(int(axis) for axis in np.argsort(order)))
    copy = copy[tuple(slice(None, None, -1 if stride < 0 else 1) for stride in x.strides)]
    copy[...] = x
    return copy
