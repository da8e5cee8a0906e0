"""Array rules that combine the numbers up to each place along an axis: cumsum, cumprod."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.table import array_rule


def _at(x: Any, axis: int, part: slice) -> Any:
    return x[(slice(None),) * (axis % np.ndim(x)) + (part,)]


def _from_the_end(ct: Any, v: Any, x: Any, *, axis: int) -> Any:
    """The sum of `ct` from each place to the end."""
    return np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis)


def _shifted(x: Any, axis: int, by: int, fill: int) -> Any:
    """`x` moved along an axis by `by` places, towards the end if positive, with `fill` where nothing comes from."""
    count = np.shape(x)[axis]
    shape = tuple(min(abs(by), count) if a == axis % np.ndim(x) else n for a, n in enumerate(np.shape(x)))
    blank = np.full_like(getattr(x, "_value", x), fill, shape=shape)
    if by > 0:
        return np.concatenate([blank, _at(x, axis, slice(None, max(0, count - by)))], axis=axis)
    return np.concatenate([_at(x, axis, slice(-by, None)), blank], axis=axis)


def _cumprod_vjp(ct: Any, v: Any, x: Any, *, axis: int) -> Any:
    """The product before each place times `r`, where `r[j] = ct[j] + x[j + 1] * r[j + 1]`: nothing is divided.

    The recurrence is solved by doubling (Blelloch, Prefix sums and their applications, 1990), so that zeros, and
    products that underflow, do no harm; the cost is that of the product times the logarithm of the length.
    """
    total, factor, step = ct, _shifted(x, axis, -1, 1), 1
    while step < np.shape(x)[axis]:
        total = total + factor * _shifted(total, axis, -step, 0)
        factor = factor * _shifted(factor, axis, -step, 1)
        step *= 2
    return total * _shifted(v, axis, 1, 1)


CUMSUM = array_rule("cumsum", "x, *, axis: np.cumsum(x, axis=axis)", _from_the_end, linear=True)
CUMPROD = array_rule("cumprod", "x, *, axis: np.cumprod(x, axis=axis)", _cumprod_vjp, reach=_from_the_end, complex=True)
