"""The signature of a call: types, shapes, dtypes and layouts of its arguments, and the values of whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Signature = Any  # hashable; None where an argument has none

_BY_TYPE = (np.float64, np.float32)
_BY_VALUE = (bool, int, str, type(None))
_KINDS = frozenset("fiub")


def signature(value: Any) -> Signature:
    """The signature of an argument or of a captured value; None for others than numbers, text and arrays of them."""
    kind = type(value)
    if kind is float:
        return float
    if kind is np.ndarray:
        dtype = value.dtype
        return (dtype.str, value.shape, value.flags.c_contiguous) if dtype.kind in _KINDS and value.size else None
    if kind is list or kind is tuple:
        are_floats = all([type(item) is float for item in value])  # noqa: C419 - faster than a generator
        return (kind, len(value)) if value and are_floats else _of_items(kind, value)
    if kind is dict:
        return _of_items((kind, *value), list(value.values()))
    # By identity: the type of a recorded number equals float.
    if any(kind is known for known in _BY_TYPE):
        return kind
    return (kind, value) if any(kind is known for known in _BY_VALUE) else None


def signatures(values: Sequence[Any]) -> Signature:
    """The signature of several values; None if one of them has none."""
    parts = tuple(map(signature, values))
    return None if None in parts else parts


def _of_items(kind: Any, items: Sequence[Any]) -> Signature:
    parts = signatures(items)
    return None if parts is None or not items else (kind, parts)


def holds_floats(value: Any) -> bool:
    """Whether a value has a signature and holds a float: what a program may take as an input."""
    if type(value) in (list, tuple):
        return signature(value) is not None and any(map(holds_floats, value))
    if type(value) is dict:
        return signature(value) is not None and any(map(holds_floats, value.values()))
    return signature(value) in (float, *_BY_TYPE) or (type(value) is np.ndarray and signature(value) is not None)
