"""Array rules that combine the numbers along axes: sum, mean, prod, max, min."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.rules.table import array_rule

Axis = int | tuple[int, ...] | None


def _spread(ct: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """`ct`, the cotangent of a reduction of `x`, with the reduced axes put back as axes of length 1."""
    if keepdims or np.ndim(x) == 0:
        return ct
    axes = range(np.ndim(x)) if axis is None else (axis,) if isinstance(axis, int) else axis
    reduced = {a % np.ndim(x) for a in axes}
    return np.reshape(ct, tuple(1 if a in reduced else n for a, n in enumerate(np.shape(x))))


def _over(ct: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    return np.broadcast_to(_spread(ct, x, axis, keepdims), np.shape(x))


def _mean_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    count = math.prod(np.shape(x)) // max(1, math.prod(np.shape(v)))
    return _over(ct / count, x, axis, keepdims)


def _prod_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    """The product of all others: `v / x` where that is safe, else the product with one factor at a time left out."""
    if np.all(v != 0) and np.all(np.isfinite(v)):
        return _spread(ct * v, x, axis, keepdims) / x
    axes = range(np.ndim(x)) if axis is None else (axis,) if isinstance(axis, int) else axis
    last = [a % np.ndim(x) for a in axes]
    kept = [a for a in range(np.ndim(x)) if a not in last]
    order = (*kept, *last)
    moved = np.transpose(x, order)
    shape = np.shape(moved)
    rows = np.reshape(moved, (*shape[: len(kept)], 1, math.prod(shape[len(kept) :])))
    count = np.shape(rows)[-1]
    others = np.prod(np.where(np.eye(count, dtype=bool), 1.0, rows), axis=-1)
    back = np.transpose(np.reshape(others, shape), tuple(int(a) for a in np.argsort(order)))
    return _spread(ct, x, axis, keepdims) * back


def _extreme_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    """Ties share equally; what is no extreme gets exactly nothing."""
    chosen = np.asarray(x == _spread(v, x, axis, keepdims))
    share = chosen / np.sum(chosen, axis=axis, keepdims=True)
    return np.where(chosen, _spread(ct, x, axis, keepdims) * share, 0.0)


SUM = array_rule(
    "sum",
    lambda x, *, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims),
    lambda ct, v, x, *, axis, keepdims: _over(ct, x, axis, keepdims),
    linear=True,
)
MEAN = array_rule("mean", lambda x, *, axis, keepdims: np.mean(x, axis=axis, keepdims=keepdims), _mean_vjp, linear=True)
PROD = array_rule("prod", lambda x, *, axis, keepdims: np.prod(x, axis=axis, keepdims=keepdims), _prod_vjp)
MAX = array_rule("max", lambda x, *, axis, keepdims: np.max(x, axis=axis, keepdims=keepdims), _extreme_vjp)
MIN = array_rule("min", lambda x, *, axis, keepdims: np.min(x, axis=axis, keepdims=keepdims), _extreme_vjp)
