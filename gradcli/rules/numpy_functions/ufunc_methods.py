"""The methods of ufuncs, `reduce`, `accumulate`, `outer`, `reduceat` and `at`, written with NumPy's functions.

Sums, products and extremes have rules of their own; any other ufunc of two arguments is applied step by step, as NumPy
does it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.rules.constant import NUMPY
from gradcli.rules.indexing import INDEX, PUT, SCATTER
from gradcli.rules.numpy_functions.serving import bare, numeric, unsupported

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
        return array.apply_outcome(f"{ufunc.__name__}.reduce", lambda x: ufunc.reduce(x, **options), (array,))
    return _reduced_by_steps(ufunc, array, options)


def _reduced_by_steps(ufunc: Any, array: Any, options: dict[str, Any]) -> Any:
    """One number after the other; NumPy itself is asked first, and so refuses what it refuses."""
    plain = ufunc.reduce(bare(array), **options)
    axis = options["axis"] if np.ndim(array) else None
    axes = range(np.ndim(array)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = tuple(a % np.ndim(array) for a in axes)
    count = math.prod(np.shape(array)[a] for a in axes)
    rest = tuple(n for a, n in enumerate(np.shape(array)) if a not in axes)
    items = np.reshape(np.moveaxis(array, axes, range(len(axes))), (count, *rest))
    mask = np.broadcast_to(options.get("where", True), np.shape(array))
    masks = np.reshape(np.moveaxis(mask, axes, range(len(axes))), (count, *rest))
    start = options.get("initial", ufunc.identity if "where" in options else None)
    if start is None and count == 0:
        return plain
    result = items[0] if start is None else np.full_like(bare(items), start, shape=rest)
    for n in range(1 if start is None else 0, count):
        stepped = ufunc(result, items[n])
        result = stepped if np.all(masks[n]) else np.where(masks[n], stepped, result)
    return np.reshape(result, np.shape(plain)) if np.ndim(plain) else result


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
        return array.apply_outcome(f"{ufunc.__name__}.accumulate", lambda x: ufunc.accumulate(x, axis), (array,))
    if ufunc in (np.maximum, np.minimum) and (leaders := _leaders(ufunc, bare(array), axis)) is not None:
        return INDEX(array, key=leaders)
    return _accumulated_by_steps(ufunc, array, axis)


def _leaders(ufunc: Any, array: Any, axis: int) -> Any:
    """Where each running extreme stands, as an index; None where there are ties, which share."""
    running = ufunc.accumulate(array, axis)
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
    latest = np.maximum.accumulate(np.where(changed, places, 0), axis)
    return tuple(latest if a == axis % array.ndim else n for a, n in enumerate(np.indices(array.shape, sparse=True)))


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
    """`ufunc.outer`: every number of `a` with every one of `b`."""
    _check(ufunc, "outer")
    return ufunc(np.reshape(a, np.shape(a) + (1,) * np.ndim(b)), b, **options)


@_serves
def reduceat(ufunc: Any, array: Any, indices: Any, axis: int = 0, dtype: Any = None) -> Any:
    """`ufunc.reduceat`: from each index to the next, or the one number where the next is not beyond."""
    _check(ufunc, "reduceat")
    array = array if dtype is None else numeric(array, dtype)
    ufunc.reduceat(bare(array), indices, axis)  # NumPy refuses what it refuses
    items = np.moveaxis(array, axis, 0)
    starts = [int(n) for n in indices]
    ends = [*starts[1:], np.shape(items)[0]]
    spans = [(start, max(end, start + 1)) for start, end in zip(starts, ends, strict=True)]
    if ufunc is np.add:
        return np.moveaxis(_sums(items, spans), 0, axis)
    return np.stack([reduce(ufunc, items[start:end]) for start, end in spans], axis=axis)


def _sums(items: Any, spans: list[tuple[int, int]]) -> Any:
    """The sum of each span along the first axis, in two rows of the tape however many spans there are."""
    like = bare(items)
    taken = np.concatenate([np.arange(start, end, like=like) for start, end in spans])
    owners = np.concatenate([np.full_like(taken, n, shape=end - start) for n, (start, end) in enumerate(spans)])
    blank = np.zeros_like(like, shape=(len(spans), *np.shape(items)[1:]))
    return SCATTER(blank, items[taken], keys=(owners,))


@_serves
def at(ufunc: Any, array: Any, indices: Any, *operands: Any) -> Any:
    """What `array` is after `ufunc.at`: each place is done as often as it is named."""
    plain = bare(array)
    places = np.arange(plain.size, like=plain).reshape(plain.shape)[indices]
    operands = tuple(np.ravel(np.broadcast_to(x, np.shape(places))) for x in operands)
    places = np.ravel(places)
    result = np.ravel(array)
    if ufunc in (np.add, np.subtract):
        change = SCATTER(np.zeros_like(plain, shape=plain.size), *operands, keys=(places,))
        return np.reshape(ufunc(result, change), plain.shape)
    for lanes in _rounds(places):
        now = ufunc(result[places[lanes]], *(x[lanes] for x in operands))
        result = PUT(result, now, key=places[lanes])
    return np.reshape(result, plain.shape)


def _rounds(places: Any) -> list[Any]:
    """Lanes in groups that name no place twice: first every place's first mention, then the second ones."""
    order = np.argsort(places, kind="stable")
    sorted_places = places[order]
    rounds = []
    while len(order):
        first = np.not_equal(sorted_places, np.roll(sorted_places, 1))
        first[0] = True
        rounds.append(order[first])
        order, sorted_places = order[~first], sorted_places[~first]
    return rounds
