"""Array rules for reductions along axes: sum, mean, prod, max, min."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule, array_rule
from gradcli.mathematics.rules.shape import broadcast

Axis = int | tuple[int, ...] | None


def _reduced(x: Any, axis: Axis) -> tuple[int, ...]:
    """The axes of `x` that a reduction along `axis` removes, counted from 0."""
    axes = range(np.ndim(x)) if axis is None else (axis,) if isinstance(axis, int) else axis
    return tuple(a % np.ndim(x) for a in axes) if np.ndim(x) else ()


def _spread(ct: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """`ct`, the cotangent of a reduction of `x`, with the reduced axes restored with length 1."""
    if keepdims or axis is None or np.ndim(x) == 0:
        return ct
    lengths = [*np.shape(x)]
    for a in (axis,) if isinstance(axis, int) else axis:
        lengths[a] = 1
    shape = tuple(lengths)
    return ct.reshape(shape) if type(ct) is np.ndarray else np.reshape(ct, shape)


def _spread_each(cts: Any, x: Any, axis: Axis) -> Any:
    """The same for stacked cotangents."""
    reduced = _reduced(x, axis)
    return cts.reshape(len(cts), *(1 if a in reduced else n for a, n in enumerate(np.shape(x))))


def _sum_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    if axis is None:
        return ct  # a scalar, or with axes of length 1
    return broadcast(_spread(ct, x, axis, keepdims), np.shape(x))


def _sum_batched(cts: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    return np.broadcast_to(_spread_each(cts, x, axis), (len(cts), *np.shape(x)))


def _mean_vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    count = np.size(x) // max(1, np.size(v))
    return _sum_vjp(ct / max(1, count), v, x, axis=axis, keepdims=keepdims)


def _mean_batched(cts: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
    count = np.size(x) // max(1, np.size(v))
    return _sum_batched(cts / max(1, count), v, x, axis=axis, keepdims=keepdims)


def _weighted(
    name: str, definition: str, weights: Callable[..., Any], times: Callable[..., Any] = operator.mul, **options: Any
) -> ArrayRule:
    """The rule of a reduction with a partial for each element that it reduces, by which `times` multiplies."""

    def vjp(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
        return times(_spread(ct, x, axis, keepdims), weights(v, x, axis, keepdims))

    def batched(cts: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
        return times(_spread_each(cts, x, axis), weights(v, x, axis, keepdims))

    def jvp(tangents: dict[int, Any], v: Any, x: Any, *, axis: Axis, keepdims: bool) -> Any:
        return np.sum(times(tangents[0], weights(v, x, axis, keepdims)), axis=axis, keepdims=keepdims)

    return array_rule(name, definition, vjp, jvp=jvp, batched=(batched,), **options)


def _shares_of_powers(power: np.ufunc) -> Callable[..., Any]:
    """The share of each element in the sum of powers; nan where all powers are zero, as in the stepwise reduction."""
    return lambda v, x, axis, keepdims: power(x - _spread(v, x, axis, keepdims))


def _others_product(v: Any, x: Any, axis: Axis, keepdims: bool) -> Any:
    """The product of all other elements: `v / x` unless part of the product may overflow or underflow."""
    last = _reduced(x, axis)
    if _is_moderate(getattr(x, "_value", x), math.prod(np.shape(x)[a] for a in last)):
        return _spread(v, x, axis, keepdims) / x
    order = (*(a for a in range(np.ndim(x)) if a not in last), *last)
    moved = np.transpose(x, order)
    kept = np.shape(moved)[: np.ndim(x) - len(last)]
    others = _others(np.reshape(moved, (*kept, math.prod(np.shape(x)[a] for a in last))))
    back = tuple(int(a) for a in np.argsort(order))
    return np.transpose(np.reshape(others, np.shape(moved)), back)


def _is_moderate(x: Any, count: int) -> bool:
    """Whether no product of up to `count` elements of `x` can overflow or underflow."""
    sizes = np.abs(x)
    low, high = (float(bound(sizes)) if np.size(x) else 1.0 for bound in (np.min, np.max))
    range_of_floats = -float(np.log(np.finfo(x.dtype).tiny))
    return low > 0 and high < math.inf and count * max(math.log(high), -math.log(low), 0.0) < range_of_floats


def _others(x: Any) -> Any:
    """For each element the product of all others along the last axis, by a tree of pairwise products."""
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
    """Whether a number or an array contains nan. Fast for a single number, as only nan differs from itself."""
    unequal = v != v  # noqa: PLR0124
    return bool(unequal) if type(unequal) is np.bool_ else bool(np.count_nonzero(unequal))


def _chosen(v: Any, x: Any, axis: Axis, keepdims: bool) -> tuple[Any, Any]:
    """The mask of the extreme elements and their number. Ties share equally; if the extreme is nan, all nan do."""
    extreme = _spread(v, x, axis, keepdims)
    chosen = np.equal(x, extreme)
    if _has_nan(getattr(v, "_value", v)):
        chosen = chosen | (np.isnan(getattr(extreme, "_value", extreme)) & np.isnan(getattr(x, "_value", x)))
    return chosen, chosen.sum(axis=axis, keepdims=True)


def _shared(ct: Any, partial: tuple[Any, Any]) -> Any:
    """A cotangent or a tangent, divided among the extreme elements. Other elements get exactly zero."""
    chosen, count = partial
    return np.where(chosen, ct / count, 0.0)


def _tied(ct: Any, v: Any, x: Any, *, axis: Axis, keepdims: bool) -> bool:
    """Whether several elements share an extreme."""
    return bool(np.any(np.sum(np.equal(x, _spread(v, x, axis, keepdims)), axis=axis) > 1))


def _reduction(ufunc: np.ufunc, function: Callable[..., Any]) -> Callable[..., Any]:
    """A NumPy reduction without NumPy's argument checks, which cost more than a small array does."""

    def reduced(x: Any, *, axis: Axis, keepdims: bool) -> Any:
        reduce = ufunc.reduce if type(x) is np.ndarray else function
        return reduce(x, axis=axis, keepdims=keepdims)

    return reduced


def _mean(x: Any, *, axis: Axis, keepdims: bool) -> Any:
    """NumPy's mean without its argument checks."""
    if type(x) is not np.ndarray or x.dtype not in _WIDE or not x.size or not x.ndim:
        return np.mean(x, axis=axis, keepdims=keepdims)
    total: Any = np.add.reduce(x, axis=axis, keepdims=keepdims)  # type: ignore[call-overload]
    return total / (x.size // total.size)


def _extreme(name: str, ufunc: np.ufunc, function: Callable[..., Any]) -> ArrayRule:
    return _weighted(
        name,
        f"x, *, axis, keepdims: np.{name}(x, axis=axis, keepdims=keepdims)",
        _chosen,
        _shared,
        compute=_reduction(ufunc, function),
        selects=True,
        complex=True,
        kink=_tied,
        extreme=True,
    )


_WIDE = (np.float64, np.float32)  # dtypes that NumPy's mean accumulates without conversion

SUM = array_rule(
    "sum",
    "x, *, axis, keepdims: np.sum(x, axis=axis, keepdims=keepdims)",
    _sum_vjp,
    compute=_reduction(np.add, np.sum),
    batched=(_sum_batched,),
    linear=True,
    sums=True,
)
MEAN = array_rule(
    "mean",
    "x, *, axis, keepdims: np.mean(x, axis=axis, keepdims=keepdims)",
    _mean_vjp,
    compute=_mean,
    batched=(_mean_batched,),
    linear=True,
    sums=True,
    averages=True,
)
PROD = _weighted(
    "prod",
    "x, *, axis, keepdims: np.prod(x, axis=axis, keepdims=keepdims)",
    _others_product,
    compute=_reduction(np.multiply, np.prod),
    reach=_sum_vjp,
    complex=True,
)
MAX = _extreme("max", np.maximum, np.max)
MIN = _extreme("min", np.minimum, np.min)
STEPWISE = {
    ufunc: _weighted(
        f"{ufunc.__name__}.reduce",
        f"x, *, axis, keepdims: np.{ufunc.__name__}.reduce(x, axis=axis, keepdims=keepdims)",
        shares,
        reach=_sum_vjp,
    )
    for ufunc, shares in (
        (np.logaddexp, _shares_of_powers(np.exp)),
        (np.logaddexp2, _shares_of_powers(np.exp2)),
        (np.hypot, lambda v, x, axis, keepdims: x / _spread(v, x, axis, keepdims)),
    )
}
