"""SciPy's pairwise distances: `cdist` and `pdist` of `scipy.spatial.distance`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, serves, unsupported

Metric = Callable[..., Any]


def _minkowski(u: Any, v: Any, p: Any = 2, w: Any = None) -> Any:
    return np.linalg.norm(u - v if w is None else w ** (1.0 / p) * (u - v), p, axis=-1)


def _euclidean(u: Any, v: Any, w: Any = None) -> Any:
    # Its derivative is 0 between equal points.
    return np.linalg.norm(u - v if w is None else np.sqrt(w) * (u - v), axis=-1)


def _of_terms(terms: Metric) -> Metric:
    """A metric that is a sum over the coordinates."""
    return lambda u, v, w=None: np.sum(terms(u, v) if w is None else w * terms(u, v), axis=-1)


def _share(u: Any, v: Any) -> Any:
    """The contribution of a coordinate to the Canberra distance: zero where both are 0."""
    size = np.abs(u) + np.abs(v)
    return np.abs(u - v) / np.where(size == 0.0, 1.0, size)


def _cosine(u: Any, v: Any, w: Any = None) -> Any:
    weights = 1.0 if w is None else w
    product, own, other = (np.sum(weights * x, axis=-1) for x in (u * v, u * u, v * v))
    return 1.0 - product / np.sqrt(own) / np.sqrt(other)


def _correlation(u: Any, v: Any, w: Any = None) -> Any:
    weights = np.ones(np.shape(u)[-1]) if w is None else w
    means = [(np.sum(weights * x, axis=-1) / np.sum(weights))[..., None] for x in (u, v)]
    return _cosine(u - means[0], v - means[1], w)


def _braycurtis(u: Any, v: Any, w: Any = None) -> Any:
    weights = 1.0 if w is None else w
    return np.sum(weights * np.abs(u - v), axis=-1) / np.sum(weights * np.abs(u + v), axis=-1)


def _chebyshev(u: Any, v: Any, w: Any = None) -> Any:
    return np.max(np.abs(u - v) if w is None else np.where(w > 0, np.abs(u - v), 0.0), axis=-1)


METRICS: dict[str, Metric] = {
    "braycurtis": _braycurtis,
    "canberra": _of_terms(_share),
    "chebyshev": _chebyshev,
    "cityblock": _of_terms(lambda u, v: np.abs(u - v)),
    "correlation": _correlation,
    "cosine": _cosine,
    "euclidean": _euclidean,
    "mahalanobis": lambda u, v, VI: np.sqrt(np.einsum("...i,ij,...j", u - v, VI, u - v)),
    "minkowski": _minkowski,
    "seuclidean": lambda u, v, V: _euclidean(u, v, 1.0 / V),
    "sqeuclidean": _of_terms(lambda u, v: np.square(u - v)),
}


def _chosen(metric: Any, points: Callable[[], Any], options: dict[str, Any]) -> tuple[Metric, dict[str, Any]]:
    """The metric and its options, including those that SciPy computes from the points."""
    if metric == "seuclidean" and options.get("V") is None:
        options["V"] = np.var(points(), axis=0, ddof=1)
    if metric == "mahalanobis" and options.get("VI") is None:
        options["VI"] = np.linalg.inv(np.cov(np.transpose(points())))
    if callable(metric):
        return _one_by_one(metric), options
    if metric not in METRICS:
        raise unsupported(f"scipy.spatial.distance with metric={metric}")
    return METRICS[metric], {name: numeric(x) for name, x in options.items() if x is not None}


def _one_by_one(metric: Metric) -> Metric:
    """The program's own metric, applied to each pair."""

    def between(u: Any, v: Any, **options: Any) -> Any:
        shape = np.broadcast_shapes(np.shape(u), np.shape(v))
        u, v = np.broadcast_to(u, shape), np.broadcast_to(v, shape)
        distances = [metric(u[place], v[place], **options) for place in np.ndindex(shape[:-1])]
        return np.reshape(np.stack(distances), shape[:-1])

    return between


@serves("scipy.spatial.distance.cdist", other_steps=True)
def cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **options: Any) -> Any:
    """`scipy.spatial.distance.cdist`, by the differences of all pairs."""
    first, second = numeric(XA), numeric(XB)
    between, options = _chosen(metric, lambda: np.concatenate([first, second]), options)
    return between(first[:, None], second[None], **options)


@serves("scipy.spatial.distance.pdist", other_steps=True)
def pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, **options: Any) -> Any:
    """`scipy.spatial.distance.pdist`, with each pair once."""
    X = numeric(X)
    between, options = _chosen(metric, lambda: X, options)
    rows, columns = np.triu_indices(np.shape(X)[0], 1)
    return between(X[rows], X[columns], **options)


@serves("scipy.spatial.distance.squareform")
def squareform(X: Any, force: str = "no", checks: bool = True) -> Any:
    """`scipy.spatial.distance.squareform`: a distance matrix from pairwise distances, or the reverse."""
    X = numeric(X)
    if np.ndim(X) == 2:
        return X[np.triu_indices(np.shape(X)[0], 1)]
    count = round((1 + np.sqrt(1 + 8 * np.shape(X)[0])) / 2)
    places = np.zeros((count, count), dtype=int)
    places[np.triu_indices(count, 1)] = np.arange(1, np.shape(X)[0] + 1)
    return np.concatenate([np.zeros(1), X])[places + np.transpose(places)]
