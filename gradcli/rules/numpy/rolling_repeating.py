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


# Repeating


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
