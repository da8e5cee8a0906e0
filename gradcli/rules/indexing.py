"""Array rules that read a place, write a place, and put cotangents back where they were read."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli import arrays
from gradcli.rules.layout import copied
from gradcli.rules.table import ArrayRule, array_rule


def reads_once(key: Any) -> bool:
    """Whether `key` reads each place at most once: integers, slices, masks, but no arrays of integers."""
    return type(key) is slice or all(
        part is None
        or part is Ellipsis
        or isinstance(part, (int, slice, np.integer))
        or (part if hasattr(part, "dtype") else np.asarray(part)).dtype.kind == "b"
        for part in (key if isinstance(key, tuple) else (key,))
    )


def _add_at(buffer: Any, ct: Any, *, key: Any) -> None:
    if reads_once(key):
        buffer[key] += ct
    else:
        arrays.namespace(buffer).add.at(buffer, key, ct)  # CuPy takes no tuple of indices by NumPy's protocol


def _scatter(like: Any, *cts: Any, keys: tuple[Any, ...]) -> Any:
    """Zeros shaped like `like`, to which each cotangent is added at its place."""
    buffer = np.zeros_like(like, shape=np.shape(like))
    for key, ct in zip(keys, cts, strict=True):
        _add_at(buffer, ct, key=key)
    return buffer


def _put(x: Any, y: Any, *, key: Any) -> Any:
    """A copy of `x` with `y` written to the place `key`."""
    if arrays.on_device(x):
        return _put_there(x.copy(), y, key)
    copy = copied(x) if isinstance(x, np.ndarray) else np.array(x)
    copy[key] = y[()] if isinstance(y, np.ndarray) else y  # an array without axes would be put in as an object
    return copy


def _put_there(x: Any, y: Any, key: Any) -> Any:
    """`x`, into which `y` is written; CuPy leaves open which number stays where `key` repeats a place."""
    if reads_once(key):
        x[key] = y
        return x
    stays = _stays(x, key)
    x[key] = 0.0
    written = np.where(stays, y, 0.0)
    _add_at(x, np.reshape(written, np.shape(written)[-np.ndim(stays) :]), key=key)
    return x


def _stays(x: Any, key: Any) -> Any:
    """Which of the numbers that are written to `key` of `x` stay: the last ones to each place."""
    read = x[key]
    order = np.reshape(np.cumsum(np.ones_like(read, dtype=float)), np.shape(read))
    last = np.zeros_like(x, dtype=float, shape=np.shape(x))
    if arrays.on_device(last):
        arrays.namespace(last).maximum.at(last, key, order)
    else:
        last[key] = order
    return last[key] == order


def _put_vjp(ct: Any, v: Any, x: Any, y: Any, *, key: Any, position: int) -> Any:
    """What was overwritten gets exactly nothing: by `y`, or by a later number of `y` at the same place."""
    if position == 0:
        kept = np.ones_like(ct, dtype=bool, shape=np.shape(x))
        kept[key] = False
        return np.where(kept, ct, 0.0)
    read = ct[key]
    return read if reads_once(key) else np.where(_stays(getattr(x, "_value", x), key), read, 0.0)


def _clear(buffer: Any, *, key: Any) -> None:
    buffer[key] = 0.0


INDEX = array_rule(
    "index",
    lambda x, *, key: x[key],
    lambda ct, v, x, *, key: SCATTER(getattr(x, "_value", x), ct, keys=(key,)),
    linear=True,
    in_place=_add_at,
)
SCATTER: ArrayRule = array_rule(
    "scatter",
    _scatter,
    lambda ct, v, like, *cts, keys, position: ct[keys[position - 1]],
    linear=True,
    variadic=True,
)
PUT = array_rule("put", _put, _put_vjp, linear=True, selects=True, variadic=True, clear=_clear)
