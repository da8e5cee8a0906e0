"""The methods of ufuncs, `reduce`, `accumulate`, `outer`, `reduceat` and `at`, in terms of NumPy's functions.

Sums, products and extremes have rules of their own. Other ufuncs of two arguments are applied step by step, as in
NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.function_registry import apply_plainly, numeric, plain_value, unsupported
from gradcli.mathematics.rules.indexing import INDEX, PUT, SCATTER
from gradcli.mathematics.rules.library_values import with_value_of
from gradcli.mathematics.rules.nondifferentiable import NUMPY
from gradcli.mathematics.rules.numpy.indexing import key_along_axis
from gradcli.mathematics.rules.reduction import STEPWISE
from gradcli.shared.devices import array_on_device_of, is_array, on_device

UFUNC_METHODS: dict[str, Callable[..., Any]] = {}

_SUMMED: dict[Any, Callable[..., Any]] = {
    np.add: np.sum,
    np.multiply: np.prod,
    np.maximum: np.max,
    np.minimum: np.min,
    np.logical_and: np.all,
    np.logical_or: np.any,
}
_CUMULATED: dict[Any, Callable[..., Any]] = {np.add: np.cumsum, np.multiply: np.cumprod}


def _serves(function: Callable[..., Any]) -> Callable[..., Any]:
    UFUNC_METHODS[function.__name__] = function
    return function


def _check(ufunc: Any, method: str) -> None:
    if ufunc.nin != 2 or ufunc.nout != 1 or ufunc.signature is not None:
        raise unsupported(f"numpy.{ufunc.__name__}.{method}")


@_serves
def reduce(  # noqa: PLR0913, PLR0917 - NumPy's signature
    ufunc: Any, array: Any, axis: Any = 0, dtype: Any = None, keepdims: Any = False, initial: Any = None,
    where: Any = True,
) -> Any:  # fmt: skip
    """`ufunc.reduce`."""
    _check(ufunc, "reduce")
    array = array if dtype is None else numeric(array, dtype)
    options = {"axis": axis, "keepdims": bool(keepdims)}
    if where is not True:
        options["where"] = where
    if initial is not None and initial is not np._NoValue:
        options["initial"] = initial
    if ufunc in _SUMMED:
        return _SUMMED[ufunc](array, **options)
    if ufunc.__name__ in NUMPY:
        return array.apply_outcome(f"{ufunc.__name__}.reduce", call_of(ufunc.reduce, **options), (array,))
    if ufunc in STEPWISE and options.keys() == {"axis", "keepdims"} and np.size(array) > MANY:
        return STEPWISE[ufunc](array, **options)
    return with_value_of(ufunc.reduce, partial(_reduced_by_steps, ufunc))(array, **options)


MANY = 64  # elements; larger reductions have a rule of their own instead of a chain of steps


def _reduced_by_steps(ufunc: Any, array: Any, **options: Any) -> Any:
    """The reduction one element at a time."""
    axis = options["axis"] if np.ndim(array) else None
    axes = range(np.ndim(array)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(a % np.ndim(array) for a in axes)
    count = math.prod(np.shape(array)[a] for a in axes)
    rest = tuple(n for a, n in enumerate(np.shape(array)) if a not in axes)
    items = np.reshape(np.moveaxis(array, axes, range(len(axes))), (count, *rest))
    mask = np.broadcast_to(_there(options.get("where", True), plain_value(array)), np.shape(array))
    masks = np.reshape(np.moveaxis(mask, axes, range(len(axes))), (count, *rest))
    start = options.get("initial", ufunc.identity if "where" in options else None)
    start = ufunc.identity if count == 0 and start is None else start
    result = items[0] if start is None else np.full_like(plain_value(items), start, shape=rest)
    for n in range(1 if start is None else 0, count):
        stepped = ufunc(result, items[n])
        result = stepped if np.all(masks[n]) else np.where(masks[n], stepped, result)
    shape = tuple(1 if a in axes else n for a, n in enumerate(np.shape(array))) if options["keepdims"] else rest
    return np.reshape(result, shape) if shape else result


@_serves
def accumulate(ufunc: Any, array: Any, axis: int = 0, dtype: Any = None) -> Any:
    """`ufunc.accumulate`."""
    _check(ufunc, "accumulate")
    if np.ndim(array) == 0:
        raise TypeError("cannot accumulate on a scalar")
    array = array if dtype is None else numeric(array, dtype)
    if ufunc in _CUMULATED:
        return _CUMULATED[ufunc](array, axis=axis)
    if ufunc.__name__ in NUMPY:
        return array.apply_outcome(f"{ufunc.__name__}.accumulate", call_of(ufunc.accumulate, axis), (array,))
    if (
        ufunc in (np.maximum, np.minimum)
        and (leaders := apply_plainly(call_of(_leaders, ufunc, axis), array)) is not None
    ):
        return INDEX(array, key=leaders)
    return _accumulated_by_steps(ufunc, array, axis)


def _leaders(array: Any, ufunc: Any, axis: int) -> Any:
    """The index of each running extreme; None if there are ties, which share equally."""
    running = _running(ufunc, array, axis)
    reached = np.equal(array, running)
    before = np.roll(running, 1, axis)
    first = (slice(None),) * (axis % array.ndim) + (slice(0, 1),)
    changed = np.not_equal(running, before)
    changed[first] = True
    if not np.array_equal(reached, changed):
        return None
    places = np.moveaxis(
        np.broadcast_to(
            np.cumsum(np.ones_like(array, shape=array.shape[axis], dtype=int)) - 1,
            (*np.delete(array.shape, axis), array.shape[axis]),
        ),
        -1,
        axis,
    )
    return key_along_axis(array, _running(np.maximum, np.where(changed, places, 0), axis), axis)


def _running(ufunc: Any, array: Any, axis: int) -> Any:
    """The running extremes of plain numbers; on a device, by doubling, as CuPy has no such function."""
    if not on_device(array):
        return ufunc.accumulate(array, axis)
    lines, step = np.moveaxis(array, axis, -1), 1
    while step < np.shape(lines)[-1]:
        lines = np.concatenate([lines[..., :step], ufunc(lines[..., step:], lines[..., :-step])], axis=-1)
        step *= 2
    return np.moveaxis(lines, -1, axis)


def _accumulated_by_steps(ufunc: Any, array: Any, axis: int) -> Any:
    items = np.moveaxis(array, axis, 0)
    if len(items) == 0:
        return array
    results = [items[0]]
    for n in range(1, len(items)):
        results.append(ufunc(results[-1], items[n]))
    return np.stack(results, axis=axis)


@_serves
def outer(ufunc: Any, a: Any, b: Any, **options: Any) -> Any:
    """`ufunc.outer`: every element of `a` with every element of `b`."""
    _check(ufunc, "outer")
    return ufunc(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b, **options)


@_serves
def reduceat(ufunc: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    """`ufunc.reduceat`: from each index up to the next, or the single element if the next index is not larger."""
    _check(ufunc, "reduceat")
    array = array if dtype is None else numeric(array, dtype)
    if not on_device(plain_value(array)):
        ufunc.reduceat(plain_value(array), indices, axis)  # raises NumPy's own errors
    items = np.moveaxis(array, axis, 0)
    starts = [int(n) for n in indices]
    ends = [*starts[1:], np.shape(items)[0]]
    spans = [(start, max(end, start + 1)) for start, end in zip(starts, ends, strict=True)]
    if ufunc is np.add:
        return np.moveaxis(_sums(items, spans), 0, axis)
    return np.stack([reduce(ufunc, items[start:end]) for start, end in spans], axis=axis)


def _sums(items: Any, spans: list[tuple[int, int]]) -> Any:
    """The sum of each span along the first axis, recorded in two rows for any number of spans."""
    like = plain_value(items)
    starts, ends = np.reshape(np.array(spans, dtype=int), (-1, 2)).T
    owners = np.repeat(np.arange(len(starts)), ends - starts)
    taken = np.arange(len(owners)) + (ends - np.cumsum(ends - starts))[owners]
    taken, owners = (array_on_device_of(places, like) for places in (taken, owners))
    blank = np.zeros_like(like, shape=(len(spans), *np.shape(items)[1:]))
    return SCATTER(blank, items[taken], keys=(owners,))


@_serves
def at(ufunc: Any, array: Any, indices: Any, *operands: Any) -> Any:
    """`array` after `ufunc.at`, applied once for each occurrence of an index."""
    return with_value_of(partial(_plain_at, ufunc), partial(_recorded_at, ufunc))(array, indices, *operands)


def _plain_at(ufunc: Any, array: Any, *arguments: Any) -> Any:
    array = array.copy()
    ufunc.at(array, *arguments)
    return array


def _recorded_at(ufunc: Any, array: Any, indices: Any, *operands: Any) -> Any:
    plain = plain_value(array)
    parts = indices if isinstance(indices, tuple) else (indices,)
    key = tuple(_there(np.asarray(x) if isinstance(x, list) else x, plain) for x in parts)
    places = np.arange(plain.size, like=plain).reshape(plain.shape)[key]
    operands = tuple(np.ravel(np.broadcast_to(_operand(x, plain), np.shape(places))) for x in operands)
    places = np.ravel(places)
    result = np.ravel(array)
    if ufunc in (np.add, np.subtract):
        change = SCATTER(np.zeros_like(plain, shape=plain.size), *operands, keys=(places,))
        return np.reshape(ufunc(result, change), plain.shape)
    for lanes in _rounds(places):
        now = ufunc(result[places[lanes]], *(x[lanes] for x in operands))
        result = PUT(result, now, key=places[lanes])
    return np.reshape(result, plain.shape)


def _there(x: Any, value: Any) -> Any:
    """An array of the program's on the device of `value`; anything else unchanged."""
    return array_on_device_of(x, value) if is_array(x) and not hasattr(x, "apply_rule") else x


def _operand(x: Any, value: Any) -> Any:
    """An operand on the device of `value`, where a plain number becomes an array too."""
    if on_device(value) and not is_array(x) and not hasattr(x, "apply_rule"):
        return np.full_like(value, x, shape=(), dtype=np.result_type(x))
    return _there(x, value)


def _rounds(places: Any) -> list[Any]:
    """Groups of positions in which no index repeats: first occurrences, then second ones, and so on."""
    order = np.argsort(places, kind="stable")
    sorted_places = places[order]
    rounds = []
    while len(order):
        first = np.not_equal(sorted_places, np.roll(sorted_places, 1))
        first[0] = True
        rounds.append(order[first])
        order, sorted_places = order[~first], sorted_places[~first]
    return rounds
