"""NumPy's cumulative functions."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradcli.rules.cumulative import CUMPROD, CUMSUM
from gradcli.rules.function_registry import axes_of, numeric, plain_value, serves


def _cumulated(rule: Any, a: Any, axis: Any, dtype: Any) -> Any:
    a = np.ravel(numeric(a, dtype)) if axis is None or np.ndim(a) == 0 else numeric(a, dtype)
    return rule(a, axis=0 if axis is None else operator.index(axis))


@serves("cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.cumsum`."""
    return _cumulated(CUMSUM, a, axis, dtype)


@serves("cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.cumprod`."""
    return _cumulated(CUMPROD, a, axis, dtype)


@serves("cumulative_sum")
def cumulative_sum(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Any:
    """`numpy.cumulative_sum`."""
    return _array_api(CUMSUM, 0.0, x, axis, dtype, include_initial)


@serves("cumulative_prod")
def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, out: Any = None, include_initial: bool = False
) -> Any:
    """`numpy.cumulative_prod`."""
    return _array_api(CUMPROD, 1.0, x, axis, dtype, include_initial)


def _array_api(rule: Any, start: float, x: Any, axis: int | None, dtype: Any, include_initial: bool) -> Any:
    x = numeric(x, dtype)
    if np.ndim(x) == 0:
        x = np.atleast_1d(x)
    if np.ndim(x) > 1 and axis is None:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    result = rule(x, axis=0 if axis is None else operator.index(axis))
    if not include_initial:
        return result
    (along,) = axes_of(x, 0 if axis is None else axis)
    shape = tuple(1 if k == along else n for k, n in enumerate(np.shape(x)))
    return np.concatenate([np.full_like(plain_value(x), start, shape=shape), result], axis=along)
