"""NumPy's sorting functions. The permutation that NumPy chooses is an outcome, which then indexes the elements."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.function_registry import axis_of, numeric, refuse_options, serves
from gradcli.mathematics.rules.indexing import INDEX
from gradcli.mathematics.rules.layout_preserving_copies import from_outer
from gradcli.mathematics.rules.numpy.indexing import key_along_axis
from gradcli.mathematics.rules.shape import inverse
from gradcli.shared.devices import on_device


def plain_outcome(name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """The plain result of `function`, an outcome if an argument is recorded."""
    for argument in arguments:
        if hasattr(type(argument), "apply_outcome"):
            return argument.apply_outcome(name, function, arguments)
    return function(*arguments)


def stable_order(x: Any, axis: int) -> Any:
    """The stable sorting permutation along an axis: an outcome.

    NumPy's faster unstable sort gives the same result without ties, which are checked for.
    """
    return plain_outcome("argsort", call_of(_stable, axis), x)


def _stable(x: Any, axis: int) -> Any:
    if not on_device(x) and x.dtype.kind == "f":
        order = np.argsort(x, axis)
        lines = np.moveaxis(np.take_along_axis(x, order, axis), axis, -1)
        if np.all(lines[..., 1:] > lines[..., :-1]):
            return order
    return np.argsort(x, axis, kind="stable")


def _lines(a: Any, axis: int | None) -> tuple[Any, int]:
    return (np.ravel(numeric(a)), 0) if axis is None else (numeric(a), axis)


def _permuted(permutation: Callable[[Any, int], Any], a: Any, axis: int) -> Any:
    """`a` indexed along an axis by a permutation, with the memory layout of `a`."""
    axis = axis_of(axis, np.ndim(a))
    axes = from_outer(a) if np.ndim(a) > 1 else (0,)
    turned = np.transpose(a, axes) if axes != tuple(range(np.ndim(a))) else a
    axis = axes.index(axis)
    read = INDEX(turned, key=key_along_axis(turned, permutation(turned, axis), axis))
    return read if turned is a else np.transpose(read, inverse(axes))


@serves("sort")
def sort(a: Any, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Any:
    """`numpy.sort`, always stable."""
    refuse_options("sort", order=order)
    return _permuted(stable_order, *_lines(a, axis))


@serves("partition")
def partition(a: Any, kth: Any, axis: int | None = -1, kind: str = "introselect", order: Any = None) -> Any:
    """`numpy.partition`."""
    refuse_options("partition", order=order)

    def outcome(x: Any, axis: int) -> Any:
        return plain_outcome("argpartition", call_of(_parting, kth, axis), x)

    return _permuted(outcome, *_lines(a, axis))


def _parting(x: Any, kth: Any, axis: int) -> Any:
    """The permutation that arranges `x` in the order that NumPy leaves it in."""
    left = _stable(np.partition(x, kth, axis), axis)
    taken = np.zeros_like(left)
    taken[key_along_axis(x, left, axis)] = _stable(x, axis)
    return taken


def _interval(x: Any, xp: Any) -> Any:
    """The index of the interval between points that contains each element."""
    return np.clip(np.searchsorted(xp, x, "right") - 1, 0, max(0, np.shape(xp)[0] - 2))


@serves("interp", other_steps=True)
def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Any:
    """`numpy.interp`, differentiable by all three arguments. At a point, the slope is that to its right."""
    x, xp, fp = numeric(x), numeric(xp), numeric(fp)
    if period is not None:
        x, xp, fp, left, right = *_around(x, xp, fp, period), None, None
    last = np.shape(xp)[0] - 1
    if np.shape(xp) != np.shape(fp):
        raise ValueError("fp and xp are not of the same length.")
    at = plain_outcome("searchsorted", _interval, x, xp)
    after = np.minimum(at + 1, last)
    start, end, low, high = _read(xp, at), _read(xp, after), _read(fp, at), _read(fp, after)
    inside = (high - low) / np.where(end == start, 1.0, end - start) * (x - start) + low
    inside = np.where(x == end, high, inside) if last else low + 0.0 * x
    below, above = fp[0] if left is None else left, fp[-1] if right is None else right
    return np.where(x < xp[0], below, np.where(x > xp[-1], above, inside))


def _read(points: Any, at: Any) -> Any:
    """The elements at some indices, of points that may be recorded."""
    return points[at] if hasattr(type(points), "apply_rule") else plain_outcome("index", operator.getitem, points, at)


def _around(x: Any, xp: Any, fp: Any, period: Any) -> tuple[Any, Any, Any]:
    """The elements reduced to one period, and the points sorted within it, with one more at either end."""
    period = abs(period)
    x, xp = np.remainder(x, period), np.remainder(xp, period)
    order = np.argsort(xp)
    xp, fp = xp[order], fp[order]
    xp = np.concatenate([xp[-1:] - period, xp, xp[:1] + period])
    return x, xp, np.concatenate([fp[-1:], fp, fp[:1]])
