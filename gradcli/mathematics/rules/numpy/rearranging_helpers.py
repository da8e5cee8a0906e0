"""Functions that only rearrange elements: NumPy rearranges an array of positions, which then index the elements."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import axis_of, numeric, plain_value
from gradcli.mathematics.rules.indexing import INDEX
from gradcli.mathematics.rules.shape import CONCATENATE
from gradcli.shared import devices


def integers_like(like: Any, count: int, first: int = 0) -> Any:
    """The integers from `first` on, in an array of the library that owns `like`."""
    own = plain_value(like)
    return np.arange(first, first + count, like=own if devices.is_array(own) else None)


def positions(x: Any, first: int = 0) -> Any:
    """The integers from `first` on, in the shape of `x`."""
    return np.reshape(integers_like(x, np.size(x), first), np.shape(x))


def rearranged(function: Callable[[Any], Any], x: Any) -> Any:
    """Apply a `function` that only moves, repeats and drops elements to one array."""
    x = numeric(x)
    return INDEX(np.ravel(x), key=devices.by_numpy(function, positions(x)))


def moved_together(function: Callable[..., Any], *arrays: Any) -> Any:
    """Apply a `function` that only moves, repeats and drops elements to several arrays."""
    arrays = tuple(map(numeric, arrays))
    starts = itertools.accumulate(map(np.size, arrays), initial=0)
    places = (positions(x, int(start)) for x, start in zip(arrays, starts, strict=False))
    moved = devices.by_numpy(function, *places)
    return INDEX(CONCATENATE(*map(np.ravel, arrays), axis=0), key=moved)


def moved_along(function: Callable[[Any], Any], x: Any, axis: int) -> Any:
    """Apply a `function` that only rearranges elements to each line along an axis, identically."""
    x = numeric(x)
    axis = axis_of(axis, np.ndim(x))
    return INDEX(x, key=(*[slice(None)] * axis, devices.by_numpy(function, integers_like(x, np.shape(x)[axis]))))
