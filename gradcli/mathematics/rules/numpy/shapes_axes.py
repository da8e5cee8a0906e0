"""NumPy's functions that reshape, transpose and copy arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import axis_of, numeric, serves, whole_numbers
from gradcli.mathematics.rules.layout_preserving_copies import from_outer
from gradcli.mathematics.rules.shape import BROADCAST, RESHAPE, TRANSPOSE


@serves("reshape")
def reshape(a: Any, /, shape: Any = None, order: Any = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    """`numpy.reshape`."""
    a = numeric(a)
    shape = newshape if shape is None else shape
    shape = whole_numbers(shape)
    if copy is False:
        np.reshape(getattr(a, "_value", a), shape, order=order, copy=False)  # raises NumPy's own error
    reshaped = RESHAPE(a, shape=shape, order=_order(a, order))
    return reshaped.copy() if copy else reshaped


def _order(a: Any, order: str) -> str:
    """The order C or F; "A" follows the memory layout."""
    if order == "A":
        return "F" if a.flags.f_contiguous and not a.flags.c_contiguous else "C"
    return order


@serves("ravel")
def ravel(a: Any, order: str = "C") -> Any:
    """`numpy.ravel`."""
    a = numeric(a)
    if order == "K":
        a, order = TRANSPOSE(a, axes=from_outer(a)) if np.ndim(a) > 1 else a, "C"
    order = _order(a, order)
    flat = RESHAPE(a, shape=(-1,), order=order)
    if np.ndim(a) and not (a.flags.c_contiguous if order == "C" else a.flags.f_contiguous):
        return flat.copy()  # `reshape` may return a view with gaps, `ravel` does not
    return flat


def _shaped_by(function: Callable[..., Any], a: Any, *arguments: Any) -> Any:
    """`a` in the shape that a NumPy function gives to arrays of its shape without moving elements."""
    return RESHAPE(numeric(a), shape=np.shape(function(np.broadcast_to(0.0, np.shape(a)), *arguments)), order="C")


@serves("squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """`numpy.squeeze`."""
    return _shaped_by(np.squeeze, a, axis)


@serves("transpose")
def transpose(a: Any, axes: Sequence[int] | None = None) -> Any:
    """`numpy.transpose`."""
    return TRANSPOSE(numeric(a), axes=None if axes is None else whole_numbers(axes))


@serves("swapaxes")
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """`numpy.swapaxes`."""
    axes = list(range(np.ndim(a)))
    first, second = axis_of(axis1, len(axes)), axis_of(axis2, len(axes))
    axes[first], axes[second] = second, first
    return TRANSPOSE(a, axes=tuple(axes))


@serves("broadcast_to")
def broadcast_to(array: Any, shape: Any, subok: bool = False) -> Any:
    """`numpy.broadcast_to`."""
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return BROADCAST(numeric(array), shape=shape)


@serves("broadcast_arrays")
def broadcast_arrays(*arrays: Any, subok: bool = False) -> Any:
    """`numpy.broadcast_arrays`."""
    shape = np.broadcast_shapes(*map(np.shape, arrays))
    return tuple(np.broadcast_to(array, shape) for array in arrays)


@serves("meshgrid")
def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: Any = "xy") -> list[Any]:
    """`numpy.meshgrid`."""
    np.meshgrid(indexing=indexing)  # raises NumPy's own error for other values
    count = len(xi)
    grids = [np.reshape(x, (1,) * n + (-1,) + (1,) * (count - 1 - n)) for n, x in enumerate(xi)]
    if indexing == "xy" and count > 1:
        grids = [np.swapaxes(grid, 0, 1) for grid in grids]
    grids = grids if sparse else list(np.broadcast_arrays(*grids))
    return [grid.copy() for grid in grids] if copy else grids


@serves("astype")
def astype(x: Any, dtype: Any, /, *, copy: bool = True, **options: Any) -> Any:
    """`numpy.astype`."""
    return numeric(x).astype(dtype, copy=copy)


@serves("copy", "ascontiguousarray")
def copy(a: Any, order: str | None = "K", subok: bool = False) -> Any:
    """`numpy.copy`. Writes to the copy do not affect the argument."""
    return numeric(a).copy(order)


@serves("full_like")
def full_like(
    a: Any, fill_value: Any, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None
) -> Any:
    """`numpy.full_like`."""
    shape = np.shape(a) if shape is None else shape
    dtype = np.result_type(a) if dtype is None else np.dtype(dtype)
    if not hasattr(fill_value, "apply_rule"):
        return np.full(shape, fill_value, dtype)
    filled = np.broadcast_to(numeric(fill_value), shape)
    if filled.dtype == dtype:
        return filled.copy()
    return numeric(filled, dtype) if dtype.kind in "fc" else filled.astype(dtype)
