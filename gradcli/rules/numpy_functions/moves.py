"""NumPy's functions that move numbers, read places and join arrays."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.rules.indexing import INDEX
from gradcli.rules.numpy_functions.serving import numeric, refuse, serves, unsupported
from gradcli.rules.shape import BROADCAST, CONCATENATE, RESHAPE, STACK, TRANSPOSE


def _order(function: str, order: str) -> str:
    if order not in ("C", "F"):
        raise unsupported(f"numpy.{function} with order={order!r}")
    return order


@serves("reshape")
def reshape(a: Any, /, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None) -> Any:
    """`numpy.reshape`."""
    shape = newshape if shape is None else shape
    shape = tuple(map(operator.index, shape)) if isinstance(shape, (tuple, list)) else (operator.index(shape),)
    return RESHAPE(numeric(a), shape=shape, order=_order("reshape", order))


@serves("ravel")
def ravel(a: Any, order: str = "C") -> Any:
    """`numpy.ravel`."""
    return RESHAPE(numeric(a), shape=(-1,), order=_order("ravel", order))


def _shaped_by(function: Callable[..., Any], a: Any, *arguments: Any) -> Any:
    """`a` in the shape that a function of NumPy's, which moves nothing, gives to an array of its shape."""
    return RESHAPE(numeric(a), shape=np.shape(function(np.broadcast_to(0.0, np.shape(a)), *arguments)), order="C")


@serves("expand_dims")
def expand_dims(a: Any, axis: Any) -> Any:
    """`numpy.expand_dims`."""
    return _shaped_by(np.expand_dims, a, axis)


@serves("squeeze")
def squeeze(a: Any, axis: Any = None) -> Any:
    """`numpy.squeeze`."""
    return _shaped_by(np.squeeze, a, axis)


def _at_least(count: int) -> Callable[..., Any]:
    original = (np.atleast_1d, np.atleast_2d, np.atleast_3d)[count - 1]

    @serves(original.__name__)
    def at_least(*arrays: Any) -> Any:
        shaped = tuple(_shaped_by(original, array) for array in arrays)
        return shaped[0] if len(shaped) == 1 else shaped

    return at_least


for _count in (1, 2, 3):
    _at_least(_count)


@serves("transpose")
def transpose(a: Any, axes: Sequence[int] | None = None) -> Any:
    """`numpy.transpose`."""
    return TRANSPOSE(numeric(a), axes=None if axes is None else tuple(map(operator.index, axes)))


@serves("matrix_transpose")
def matrix_transpose(x: Any, /) -> Any:
    """`numpy.matrix_transpose`."""
    return np.swapaxes(x, -1, -2)


@serves("swapaxes")
def swapaxes(a: Any, axis1: int, axis2: int) -> Any:
    """`numpy.swapaxes`."""
    axes = list(range(np.ndim(a)))
    axes[axis1], axes[axis2] = axes[axis2], axes[axis1]
    return TRANSPOSE(a, axes=tuple(axes))


@serves("moveaxis")
def moveaxis(a: Any, source: Any, destination: Any) -> Any:
    """`numpy.moveaxis`."""
    count = np.ndim(a)
    sources = [s % count for s in np.atleast_1d(source)]
    places = [d % count for d in np.atleast_1d(destination)]
    axes = [n for n in range(count) if n not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        axes.insert(place, axis)
    return TRANSPOSE(a, axes=tuple(map(int, axes)))


@serves("flip")
def flip(m: Any, axis: Any = None) -> Any:
    """`numpy.flip`."""
    count = np.ndim(m)
    flipped = range(count) if axis is None else [a % count for a in np.atleast_1d(axis)]
    return INDEX(m, key=tuple(slice(None, None, -1) if n in flipped else slice(None) for n in range(count)))


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


@serves("concatenate")
def concatenate(
    arrays: Sequence[Any], /, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: Any = None
) -> Any:
    """`numpy.concatenate`."""
    refuse("concatenate", out=out, dtype=dtype)
    if axis is None:
        return CONCATENATE(*(np.ravel(array) for array in arrays), axis=0)
    return CONCATENATE(*map(numeric, arrays), axis=operator.index(axis))


@serves("stack")
def stack(arrays: Sequence[Any], axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Any:
    """`numpy.stack`."""
    refuse("stack", out=out, dtype=dtype)
    return STACK(*map(numeric, arrays), axis=operator.index(axis))


@serves("vstack")
def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Any:
    """`numpy.vstack`."""
    return concatenate([np.atleast_2d(array) for array in tup], axis=0, dtype=dtype)


@serves("hstack")
def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Any:
    """`numpy.hstack`."""
    arrays = [np.atleast_1d(array) for array in tup]
    return concatenate(arrays, axis=0 if np.ndim(arrays[0]) == 1 else 1, dtype=dtype)


@serves("column_stack")
def column_stack(tup: Sequence[Any]) -> Any:
    """`numpy.column_stack`."""
    return concatenate([np.atleast_2d(array).T if np.ndim(array) < 2 else array for array in tup], axis=1)


@serves("append")
def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """`numpy.append`."""
    return concatenate([arr, values], axis=axis)


@serves("real", "real_if_close")
def itself(val: Any, tol: float = 100) -> Any:
    """`numpy.real` and `numpy.real_if_close`: recorded values are real."""
    return val


@serves("copy", "ascontiguousarray")
def copy(a: Any, order: str | None = "K", subok: bool = False) -> Any:
    """`numpy.copy`: writes to the copy leave the argument as it is."""
    return numeric(a).copy()


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
    return filled if filled.dtype == dtype else filled.astype(dtype)


@serves("take")
def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
    """`numpy.take`."""
    refuse("take", out=out, mode=None if mode == "raise" else mode)
    if axis is None:
        return INDEX(np.ravel(a), key=np.asarray(indices))
    return INDEX(numeric(a), key=(*[slice(None)] * (axis % np.ndim(a)), np.asarray(indices)))


@serves("diff")
def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """`numpy.diff`."""
    refuse("diff", prepend=prepend, append=append)
    a = numeric(a)
    before = (slice(None),) * (axis % np.ndim(a))
    for _ in range(n):
        a = a[(*before, slice(1, None))] - a[(*before, slice(None, -1))]
    return a
