"""Comparison of a compiled value and gradient with the eager one, within rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.shared.pytree import leaves

CLOSE = {"float64": 1e-9, "float32": 1e-4, "float16": 1e-2}  # relative to the largest number of the gradient


def agrees(computed: tuple[Any, Any], expected: tuple[Any, Any]) -> bool:
    """Whether a value and a gradient have the types, shapes and dtypes of others, and their numbers within rounding."""
    pairs = list(zip(computed, expected, strict=True))[expected[0] is None :]  # a Hessian comes without the value
    return all(is_alike(*pair) and _is_close(*map(leaves, pair)) for pair in pairs)


def is_alike(one: Any, other: Any) -> bool:
    """Whether two results have the same structure, types, shapes and dtypes."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(is_alike, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(map(is_alike, one.values(), other.values()))
    return all(getattr(one, name, None) == getattr(other, name, None) for name in ("shape", "dtype"))


def _is_close(computed: list[Any], expected: list[Any]) -> bool:
    """Whether numbers and arrays are equal, or differ by little relative to the largest finite number."""
    pairs = [_numbers(ours, theirs) for ours, theirs in zip(computed, expected, strict=True)]
    largest = max((float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0.0)) for _, theirs in pairs), default=0.0)
    close = max((CLOSE.get(str(theirs.dtype), 1e-9) for _, theirs in pairs), default=0.0)
    tolerance = close * largest + 1e-300
    return all(np.allclose(ours, theirs, rtol=0.0, atol=tolerance, equal_nan=True) for ours, theirs in pairs)


def _numbers(ours: Any, theirs: Any) -> tuple[Any, Any]:
    """Two results as arrays; of sparse arrays, which may have other entries, the difference and one of them."""
    if not hasattr(theirs, "nnz"):
        return np.asarray(ours), np.asarray(theirs)
    difference = (ours - theirs).data
    return np.append(difference, theirs.data), np.append(0 * difference, theirs.data)
