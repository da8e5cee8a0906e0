"""NumPy's functions of spread and correlation: variances, weighted averages, covariances."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import array_rule
from gradcli.mathematics.rules.elementwise import ROOT
from gradcli.mathematics.rules.function_registry import axes_of, is_given, numeric, serves
from gradcli.mathematics.rules.library_values import with_value_of
from gradcli.mathematics.rules.numpy.reductions import divided_by_count, element_count, lanes, squared_size
from gradcli.mathematics.rules.numpy.scaled_lengths import leaves_range, scaled_length


def _bounded(x: Any) -> Any:
    """Clip. The excess is rounding error, so the derivative ignores it; numbers with many digits need no clipping."""
    return x if x.dtype.kind == "O" else np.clip(x, -1, 1)


BOUNDED = array_rule(
    "bounded",
    "x: np.clip(x, -1, 1)",
    lambda ct, v, x: ct,
    compute=_bounded,
    reach=lambda marks, v, x: marks,
    diagonal=True,
)


@serves("var")
def var(  # noqa: PLR0913 - NumPy's signature
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """`numpy.var`: the mean squared deviation from the mean, which avoids cancellation."""
    if is_given(correction):
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    return numeric(_variance(numeric(a, dtype), axis, ddof, keepdims, where, mean), dtype)


def _variance(a: Any, axis: Any, ddof: Any, keepdims: Any, where: Any, mean: Any) -> Any:
    where = True if where is np._NoValue else where
    middle = mean if is_given(mean) else np.mean(a, axis=axis, keepdims=True, where=where)
    squares = squared_size(lanes(a - middle, where, 0.0))
    count = element_count(a, where, axis, keepdims)
    total = np.sum(squares, axis=axis, keepdims=is_given(keepdims) and bool(keepdims))
    return divided_by_count(total, np.maximum(count - ddof, 0))


@serves("std")
def std(  # noqa: PLR0913 - NumPy's signature
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """`numpy.std`. Its derivative is 0 where all elements are equal."""
    spread = var(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction)
    where = where if is_given(where) else True
    if leaves_range(spread, lanes(numeric(a), where, 0.0), axis):
        ddof = correction if is_given(correction) else ddof
        options = {"ddof": ddof, "keepdims": is_given(keepdims) and bool(keepdims), "where": where}
        return _STD_OF_SCALED(a if not is_given(mean) else a - mean, axis, dtype, **options)
    return numeric(ROOT(np.real(spread)), dtype)


def _std_of_scaled(a: Any, axis: Any, dtype: Any, *, ddof: Any, keepdims: bool, where: Any) -> Any:
    """`numpy.std` by the variance of the numbers divided by a power of two, which is in range."""

    def length(a: Any) -> Any:
        return numeric(ROOT(np.real(var(a, axis, dtype, None, ddof, keepdims, where=where))), dtype)

    return scaled_length(length, lanes(numeric(a), where, 0.0), axis, keepdims)


_STD_OF_SCALED = with_value_of("std", _std_of_scaled)


def weights_like(a: Any, axis: Any, weights: Any) -> Any:
    """Weights in the shape of `a`, or in a shape that broadcasts to it.

    Raises:
        TypeError, ValueError: their shape is neither that of `a` nor that of its axes `axis`.
    """
    weights = numeric(weights)
    if np.shape(weights) == np.shape(a):
        return weights
    if axis is None:
        raise TypeError("Axis must be specified when shapes of a and weights differ.")
    axes = axes_of(a, axis)
    if np.shape(weights) != tuple(np.shape(a)[n] for n in axes):
        raise ValueError("Shape of weights must be consistent with shape of a along specified axis.")
    ordered = np.transpose(weights, tuple(int(n) for n in np.argsort(axes)))
    return np.reshape(ordered, tuple(n if k in axes else 1 for k, n in enumerate(np.shape(a))))


@serves("average")
def average(a: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: Any = False) -> Any:
    """`numpy.average`, also differentiable by the weights."""
    a, options = numeric(a), {"axis": axis, "keepdims": is_given(keepdims) and bool(keepdims)}
    if weights is None:
        result = np.mean(a, **options)
        total = np.full_like(result, np.size(a) / max(1, np.size(result)))
        return (result, total[()]) if returned else result
    weights = weights_like(a, axis, weights)
    total = np.sum(weights, **options)
    if np.any(total == 0.0):
        raise ZeroDivisionError("Weights sum to zero, can't be normalized")
    result = np.sum(a * weights, **options) / total
    if not returned:
        return result
    return result, (total if np.shape(total) == np.shape(result) else np.broadcast_to(total, np.shape(result)))


@serves("cov", other_steps=True)
def cov(  # noqa: PLR0913, PLR0917 - NumPy's signature
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> Any:
    """`numpy.cov`, also differentiable by `aweights`."""
    if ddof is not None and ddof != int(ddof):
        raise ValueError("ddof must be integer")
    observed = _observations(m, y, rowvar, dtype)
    if np.shape(observed)[0] == 0:
        return np.zeros_like(observed, shape=(0, 0))
    ddof = (0 if bias else 1) if ddof is None else ddof
    weights = _weights(fweights, aweights, np.shape(observed)[1])
    middle, totals = np.average(observed, axis=1, weights=weights, returned=True)
    total = totals[0]
    if weights is None or ddof == 0 or aweights is None:
        divisor = total - ddof
    else:
        divisor = total - ddof * np.sum(weights * numeric(aweights)) / total
    divisor = np.maximum(divisor, 0.0)
    deviations = observed - middle[:, None]
    weighted = deviations if weights is None else deviations * weights
    other = np.conj(weighted) if np.iscomplexobj(weighted) else weighted
    return np.squeeze(np.dot(deviations, other.T) / divisor)


def _observations(m: Any, y: Any, rowvar: bool, dtype: Any) -> Any:
    """The observations with one row per variable."""
    parts = [numeric(part) for part in (m, y) if part is not None]
    for name, part in zip("my", parts, strict=False):
        if np.ndim(part) > 2:
            raise ValueError(f"{name} has more than 2 dimensions")
    dtype = np.result_type(*(part.dtype for part in parts), np.float64) if dtype is None else dtype
    rows = [np.atleast_2d(numeric(part, dtype)) for part in parts]
    if not rowvar:
        turned = [np.ndim(parts[0]) != 1, *(np.shape(row)[0] != 1 for row in rows[1:])]
        rows = [row.T if turn else row for row, turn in zip(rows, turned, strict=True)]
    return rows[0] if len(rows) == 1 else np.concatenate(rows, axis=0)


def _weights(fweights: Any, aweights: Any, count: int) -> Any:
    """The product of frequencies and weights, one per observation, or None."""
    product = None
    for name, asked in (("fweights", fweights), ("aweights", aweights)):
        if asked is None:
            continue
        weights = numeric(asked)
        if name == "fweights" and not np.all(weights == np.around(weights)):
            raise TypeError("fweights must be integer")
        if np.ndim(weights) > 1:
            raise RuntimeError(f"cannot handle multidimensional {name}")
        if np.shape(weights)[0] != count:
            raise RuntimeError(f"incompatible numbers of samples and {name}")
        if np.any(weights < 0):
            raise ValueError(f"{name} cannot be negative")
        product = weights if product is None else product * weights
    return product


@serves("corrcoef", other_steps=True)
def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> Any:
    """`numpy.corrcoef`."""
    covariances = cov(x, y, rowvar, dtype=dtype)
    if np.ndim(covariances) == 0:
        return covariances / covariances
    spreads = np.sqrt(np.real(np.diag(covariances)))
    correlations = covariances / spreads[:, None] / spreads[None, :]
    if np.iscomplexobj(correlations):
        return BOUNDED(np.real(correlations)) + 1j * BOUNDED(np.imag(correlations))
    return BOUNDED(correlations)
