"""Array rules that combine the numbers along axes: sum, mean, prod, max, min."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.rules.array_rules import ArrayRule
from gradcli.rules.shape import repeated
from gradcli.rules.table import array_rule

Axis = int | tuple[int, ...] | None


def _reduced(x: Any, axis: Axis) -> tuple[int, ...]:
    """The axes of `x` that a reduction along `axis` takes away, counted from 0."""
    axes = range(np.ndim(x)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return tuple(a % np.ndim(x) for a in axes) if np.ndim(x) else ()


def _spread(ct: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """`ct`, the cotangent of a reduction of `x`, with the reduced axes put back as axes of length 1."""
    if keepdims or np.ndim(x) == 0:
        return ct
    lengths = [*np.shape(x)]
    for a in range(len(lengths)) if axis is None else (axis,) if type(axis) is int else axis:  # type: ignore[union-attr]
        lengths[a] = 1
    shape = tuple(lengths)
    return ct.reshape(shape) if type(ct) is np.ndarray else np.reshape(ct, shape)


def _sum_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    if axis is None:
        return ct  # one number for all, or with axes of length 1
    return repeated(_spread(ct, x, axis, keepdims), np.shape(x))


def _sum_batched(cts: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    lengths, reduced = np.shape(x), _reduced(x, axis)
    spread = np.reshape(cts, (len(cts), *(1 if a in reduced else n for a, n in enumerate(lengths))))
    return np.broadcast_to(spread, (len(cts), *lengths))


def _logarithm_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    """The share of each number in the sum of the powers; where all are zero, as the step by step one, nan."""
    return _spread(ct, x, axis, keepdims) * np.exp(x - _spread(v, x, axis, keepdims))


def _binary_logarithm_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    return _spread(ct, x, axis, keepdims) * np.exp2(x - _spread(v, x, axis, keepdims))


def _mean_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    count = np.size(x) // max(1, np.size(v))
    return _sum_vjp(ct / max(1, count), v, x, axis=axis, keepdims=keepdims)


def _mean_batched(cts: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    count = np.size(x) // max(1, np.size(v))
    return _sum_batched(cts / max(1, count), v, x, axis=axis, keepdims=keepdims)


def _prod_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    """The product of all others: `v / x` where no part of the product left the range of floats."""
    last = _reduced(x, axis)
    if _is_moderate(getattr(x, "_value", x), math.prod(np.shape(x)[a] for a in last)):
        return _spread(ct * v, x, axis, keepdims) / x
    order = (*(a for a in range(np.ndim(x)) if a not in last), *last)
    moved = np.transpose(x, order)
    kept = np.shape(moved)[: np.ndim(x) - len(last)]
    others = _others(np.reshape(moved, (*kept, math.prod(np.shape(x)[a] for a in last))))
    back = tuple(int(a) for a in np.argsort(order))
    return _spread(ct, x, axis, keepdims) * np.transpose(np.reshape(others, np.shape(moved)), back)


def _is_moderate(x: Any, count: int) -> bool:
    """Whether no product of up to `count` of the numbers of `x` can leave the range of normal floats."""
    sizes = np.abs(x)
    low, high = (float(bound(sizes)) if np.size(x) else 1.0 for bound in (np.min, np.max))
    range_of_floats = -float(np.log(np.finfo(x.dtype).tiny))
    return low > 0 and high < math.inf and count * max(math.log(high), -math.log(low), 0.0) < range_of_floats


def _others(x: Any) -> Any:
    """For each number the product of all others along the last axis, by a tree of products of pairs."""
    count = np.shape(x)[-1]
    if count <= 1:
        return np.ones_like(x, shape=np.shape(x))
    if count % 2:
        x = np.concatenate([x, np.ones_like(x, shape=(*np.shape(x)[:-1], 1))], axis=-1)
    left, right = x[..., 0::2], x[..., 1::2]
    rest = _others(left * right)
    pairs = np.stack([rest * right, rest * left], axis=-1)
    return np.reshape(pairs, (*np.shape(x)[:-1], np.shape(x)[-1]))[..., :count]


def _has_nan(v: Any) -> bool:
    """Whether a value, or a number of it, is nan, which alone differs from itself; of one number in no time."""
    unequal = v != v  # noqa: PLR0124
    return bool(unequal) if type(unequal) is np.bool_ else bool(np.count_nonzero(unequal))


def _extreme_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    """Ties share equally; what is no extreme gets exactly nothing.  Where that is nan, all that are nan share."""
    extreme = _spread(v, x, axis, keepdims)
    chosen = np.equal(x, extreme)
    if _has_nan(getattr(v, "_value", v)):
        chosen = chosen | (np.isnan(getattr(extreme, "_value", extreme)) & np.isnan(getattr(x, "_value", x)))
    share = chosen / chosen.sum(axis=axis, keepdims=True)
    return np.where(chosen, _spread(ct, x, axis, keepdims) * share, 0.0)


def _tied(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> bool:
    """Whether an extreme is that of more than one number."""
    return bool(np.any(np.sum(np.equal(x, _spread(v, x, axis, keepdims)), axis=axis) > 1))


def _reduction(ufunc: np.ufunc, function: Callable[..., Any]) -> Callable[..., Any]:
    """What a function of NumPy's does with an array, without its look at the arguments, dearer than a small array."""

    def reduced(x: Any, *, axis: Axis, keepdims: bool) -> Any:
        reduce = ufunc.reduce if type(x) is np.ndarray else function
        return reduce(x, axis=axis, keepdims=keepdims)

    return reduced


def _mean(x: Any, *, axis: Axis, keepdims: bool) -> Any:
    """As NumPy does it, without its look at the arguments."""
    if type(x) is not np.ndarray or x.dtype not in _WIDE or not x.size or not x.ndim:
        return np.mean(x, axis=axis, keepdims=keepdims)
    total = SUM.forward(x, axis=axis, keepdims=keepdims)
    return total / (x.size // total.size)


_WIDE = (np.float64, np.float32)  # the types in which NumPy's mean adds up what has that type

SUM = array_rule("sum", _reduction(np.add, np.sum), _sum_vjp, batched=(_sum_batched,), linear=True, sums=True)
MEAN = array_rule("mean", _mean, _mean_vjp, batched=(_mean_batched,), linear=True, sums=True, averages=True)
PROD = array_rule(
    "prod",
    _reduction(np.multiply, np.prod),
    _prod_vjp,
    reach=_sum_vjp,
    complex=True,
)
MAX = array_rule(
    "max",
    _reduction(np.maximum, np.max),
    _extreme_vjp,
    selects=True,
    complex=True,
    kink=_tied,
    extreme=True,
)
MIN = array_rule(
    "min",
    _reduction(np.minimum, np.min),
    _extreme_vjp,
    selects=True,
    complex=True,
    kink=_tied,
    extreme=True,
)


def _logarithm_rule(ufunc: Any, vjp: Any) -> ArrayRule:
    return array_rule(
        f"{ufunc.__name__}.reduce",
        lambda x, *, axis, keepdims: ufunc.reduce(x, axis=axis, keepdims=keepdims),
        vjp,
        reach=_sum_vjp,
    )


LOGARITHMS = {
    np.logaddexp: _logarithm_rule(np.logaddexp, _logarithm_vjp),
    np.logaddexp2: _logarithm_rule(np.logaddexp2, _binary_logarithm_vjp),
}
