"""Array rules for cumulative sums and products along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import array_rule


def _at(x: Any, axis: int, part: slice) -> Any:
    return x[(slice(None),) * (axis % np.ndim(x)) + (part,)]


def _from_the_end(ct: Any, v: Any, x: Any, *, axis: int) -> Any:
    """The sum of `ct` from each position to the end."""
    return np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis)


def _shifted(x: Any, axis: int, by: int, fill: int) -> Any:
    """`x` shifted along an axis by `by` positions, towards the end if positive, with `fill` in empty positions."""
    count = np.shape(x)[axis]
    shape = tuple(min(abs(by), count) if a == axis % np.ndim(x) else n for a, n in enumerate(np.shape(x)))
    blank = np.full_like(getattr(x, "_value", x), fill, shape=shape)
    if by > 0:
        return np.concatenate([blank, _at(x, axis, slice(None, max(0, count - by)))], axis=axis)
    return np.concatenate([_at(x, axis, slice(-by, None)), blank], axis=axis)


def _recurrence(x: Any, factor: Any, axis: int, step: int) -> Any:
    """The solution of `r[j] = x[j] + factor[j] * r[j - step]` along an axis, for a step of 1 or -1.

    It is computed by doubling (Blelloch, Prefix sums and their applications, 1990), without division, so zeros and
    underflowing products are harmless. The cost is that of the product times the logarithm of the length.
    """
    while abs(step) < np.shape(factor)[axis]:
        x = x + factor * _shifted(x, axis, step, 0)
        factor = factor * _shifted(factor, axis, step, 1)
        step *= 2
    return x


def _is_moderate(v: Any) -> bool:
    """Whether no product is zero, or so large or small that a multiple of it may leave the range of its dtype."""
    v = getattr(v, "_value", v)
    sizes, least = np.abs(v), float(np.finfo(v.dtype).tiny) ** 0.5
    return bool(v.size > 0 and np.min(sizes) > least and np.max(sizes) < 1.0 / least)


def _cumprod_vjp(ct: Any, v: Any, x: Any, *, axis: int) -> Any:
    """The product of the preceding elements times `r`, where `r[j] = ct[j] + x[j + 1] * r[j + 1]`.

    That is the sum of `ct * v` from `j` on, divided by `x[j]`, unless a product vanishes or leaves the range of floats.
    """
    if _is_moderate(v):
        return _from_the_end(ct * v, v, x, axis=axis) / x
    return _recurrence(ct, _shifted(x, axis, -1, 1), axis, -1) * _shifted(v, axis, 1, 1)


CUMSUM = array_rule(
    "cumsum",
    "x, *, axis: np.cumsum(x, axis=axis)",
    _from_the_end,
    batched=(lambda cts, v, x, *, axis: _from_the_end(cts, v, x, axis=axis % np.ndim(x) - np.ndim(x)),),
    linear=True,
)
CUMPROD = array_rule(
    "cumprod",
    "x, *, axis: np.cumprod(x, axis=axis)",
    _cumprod_vjp,
    # The product rule: t[j] = v[j - 1] * dx[j] + x[j] * t[j - 1]
    jvp=lambda tangents, v, x, *, axis: _recurrence(_shifted(v, axis, 1, 1) * tangents[0], x, axis, 1),
    batched=(lambda cts, v, x, *, axis: _cumprod_vjp(cts, v, x, axis=axis % np.ndim(x) - np.ndim(x)),),
    reach=_from_the_end,
    complex=True,
)
