"""Array rules that read a place, write a place, and put cotangents back where they were read."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.table import array_rule


def is_basic(key: Any) -> bool:
    """Whether `key` reads each place at most once: integers, slices, masks, but no arrays of integers."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(
        part is None or part is Ellipsis or isinstance(part, (int, slice, np.integer)) or getattr(part, "dtype", None) == bool
        for part in parts
    )


def _add_at(buffer: Any, ct: Any, *, key: Any) -> None:
    if is_basic(key):
        buffer[key] += ct
    else:
        np.add.at(buffer, key, ct)


def _scatter(ct: Any, like: Any, *, key: Any) -> Any:
    buffer = np.zeros_like(like, shape=np.shape(like))
    _add_at(buffer, ct, key=key)
    return buffer


def _put(x: Any, y: Any, *, key: Any) -> Any:
    """A copy of `x` with `y` written to the place `key`."""
    copy = np.array(x)
    copy[key] = y
    return copy


def _keep(ct: Any, v: Any, x: Any, y: Any, *, key: Any) -> Any:
    """What was overwritten gets exactly nothing."""
    kept = np.ones(np.shape(x), dtype=bool)
    kept[key] = False
    return np.where(kept, ct, 0.0)


INDEX = array_rule(
    "index",
    lambda x, *, key: x[key],
    lambda ct, v, x, *, key: SCATTER(ct, getattr(x, "value", x), key=key),
    linear=True,
    in_place=_add_at,
)
SCATTER = array_rule("scatter", _scatter, lambda ct, v, g, like, *, key: ct[key], None, linear=True)
PUT = array_rule("put", _put, _keep, lambda ct, v, x, y, *, key: ct[key])
