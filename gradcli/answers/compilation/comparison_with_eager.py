"""Comparison of a compiled value and gradient with the eager one, within rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

CLOSE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2}  # relative to the largest number of the gradient


def agrees(computed: tuple[Any, Any], expected: tuple[Any, Any]) -> bool:
    """Whether a value and a gradient have the types, shapes and dtypes of others, and their numbers within rounding."""
    value, gradient = computed
    if not is_alike(value, expected[0]) or not is_alike(gradient, expected[1]):
        return False
    return _is_close([value], [expected[0]]) and _is_close(_arrays(gradient), _arrays(expected[1]))


def is_alike(one: Any, other: Any) -> bool:
    """Whether two results have the same structure, types, shapes and dtypes."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(is_alike, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(is_alike, one.values(), other.values()))
    return not isinstance(one, np.ndarray) or (one.shape == other.shape and one.dtype == other.dtype)


def _arrays(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [part for item in value for part in _arrays(item)]
    if isinstance(value, dict):
        return [part for item in value.values() for part in _arrays(item)]
    return [value]


def _is_close(computed: list[Any], expected: list[Any]) -> bool:
    finite = [np.asarray(part, float) for part in expected if part is not None]
    largest = max((float(np.max(np.abs(part), initial=0.0)) for part in finite), default=0.0)
    close = max(CLOSE.get(str(getattr(part, "dtype", "float64")), 1e-9) for part in expected) if expected else 1e-9
    return all(
        bool(np.all(np.abs(np.subtract(one, other)) <= close * largest + 1e-300))
        for one, other in zip(computed, expected, strict=True)
        if other is not None
    )
