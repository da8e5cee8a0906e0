"""Array rules for reading and writing at indices, and for adding cotangents back at the indices read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule
from gradcli.mathematics.rules.layout_preserving_copies import copy_with_layout
from gradcli.mathematics.rules.shape import FEW
from gradcli.shared import devices


def reads_once(key: Any) -> bool:
    """Whether `key` reads each element at most once: integers, slices and masks, but no integer arrays."""
    return (
        type(key) is int
        or type(key) is slice
        or all(
            part is None
            or part is Ellipsis
            or isinstance(part, (int, slice, np.integer))
            or (part if hasattr(part, "dtype") else np.asarray(part)).dtype.kind == "b"
            for part in (key if isinstance(key, tuple) else (key,))
        )
    )


def _add_at(buffer: Any, ct: Any, *, key: Any) -> None:
    if reads_once(key):
        buffer[key] += ct
    elif buffer.ndim > 1 and np.size(ct) > max(buffer.size >> 2, FEW) and buffer.flags.c_contiguous:
        # NumPy adds several times as fast at one array of indices into one axis.
        _add_at(buffer.reshape(-1), np.reshape(ct, -1), key=_numbered(buffer)[key].reshape(-1))
    else:
        # CuPy does not support a tuple of indices through NumPy's protocol.
        devices.namespace(buffer).add.at(buffer, key, ct)


def _beside(key: Any) -> tuple[Any, ...] | None:
    """A key that applies to the axes after a new first one; None if the axes it reads would then move to the front."""
    parts = key if isinstance(key, tuple) else (key,)
    arrays_among = sum(not isinstance(x, (slice, type(None), type(Ellipsis))) and np.ndim(x) > 0 for x in parts)
    return (slice(None), *parts) if arrays_among <= (len(parts) == 1) else None


def _read_batched(cts: Any, x: Any, key: Any, through: Views = ()) -> Any:
    """The elements at `key` of each of many arrays shaped like `x`, or of a view of each."""
    stacked_key = None if through else _beside(key)
    return cts.reshape(len(cts), -1)[:, _numbered(x, through)[key]] if stacked_key is None else cts[stacked_key]


def _numbered(x: Any, through: Views = ()) -> Any:
    """The positions of an array's elements in C order, read `through` some rules."""
    return view_through(np.arange(np.size(x), like=x).reshape(np.shape(x)), through)


def _index_batched(cts: Any, v: Any, x: Any, *, key: Any) -> Any:
    stacked_key = _beside(key)
    buffer: Any = np.zeros((len(cts), *((np.size(x),) if stacked_key is None else np.shape(x))), cts.dtype)
    _add_at(buffer, cts, key=stacked_key or (slice(None), _numbered(x)[key]))
    return buffer.reshape(len(cts), *np.shape(x))


def _scatter(like: Any, *cts: Any, keys: tuple[Any, ...]) -> Any:
    """Zeros shaped like `like`, with each cotangent added at its key."""
    buffer = np.zeros_like(like, shape=np.shape(like))
    for key, ct in zip(keys, cts, strict=True):
        _add_at(buffer, ct, key=key)
    return buffer


# The rules through which a view of an array is read, in order, each with its keyword arguments.
Views = tuple[tuple[ArrayRule, Mapping[str, Any]], ...]


def view_through(x: Any, through: Views) -> Any:
    """The view of an array that is read `through` some rules."""
    for rule, static in through:
        x = rule(x, **static)
    return x


def _put(x: Any, y: Any, *, key: Any, through: Views = ()) -> Any:
    """A copy of `x` with `y` written at `key`, or at `key` of a view."""
    if np.iscomplexobj(y) and not np.iscomplexobj(x):
        x = x + 0j  # tangents of complex arrays: that of a real origin is still real
    if devices.on_device(x):
        return _put_there(x.copy(), y, key)
    copy = copy_with_layout(x) if isinstance(x, np.ndarray) else np.array(x)
    write(view_through(copy, through), y, key)
    return copy


def write(x: Any, y: Any, key: Any) -> None:
    """Write `y` into an array on the host at `key`."""
    x[key] = y[()] if isinstance(y, np.ndarray) else y  # a 0-d array would be stored as an object


def _put_there(x: Any, y: Any, key: Any) -> Any:
    """Write `y` into `x` on a device. Where `key` repeats an index, CuPy does not define which element remains."""
    if reads_once(key):
        x[key] = y
        return x
    stays = _stays(x, key)
    x[key] = 0.0
    written = np.where(stays, y, 0.0)
    _add_at(x, np.reshape(written, np.shape(written)[-np.ndim(stays) :]), key=key)
    return x


def _stays(x: Any, key: Any) -> Any:
    """Whether each element written at `key` of `x` remains: the last one written to each index does."""
    read = x[key]
    order = np.reshape(np.cumsum(np.ones_like(read, dtype=float)), np.shape(read))
    last = np.empty_like(x, dtype=float, shape=np.shape(x))  # read only where it has been written
    if devices.on_device(last):
        last[key] = 0.0
        devices.namespace(last).maximum.at(last, key, order)
    else:
        last[key] = order
    return last[key] == order


def _put_vjp(ct: Any, v: Any, x: Any, *y: Any, position: int, **place: Any) -> Any:
    """The vjp of a write. Elements overwritten by `y`, or by a later element of `y`, get exactly zero."""
    if position == 0:
        return _left(ct, x, place)
    return _that_stays(view_through(ct, place.get("through", ()))[place["key"]], x, **place)


def _put_batched(cts: Any, v: Any, x: Any, *y: Any, position: int, **place: Any) -> Any:
    return _that_stays(_read_batched(cts, x, **place), x, **place) if position else _left(cts, x, place)


def _left(ct: Any, x: Any, place: Mapping[str, Any]) -> Any:
    """One cotangent, or many, with zeros where `x` is overwritten."""
    kept = np.ones_like(ct, dtype=bool, shape=np.shape(x))
    _clear(kept, **place)
    return np.where(kept, ct, 0.0)


def _that_stays(read: Any, x: Any, *, key: Any, through: Views = ()) -> Any:
    """The elements read from one cotangent, or from many, with zeros for elements that were overwritten."""
    return read if reads_once(key) else np.where(_stays(view_through(getattr(x, "_value", x), through), key), read, 0.0)


def _clear(buffer: Any, *, key: Any, through: Views = ()) -> None:
    part = view_through(buffer, through)
    if not through or np.may_share_memory(part, buffer):
        part[key] = 0.0
    else:  # the memory layout differs, so that the reshaped array is not a view
        np.put(buffer, view_through(np.arange(buffer.size).reshape(buffer.shape), through)[key], 0.0)


INDEX = array_rule(
    "index",
    "x, *, key: x[key]",
    lambda ct, v, x, *, key: SCATTER(getattr(x, "_value", x), ct, keys=(key,)),
    linear=True,
    batched=(_index_batched,),
    in_place=_add_at,
    moves=True,
    place="key",
)
SCATTER: ArrayRule = array_rule(
    "scatter",
    _scatter,
    lambda ct, v, like, *cts, keys, position: ct[keys[position - 1]],
    batched=(
        lambda cts, v, like, *added, keys, position: (
            _read_batched(cts, like, keys[position - 1]) if position else np.zeros_like(cts)
        ),
    ),
    linear=True,
    variadic=True,
    place="keys",
)
PUT = array_rule(
    "put",
    _put,
    _put_vjp,
    batched=(_put_batched,),
    linear=True,
    selects=True,
    variadic=True,
    clear=_clear,
    moves=True,
    place="key",
)


def _strided_vjp(ct: Any, v: Any, x: Any, *, places: Any) -> Any:
    return np.reshape(SCATTER(np.ravel(getattr(x, "_value", x)), ct, keys=(places,)), np.shape(x))


# Reads elements, numbered in C order, at given positions, each any number of times.
STRIDED = array_rule(
    "strided",
    "x, *, places: np.ravel(x)[places]",
    _strided_vjp,
    batched=(
        lambda cts, v, x, *, places: _index_batched(cts, v, np.ravel(x), key=places).reshape(len(cts), *np.shape(x)),
    ),
    linear=True,
    moves=True,
    place="places",
)
