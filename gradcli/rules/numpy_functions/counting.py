"""NumPy's functions that count numbers in places: the counts are plain, the weights that are added up are not."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradcli.rules.indexing import SCATTER
from gradcli.rules.numpy_functions.serving import bare, numeric, serves


def _added(weights: Any, places: Any, count: int) -> Any:
    """The sum of the weights at each of `count` places."""
    blank = np.zeros_like(bare(weights), shape=count, dtype=np.result_type(weights, np.float64))
    return SCATTER(blank, np.ravel(weights), keys=(np.ravel(places),))


@serves("bincount")
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
    """`numpy.bincount`, differentiable in the weights."""
    counts = np.bincount(bare(x), minlength=operator.index(minlength))
    if weights is None:
        return counts
    weights = numeric(weights)
    if np.shape(weights) != np.shape(x):
        raise ValueError("The weights and list don't have the same length.")
    return _added(weights, np.asarray(x), len(counts))


@serves("histogram_bin_edges")
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Any:
    """`numpy.histogram_bin_edges`: those that are not given move with the extreme numbers."""
    plain = np.histogram_bin_edges(bare(a), bare(bins), range, bare(weights))
    if np.ndim(bins) == 1:
        return numeric(bins)
    if range is not None or np.size(a) == 0:
        return plain
    a = numeric(a)
    low, high = np.min(a), np.max(a)
    if bare(low) == bare(high):
        low, high = low - 0.5, high + 0.5
    share = np.arange(len(plain), like=plain) / (len(plain) - 1)
    inside = low + (high - low) * share[:-1]
    return np.append(inside, high)


@serves("histogram")
def histogram(a: Any, bins: Any = 10, range: Any = None, density: Any = None, weights: Any = None) -> tuple[Any, Any]:
    """`numpy.histogram`: differentiable in the weights, and in the edges of the bins by way of `density`."""
    edges = histogram_bin_edges(a, bins, range, weights)
    counts, plain = np.histogram(bare(a), bare(edges), weights=None)
    if np.ndim(bare(bins)) == 0:
        counts, plain = np.histogram(bare(a), bare(bins), range)
    if weights is not None:
        weights = numeric(weights)
        if np.shape(weights) != np.shape(a):
            raise ValueError("weights should have the same shape as a.")
        counts = _weighed(np.ravel(bare(a)), np.ravel(weights), plain)
    if density:
        widths = np.diff(edges)
        counts = counts / widths / np.sum(counts)
    return counts, edges


def _weighed(a: Any, weights: Any, edges: Any) -> Any:
    """The weights added up in each bin; the last bin has both its edges."""
    inside = (a >= edges[0]) & (a <= edges[-1])
    places = np.minimum(np.searchsorted(edges, a[inside], side="right") - 1, len(edges) - 2)
    return _added(weights[inside], places, len(edges) - 1)
