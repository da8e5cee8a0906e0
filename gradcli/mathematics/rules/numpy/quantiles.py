"""NumPy's quantiles. The elements they are made of are an outcome; the combination of the elements is differentiable.

NumPy computes the same quantile of the ranks 0, 1, 2, … of the elements. The integer part of the result is the position
of an element in sorted order, and the fraction the distance to the next one, so every method, weights and missing
values follow NumPy. Among equal elements, the first in the array is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import (
    apply_plainly,
    axes_of,
    decides,
    is_given,
    numeric,
    on_host_alone,
    plain_value,
    serves,
)
from gradcli.mathematics.rules.indexing import INDEX
from gradcli.mathematics.rules.numpy.sorting import stable_order
from gradcli.mathematics.rules.numpy.statistics import weights_like
from gradcli.shared.devices import array_on_device_of, on_device

# The slope and start of the rank, which is q (n + slope) + start for quantile q of n elements. Other methods are steps.
# Source: Hyndman & Fan, Sample quantiles in statistical packages, The American Statistician 50 (1996).
LINES = {
    "interpolated_inverted_cdf": (0.0, -1.0),
    "hazen": (0.0, -1 / 2),
    "weibull": (1.0, -1.0),
    "linear": (-1.0, 0.0),
    "median_unbiased": (1 / 3, -2 / 3),
    "normal_unbiased": (1 / 4, -5 / 8),
}

ONE_NUMBER = frozenset({"inverted_cdf", "closest_observation", "lower", "higher", "nearest"})


class Rows:
    """The elements of an array with the reduced axes moved last and merged, and their sorted order."""

    def __init__(self, a: Any, axis: Any, keepdims: Any) -> None:
        self.array = a
        self.axes = axes_of(a, axis)
        self.kept = tuple(n for k, n in enumerate(np.shape(a)) if k not in self.axes)
        self.shape = (
            tuple(1 if k in self.axes else n for k, n in enumerate(np.shape(a)))
            if is_given(keepdims) and keepdims
            else self.kept
        )
        self.numbers = self.in_rows(a)
        self.order = stable_order(self.numbers, -1)
        self.missing = np.isnan(self.numbers)
        self.count = np.count_nonzero(~self.missing, axis=-1)

    def in_rows(self, x: Any) -> Any:
        """An array of the same shape, rearranged in the same way."""
        count = math.prod(np.shape(self.array)[k] for k in self.axes)
        return np.reshape(np.moveaxis(x, self.axes, range(-len(self.axes), 0)), (*self.kept, count))

    def ranks(self) -> Any:
        """The position of each element in sorted order; nan for nan."""
        return np.where(self.missing, np.nan, np.argsort(self.order, axis=-1))

    def read(self, ranks: Any) -> Any:
        """The elements at some ranks, given along the first axis."""
        places = np.take_along_axis(self.order, np.moveaxis(ranks, 0, -1), axis=-1)
        rows = tuple(
            np.reshape(np.arange(n, like=self.order), (n,) + (1,) * (len(self.kept) - k))
            for k, n in enumerate(self.kept)
        )
        return np.moveaxis(INDEX(self.numbers, key=(*rows, places)), -1, 0)


def _ranks_on_device(rows: Rows, q: Any, method: str, skips: bool) -> Any:
    """The ranks by formula: CuPy's quantile supports few methods, and no missing values."""
    q = np.reshape(q, (*np.shape(q), *(1,) * np.ndim(rows.count)))
    last = rows.count - 1
    if method in LINES:
        slope, start = LINES[method]
        ranks = q * (rows.count + slope) + start
    else:
        ranks = _ROUNDED[method](q * last) if method in _ROUNDED else _STEPS[method](q * rows.count - 1)
    present = rows.count == np.shape(rows.numbers)[-1]
    return np.where((rows.count > 0) & (skips | present), np.clip(ranks, 0.0, np.maximum(last, 0)), np.nan)


_ROUNDED: dict[str, Callable[[Any], Any]] = {
    "lower": np.floor,
    "higher": np.ceil,
    "nearest": np.around,
    "midpoint": lambda rank: (np.floor(rank) + np.ceil(rank)) / 2,
}


_STEPS: dict[str, Callable[[Any], Any]] = {
    "inverted_cdf": np.ceil,
    "averaged_inverted_cdf": lambda rank: np.floor(rank) + np.where(rank == np.floor(rank), 0.5, 1.0),
    "closest_observation": lambda rank: np.ceil(rank - 0.5) + (np.remainder(rank - 0.5, 2.0) == 0.0),
}


def _by_rank(rows: Rows, ranks: Any, between: Callable[..., Any], dtype: Any = None) -> Any:
    """Apply `between` to the elements at the ranks below and above some ranks, and to the fractions of the ranks."""
    last = np.shape(rows.order)[-1] - 1
    flat = np.reshape(ranks, (-1, *rows.kept))
    lost = apply_plainly(np.isnan, flat)
    flat = np.where(lost, last, flat)  # nan is sorted last
    below = np.clip(np.floor(flat), 0, last).astype(int)
    above = np.minimum(below + 1, np.where(lost, last, np.maximum(rows.count - 1, 0)))
    fraction = flat - below
    return between(rows.read(below), rows.read(above), fraction if dtype is None else fraction.astype(dtype))


def _the_one(before: Any, after: Any, fraction: Any) -> Any:
    """The lower element, for methods that select one."""
    return before


def _towards(before: Any, after: Any, fraction: Any) -> Any:
    """Linear interpolation between two elements, rounded as in NumPy."""
    distance = after - before
    return np.where(fraction >= 0.5, after - distance * (1 - fraction), before + distance * fraction)


def _halfway(before: Any, after: Any, fraction: Any) -> Any:
    """The mean of two elements, or the first alone."""
    if not np.any(fraction):
        return before
    return np.where(fraction > 0, (before + after) / 2, before)


def _serve_median(name: str, function: Callable[..., Any]) -> None:
    @serves(name, other_steps=True)
    def median(a: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: Any = False) -> Any:
        rows = Rows(numeric(a), axis, keepdims)
        if np.size(rows.order) == 0:
            return np.reshape(function(plain_value(rows.numbers), axis=-1), rows.shape)[()]
        return np.reshape(_by_rank(rows, function(rows.ranks(), axis=-1), _halfway), rows.shape)


_serve_median("median", np.median)
_serve_median("nanmedian", np.nanmedian)


def _quantile(function: Callable[..., Any], rows: Rows, q: Any, method: str, weights: Any) -> Any:
    """A quantile of each row; `weights` are arranged in rows."""
    is_recorded = hasattr(q, "apply_rule")
    is_weak = isinstance(plain_value(q), (int, float)) and not hasattr(plain_value(q), "dtype")
    q = numeric(q) if is_recorded else array_on_device_of(numeric(q), plain_value(rows.array))
    asked = partial(function, q=plain_value(q), axis=-1, method=method)
    if weights is not None:
        asked = partial(asked, weights=weights)
    shape = (*np.shape(q), *rows.shape)
    if np.size(rows.order) == 0:
        nothing = asked(plain_value(rows.numbers))
        return np.reshape(nothing, shape)[()] if np.size(nothing) == math.prod(shape) else nothing
    if on_device(plain_value(rows.numbers)):
        if weights is not None:
            raise on_host_alone("numpy.quantile with weights=")
        ranks = _ranks_on_device(rows, plain_value(q), method, function is np.nanquantile)
    else:
        ranks = asked(rows.ranks())
    decides(q)
    if is_recorded and weights is None:
        ranks = _moving_with(q, ranks, rows.count, method)
    dtype = rows.array.dtype if is_weak else np.result_type(rows.array.dtype, q.dtype)
    between = _the_one if method in ONE_NUMBER or weights is not None else _towards
    return np.reshape(_by_rank(rows, ranks, between, dtype), shape)


def _moving_with(q: Any, ranks: Any, count: Any, method: str) -> Any:
    """The ranks with the derivative by a recorded quantile, which is zero on steps and beyond the ends."""
    if method not in LINES:
        return ranks
    slope = np.where((ranks > 0) & (ranks < count - 1), count + LINES[method][0], 0.0)
    change = np.reshape(q - plain_value(q), (*np.shape(q), *(1,) * np.ndim(count)))
    return ranks + slope * change


def _serve_quantile(name: str, function: Callable[..., Any], whole: int) -> None:
    """Register a NumPy quantile that is `function` of `q / whole`."""

    @serves(name, other_steps=True)
    def quantile(  # noqa: PLR0913, PLR0917 - NumPy's signature
        a: Any,
        q: Any,
        axis: Any = None,
        out: Any = None,
        overwrite_input: bool = False,
        method: str = "linear",
        keepdims: Any = False,
        *,
        weights: Any = None,
    ) -> Any:
        """A quantile, also differentiable by `q` if the method interpolates linearly."""
        if whole != 1:
            q = q / whole if isinstance(q, (int, float)) else np.true_divide(q, whole)
        a = numeric(a)
        rows = Rows(a if hasattr(a, "dtype") else np.asarray(a)[()], axis, keepdims)
        if weights is not None:
            spread = np.broadcast_to(weights_like(rows.array, axis, plain_value(weights)), np.shape(rows.array))
            weights = rows.in_rows(spread)
        return _quantile(function, rows, q, method, weights)


for _name, _function, _whole in (
    ("quantile", np.quantile, 1),
    ("nanquantile", np.nanquantile, 1),
    ("percentile", np.quantile, 100),
    ("nanpercentile", np.nanquantile, 100),
):
    _serve_quantile(_name, _function, _whole)
