"""NumPy's functions that roll, flip and repeat elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import axis_of, numeric, serves, whole_numbers
from gradcli.rules.numpy.rearranging_helpers import moved_along, rearranged
from gradcli.rules.shape import ROLL

# Rolling and flipping


@serves("roll")
def roll(a: Any, shift: Any, axis: Any = None) -> Any:
    """`numpy.roll`."""
    a, shift = numeric(a), tuple(map(int, np.atleast_1d(shift)))
    if axis is None:
        return np.reshape(ROLL(np.ravel(a), shift=shift, axis=(0,)), np.shape(a))
    return ROLL(a, shift=shift, axis=tuple(map(int, np.atleast_1d(axis))))


@serves("fliplr")
def fliplr(m: Any) -> Any:
    """`numpy.fliplr`."""
    if np.ndim(m) < 2:
        raise ValueError("Input must be >= 2-d.")
    return numeric(m)[:, ::-1]


@serves("flipud")
def flipud(m: Any) -> Any:
    """`numpy.flipud`."""
    if np.ndim(m) < 1:
        raise ValueError("Input must be >= 1-d.")
    return numeric(m)[::-1, ...]


@serves("rot90")
def rot90(m: Any, k: int = 1, axes: tuple[int, int] = (0, 1)) -> Any:
    """`numpy.rot90`."""
    np.rot90(np.broadcast_to(0.0, np.shape(m)), k, axes)  # raises NumPy's own error for invalid axes
    m = numeric(m)
    turns = k % 4
    if turns in (0, 2):
        return m[...] if turns == 0 else np.flip(m, axes)
    return np.flip(np.swapaxes(m, *axes), axes[0]) if turns == 1 else np.swapaxes(np.flip(m, axes[0]), *axes)


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
    counts = whole_numbers(repeats)
    if len(counts) != 1:
        return moved_along(lambda places: np.repeat(places, counts), a, axis)
    axis, times = axis_of(axis, np.ndim(a)), counts[0]
    before, after = np.shape(a)[: axis + 1], np.shape(a)[axis + 1 :]
    separated = np.broadcast_to(np.expand_dims(numeric(a), axis + 1), (*before, times, *after))
    return np.reshape(separated, (*before[:-1], before[-1] * times, *after)).copy()


@serves("resize")
def resize(a: Any, new_shape: Any) -> Any:
    """`numpy.resize`."""
    if np.size(a) == 0:
        return np.resize(np.zeros_like(a), new_shape)
    return rearranged(lambda places: np.resize(places, whole_numbers(new_shape)), a)
