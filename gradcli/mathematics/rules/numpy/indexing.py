"""NumPy's functions that index arrays, and those that select between arrays element by element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import (
    axis_of,
    in_common_dtype,
    is_python_number,
    numeric,
    refuse_options,
    serves,
)
from gradcli.mathematics.rules.indexing import INDEX, PUT
from gradcli.mathematics.rules.layout_preserving_copies import by_rows
from gradcli.mathematics.rules.numpy.rearranging_helpers import integers_like
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.shape import STACK
from gradcli.shared.devices import array_on_device_of, is_array


def _whole(indices: Any, length: int, mode: str) -> Any:
    """Indices of an axis with out-of-range values wrapped, clipped, or left to raise."""
    if mode == "wrap":
        return np.remainder(indices, length)
    return np.minimum(np.maximum(indices, 0), length - 1) if mode == "clip" else indices


@serves("take")
def take(a: Any, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Any:
    """`numpy.take`."""
    a = numeric(a)
    if axis is None or not np.ndim(a):
        a, axis = np.ravel(a), axis or 0
    axis = axis_of(axis, np.ndim(a))
    listed = np.asarray(indices) if isinstance(indices, (bool, list, tuple)) else indices
    if hasattr(listed, "dtype") and listed.dtype.kind == "b":  # no mask: NumPy takes element 0 or 1
        indices = listed.astype(int)
    return by_rows(
        INDEX(a, key=(*[slice(None)] * axis, _whole(array_on_device_of(indices, a), np.shape(a)[axis], mode)))
    )


def key_along_axis(a: Any, indices: Any, axis: int) -> tuple[Any, ...]:
    """The key of elements whose indices along one axis are `indices` and along all other axes their own."""
    count = np.ndim(a)
    axis = axis_of(axis, count)
    shapes = [(1,) * n + (-1,) + (1,) * (count - 1 - n) for n in range(count)]
    counts = (
        np.reshape(integers_like(indices, length), shape) for length, shape in zip(np.shape(a), shapes, strict=True)
    )
    return tuple(indices if n == axis else places for n, places in enumerate(counts))


@serves("take_along_axis")
def take_along_axis(arr: Any, indices: Any, axis: int | None = -1) -> Any:
    """`numpy.take_along_axis`."""
    arr = numeric(arr)
    if axis is None:
        arr, axis = np.ravel(arr), 0
    return INDEX(arr, key=key_along_axis(arr, array_on_device_of(indices, arr), axis))


@serves("compress")
def compress(condition: Any, a: Any, axis: int | None = None, out: Any = None) -> Any:
    """`numpy.compress`."""
    a = np.atleast_1d(numeric(a))
    return take(a, np.flatnonzero(array_on_device_of(condition, a)), axis)


# Selection element by element


def _adapted(operands: Sequence[Any]) -> Sequence[Any]:
    """The operands in the dtype that NumPy finds for all. It converts plain Python numbers beside arrays itself."""
    dtypes = {x.dtype for x in operands if hasattr(x, "dtype")}
    rest = (x for x in operands if not hasattr(x, "dtype"))
    if (
        len(dtypes) == 1
        and dtypes.pop().kind in "fc"
        and all(is_python_number(x) and not isinstance(x, complex) for x in rest)
    ):
        return operands
    return in_common_dtype(operands)


@serves("where")
def where(condition: Any, *branches: Any) -> Any:
    """`numpy.where`."""
    if not branches:
        return np.nonzero(condition)
    return RULES["where"](numeric(condition), *_adapted(branches))


@serves("choose", sequences=("choices",))
def choose(a: Any, choices: Sequence[Any], out: Any = None, mode: str = "raise") -> Any:
    """`numpy.choose`."""
    shape = np.broadcast_shapes(np.shape(a), *map(np.shape, choices))
    stacked = STACK(*(np.broadcast_to(choice, shape) for choice in in_common_dtype(choices)), axis=0)
    a = array_on_device_of(a, stacked)
    chosen = np.broadcast_to(_whole(a.astype(int) if a.dtype == bool else a, len(choices), mode), shape)
    if mode == "raise" and np.any((chosen < 0) | (chosen >= len(choices))):
        raise ValueError("invalid entry in choice array")
    return INDEX(stacked, key=key_along_axis(stacked, chosen[np.newaxis], 0))[0]


@serves("select", sequences=("condlist", "choicelist"))
def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """`numpy.select`."""
    plain = [np.broadcast_to(0.0, np.shape(choice)) for choice in choicelist]
    types = [np.broadcast_to(np.zeros((), np.result_type(c)), np.shape(c)) for c in condlist]
    # Raises NumPy's own error if anything is invalid.
    shape = np.shape(np.select(types, plain, np.broadcast_to(0.0, np.shape(default))))
    *choices, chosen = in_common_dtype([*choicelist, default])
    for condition, choice in zip(condlist[::-1], choices[::-1], strict=True):
        chosen = where(array_on_device_of(condition, chosen), choice, chosen)
    return by_rows(chosen if np.shape(chosen) == shape else np.broadcast_to(chosen, shape))


@serves("piecewise", sequences=("condlist", "funclist"))
def piecewise(x: Any, condlist: Any, funclist: Sequence[Any], *args: Any, **kw: Any) -> Any:
    """`numpy.piecewise`. Numbers among the functions may be recorded."""
    x = numeric(x)
    single = (not isinstance(condlist, list) and not is_array(condlist)) or (
        np.ndim(condlist[0]) == 0 and np.ndim(x) != 0
    )
    conditions = [array_on_device_of(condition, x).astype(bool) for condition in ([condlist] if single else condlist)]
    if len(funclist) == len(conditions) + 1:
        conditions.append(~np.any(np.stack(conditions), axis=0))
    if len(funclist) != len(conditions):
        raise ValueError(
            f"with {len(conditions)} condition(s), either {len(conditions)} or {len(conditions) + 1} "
            "functions are expected"
        )
    result = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        part = function(x[condition], *args, **kw) if callable(function) else function
        result = PUT(result, part, key=condition)
    return result


@serves("clip")
def clip(  # noqa: PLR0913 - NumPy's signature
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
    where: Any = True,
    dtype: Any = None,
) -> Any:
    """`numpy.clip`."""
    refuse_options("clip", where=where, dtype=dtype)
    low = next((bound for bound in (a_min, min) if bound is not None and bound is not np._NoValue), None)
    high = next((bound for bound in (a_max, max) if bound is not None and bound is not np._NoValue), None)
    if low is None or high is None:
        a = a if low is None else np.maximum(a, low)
        return a if high is None else np.minimum(a, high)
    return RULES["clip"](*_adapted((numeric(a), low, high)))


# Functions applied to slices


@serves("apply_along_axis")
def apply_along_axis(func1d: Callable[..., Any], axis: int, arr: Any, *args: Any, **kwargs: Any) -> Any:
    """`numpy.apply_along_axis`."""
    arr = np.moveaxis(numeric(arr), axis, -1)
    before = np.shape(arr)[:-1]
    if 0 in before:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    results = np.stack([func1d(arr[place], *args, **kwargs) for place in np.ndindex(before)])
    results = np.reshape(results, before + np.shape(results)[1:])
    first, last = axis % (len(before) + 1), np.ndim(results) - len(before)
    return np.moveaxis(results, range(len(before), np.ndim(results)), range(first, first + last))
