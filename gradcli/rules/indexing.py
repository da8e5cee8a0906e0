"""Array rules that read a place, write a place, and put cotangents back where they were read."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli import arrays
from gradcli.rules.layout import copied
from gradcli.rules.table import ArrayRule, array_rule


def reads_once(key: Any) -> bool:
    """Whether `key` reads each place at most once: integers, slices, masks, but no arrays of integers."""
    return all(
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
    copy = x.copy() if arrays.on_device(x) else copied(x) if isinstance(x, np.ndarray) else np.array(x)
    copy[key] = y[()] if isinstance(y, np.ndarray) else y  # an array without axes would be put in as an object
    return copy


def _put_vjp(ct: Any, v: Any, x: Any, y: Any, *, key: Any, position: int) -> Any:
    """What was overwritten gets exactly nothing: by `y`, or by a later number of `y` at the same place."""
    if position == 0:
        kept = np.ones_like(ct, dtype=bool, shape=np.shape(x))
        kept[key] = False
        return np.where(kept, ct, 0.0)
    read = ct[key]
    if not reads_once(key):
        order = np.cumsum(np.ones_like(read, dtype=int)).reshape(np.shape(read))
        last = np.zeros_like(ct, dtype=int, shape=np.shape(x))
        last[key] = order
        read = np.where(last[key] == order, read, 0.0)
    return read


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
PUT = array_rule("put", _put, _put_vjp, linear=True, selects=True, variadic=True)
