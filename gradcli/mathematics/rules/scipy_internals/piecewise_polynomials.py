"""SciPy's compiled functions for piecewise polynomials, which its interpolators call, by NumPy's functions.

`CubicSpline`, `PchipInterpolator`, `PPoly`, `RegularGridInterpolator` and others are Python code; the C functions they
call are implemented here under their own names and signatures. Coefficients `c` have the shape (order, intervals,
polynomials), the highest power first; `x` are the ends of the intervals.

Nothing here reads the parameter `out`, but it must stay, at the place that it has in SciPy's signature: `serves` finds
it by its name and hands an array for the result to SciPy's function there.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import serves

_PPOLY, _GRID = "scipy.interpolate._ppoly", "scipy.interpolate._rgi_cython"


def _intervals(x: Any, xp: Any) -> Any:
    """The interval of each point, an outcome: the first or the last for points outside."""
    x, xp = (x, xp) if x[-1] >= x[0] else (-x, -xp)
    return np.clip(np.searchsorted(x, xp, "right") - 1, 0, np.shape(x)[0] - 2)


def _inside(x: Any, xp: Any) -> Any:
    """The mask of the points inside some interval, an outcome; nan is inside none."""
    return (xp >= np.minimum(x[0], x[-1])) & (xp <= np.maximum(x[0], x[-1]))


def _derivative(c: Any, times: int) -> Any:
    """The coefficients of a derivative of polynomials."""
    order = np.shape(c)[0]
    factors = np.array([float(math.perm(order - 1 - n, times)) for n in range(max(order - times, 1))])
    return c[: len(factors)] * factors[:, None, None]


def _horner(c: Any, s: Any) -> Any:
    """Polynomials at points given by their distance `s` from the start of the interval."""
    value = c[0] + np.zeros_like(s)
    for coefficient in c[1:]:
        value = value * s + coefficient
    return value


@serves(f"{_PPOLY}.evaluate", other_steps=True)
def evaluate(c: Any, x: Any, xp: Any, dx: int, extrapolate: bool, out: Any) -> Any:
    """The polynomials, or their derivative of order `dx`, at the points `xp`, one row per point."""
    places = _intervals(x, xp)
    values = _horner(_derivative(c, dx)[:, places], (xp - x[places])[:, None])
    return values if extrapolate else np.where(_inside(x, xp)[:, None], values, np.nan)


@serves(f"{_PPOLY}.evaluate_bernstein", other_steps=True)
def evaluate_bernstein(c: Any, x: Any, xp: Any, nu: int, extrapolate: bool, out: Any) -> Any:
    """Polynomials in the Bernstein basis, by De Casteljau's algorithm. Derivatives are taken by differences."""
    places = _intervals(x, xp)
    width = (x[places + 1] - x[places])[:, None]
    t = (xp - x[places])[:, None] / width
    c = c[:, places]
    for _ in range(nu):
        c = (c[1:] - c[:-1]) * (np.shape(c)[0] - 1) / width if np.shape(c)[0] > 1 else c * 0.0
    while np.shape(c)[0] > 1:
        c = c[:-1] * (1.0 - t) + c[1:] * t
    return c[0] if extrapolate else np.where(_inside(x, xp)[:, None], c[0], np.nan)


@serves(f"{_PPOLY}.integrate", other_steps=True)
def integrate(c: Any, x: Any, a: Any, b: Any, extrapolate: bool, out: Any = None) -> Any:
    """The integrals of the polynomials from `a` to `b`."""
    if x[-1] < x[0]:
        a, b, c = b, a, -c
    ends = np.stack([a, b])
    first, last = _intervals(x, ends)
    inner, begins = x[first + 1 : last + 1], x[first : last + 1]
    c = c[:, first : last + 1] / np.arange(np.shape(c)[0], 0.0, -1.0)[:, None, None]
    low, high = (np.concatenate(parts) - begins for parts in ((ends[:1], inner), (inner, ends[1:])))
    integrals = np.sum(_horner(c, high[:, None]) * high[:, None] - _horner(c, low[:, None]) * low[:, None], axis=0)
    return integrals if extrapolate or np.all(_inside(x, ends)) else integrals * np.nan


@serves(f"{_PPOLY}.fix_continuity", other_steps=True)
def fix_continuity(c: Any, x: Any, order: int) -> None:
    """Make the polynomials and their derivatives up to `order` continuous across intervals, in place."""
    count = np.shape(c)[0]
    for n in range(1, np.shape(c)[1]):
        s = x[n : n + 1, None] - x[n - 1 : n, None]
        for times in range(min(order, count - 1), -1, -1):
            before = _horner(_derivative(c, times)[:, n - 1 : n], s)[0]
            c[count - 1 - times, n] = before / math.factorial(times)


@serves("scipy.interpolate._interpnd._ndim_coords_from_arrays", sequences=None)
def coordinates(points: Any, ndim: int | None = None) -> Any:
    """Points with their coordinates along the last axis: from a tuple of coordinates, or unchanged."""
    if isinstance(points, tuple):
        made = np.stack(np.broadcast_arrays(*(points if len(points) > 1 else points[0])), axis=-1)
        return made if len(points) > 1 else coordinates(made, ndim)
    return np.reshape(points, (-1, ndim or 1)) if np.ndim(points) == 1 else points


@serves(f"{_GRID}.find_indices", sequences=None, other_steps=True)
def find_indices(grid: Any, xi: Any) -> tuple[Any, Any]:
    """For each axis of a grid, the interval of each point and its relative position in it, between 0 and 1."""
    places = [_intervals(x, at) for x, at in zip(grid, xi, strict=True)]
    parts = [(at - x[n]) / (x[n + 1] - x[n]) for x, at, n in zip(grid, xi, places, strict=True)]
    return np.stack(places), np.stack(parts)


@serves(f"{_GRID}.evaluate_linear_2d", sequences=None, other_steps=True)
def evaluate_linear_2d(values: Any, indices: Any, norm_distances: Any, grid: Any, out: Any) -> Any:
    """The values interpolated between the four corners of the cell that contains each point."""
    (i, j), (s, t) = indices, norm_distances
    low = values[i, j] * (1.0 - t) + values[i, j + 1] * t
    high = values[i + 1, j] * (1.0 - t) + values[i + 1, j + 1] * t
    return low * (1.0 - s) + high * s
