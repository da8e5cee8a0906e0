"""NumPy's histograms. Counts are plain; sums of weights are differentiable."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import decides, numeric, on_host_alone, plain_value, serves
from gradcli.mathematics.rules.indexing import SCATTER
from gradcli.shared.devices import array_on_device_of, on_device


def _added(weights: Any, places: Any, count: int) -> Any:
    """The sum of the weights at each of `count` indices."""
    blank = np.zeros_like(plain_value(weights), shape=count, dtype=np.result_type(weights, np.float64))
    return SCATTER(blank, np.ravel(weights), keys=(np.ravel(places),))


@serves("bincount")
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """`numpy.bincount`, differentiable by the weights."""
    if weights is not None:
        x = array_on_device_of(np.asarray(x) if isinstance(x, (list, tuple)) else x, plain_value(weights))
    counts = np.bincount(plain_value(x), minlength=operator.index(minlength))
    if weights is None:
        return counts
    weights = numeric(weights)
    if np.shape(weights) != np.shape(x):
        raise ValueError("The weights and list don't have the same length.")
    places = x if on_device(x) else np.asarray(x)
    return _added(weights, places.astype(int) if places.dtype.kind == "b" else places, len(counts))


@serves("histogram_bin_edges", other_steps=True)
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """`numpy.histogram_bin_edges`. Edges that are not given depend on the extreme elements."""
    if on_device(plain_value(a)):
        plain = _even_edges(plain_value(a), bins, range)
    else:
        plain = np.histogram_bin_edges(plain_value(a), plain_value(bins), range, plain_value(weights))
    if np.ndim(bins) == 1:
        return numeric(bins) if hasattr(bins, "apply_rule") else plain
    if range is not None or np.size(a) == 0:
        return plain
    a = numeric(a)
    low, high = np.min(a), np.max(a)
    if plain_value(low) == plain_value(high):
        low, high = low - 0.5, high + 0.5
    share = np.arange(len(plain), like=plain) / (len(plain) - 1)
    inside = low + (high - low) * share[:-1]
    return numeric(np.append(inside, high), plain.dtype)


def _even_edges(a: Any, bins: Any, range: Any) -> Any:
    """The edges on a device, as CuPy has no such function.

    Raises:
        UnsupportedError: the bins are to be chosen by a rule.
    """
    if isinstance(bins, str):
        raise on_host_alone(f"numpy.histogram with bins={bins!r}")
    if np.ndim(plain_value(bins)) == 1:
        return array_on_device_of(np.asarray(bins) if isinstance(bins, (list, tuple)) else plain_value(bins), a)
    low, high = (0.0, 1.0) if range is None else range
    return low + np.arange(operator.index(bins) + 1, like=a) * ((high - low) / operator.index(bins))


@serves("histogram", other_steps=True)
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> tuple[Any, Any]:
    """`numpy.histogram`, differentiable by the weights and, with `density`, by the edges of the bins."""
    decides(a)
    edges = histogram_bin_edges(a, bins, range, weights)
    decides(edges)
    counts, plain = np.histogram(plain_value(a), plain_value(edges), weights=None)
    if np.ndim(plain_value(bins)) == 0 and not on_device(plain):
        counts, plain = np.histogram(plain_value(a), plain_value(bins), range)
    if weights is not None:
        weights = numeric(weights)
        if np.shape(weights) != np.shape(a):
            raise ValueError("weights should have the same shape as a.")
        counts = numeric(_weighed(np.ravel(plain_value(a)), np.ravel(weights), plain), weights.dtype)
    if density:
        widths = numeric(np.diff(edges), float)
        counts = counts / widths / np.sum(counts)
    return counts, edges


@serves("histogramdd", sequences=("sample", "bins"), other_steps=True)
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None
) -> tuple[Any, tuple[Any, ...]]:
    """`numpy.histogramdd`, differentiable like `numpy.histogram`."""
    columns = list(sample) if isinstance(sample, (list, tuple)) else list(np.atleast_2d(numeric(sample).T))
    columns = [numeric(column) for column in columns]
    if not isinstance(bins, (list, tuple)) and np.ndim(plain_value(bins)) == 0:
        bins = [bins] * len(columns)
    range = [None] * len(columns) if range is None else range
    edges = tuple(map(histogram_bin_edges, columns, bins, range))
    decides(*columns, *edges)
    plain = [np.ravel(plain_value(column)) for column in columns]
    if weights is None and on_device(plain[0]):
        weights = np.ones_like(plain[0])
    if weights is None:
        counts, _ = np.histogramdd(plain, [plain_value(edge) for edge in edges])
    else:
        inside: Any = True
        flat: Any = 0
        for x, edge in zip(plain, map(plain_value, edges), strict=True):
            inside = inside & (x >= edge[0]) & (x <= edge[-1])
            flat = flat * (len(edge) - 1) + _bins(x, edge)
        shape = tuple(len(edge) - 1 for edge in edges)
        counts = np.reshape(_added(np.ravel(numeric(weights))[inside], flat[inside], math.prod(shape)), shape)
    if density:
        total = np.sum(counts)
        for n, edge in enumerate(edges):
            counts = counts / np.reshape(np.diff(edge), [-1 if k == n else 1 for k, _ in enumerate(edges)])
        counts = counts / total
    return counts, edges


def _bins(a: Any, edges: Any) -> Any:
    """The bin of each element that is in one. The last bin includes both edges."""
    return np.minimum(np.searchsorted(edges, a, side="right") - 1, len(edges) - 2)


def _weighed(a: Any, weights: Any, edges: Any) -> Any:
    """The sum of the weights in each bin. The last bin includes both edges."""
    inside = (a >= edges[0]) & (a <= edges[-1])
    return _added(weights[inside], _bins(a[inside], edges), len(edges) - 1)
