"""NumPy's functions of neighbouring elements along an axis: differences, gradients, integrals, phases."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.function_registry import apply_plainly, axes_of, numeric, serves
from gradcli.mathematics.rules.layout_preserving_copies import as_lies


def _part(x: Any, axis: int, start: int | None, stop: int | None) -> Any:
    """A slice along one axis."""
    return x[(slice(None),) * (axis % np.ndim(x)) + (slice(start, stop),)]


@serves("ediff1d")
def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """`numpy.ediff1d`."""
    a = np.ravel(numeric(ary))
    parts = [None if to_begin is None else np.ravel(numeric(to_begin)), a[1:] - a[:-1]]
    parts.append(None if to_end is None else np.ravel(numeric(to_end)))
    pieces = [part for part in parts if part is not None]
    if len(pieces) == 1:
        return pieces[0]
    return np.concatenate([part if part.dtype == a.dtype else part.astype(a.dtype) for part in pieces])


@serves("gradient", other_steps=True)
def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """`numpy.gradient`, also differentiable by the spacings."""
    f = numeric(f)
    axes = axes_of(f, axis)
    spacings = (1.0,) * len(axes) if not varargs else varargs * len(axes) if len(varargs) == 1 else varargs
    if len(varargs) == 1 and np.ndim(varargs[0]) != 0 and len(axes) != 1:
        raise TypeError("invalid number of arguments")
    if len(spacings) != len(axes):
        raise TypeError("invalid number of arguments")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    slopes = tuple(_slope(f, along, numeric(step), edge_order) for along, step in zip(axes, spacings, strict=True))
    return slopes[0] if len(slopes) == 1 else slopes


def _slope(f: Any, axis: int, spacing: Any, edge_order: int) -> Any:
    """The slope along an axis: second order inside (Fornberg, Mathematics of Computation 51, 1988), one-sided ends."""
    count = np.shape(f)[axis]
    if count < edge_order + 1:
        raise ValueError(
            "Shape of array too small to calculate a numerical gradient, "
            "at least (edge_order + 1) elements are required."
        )
    steps = _steps(f, axis, spacing)
    before, here, after = _part(f, axis, None, -2), _part(f, axis, 1, -1), _part(f, axis, 2, None)
    if np.ndim(steps) == 0:
        inside = (after - before) / (2 * steps)
    else:
        left, right = _part(steps, axis, None, -1), _part(steps, axis, 1, None)
        both = left + right
        inside = (
            -right / (left * both) * before + (right - left) / (left * right) * here + left / (right * both) * after
        )
    ends = [_end(f, steps, axis, edge_order, at_start) for at_start in (True, False)]
    slopes = np.concatenate([ends[0], inside, ends[1]], axis=axis)
    return as_lies(numeric(slopes, f.dtype) if f.dtype.kind in "fc" else slopes, f)


def _steps(f: Any, axis: int, spacing: Any) -> Any:
    """The spacing, or the differences between the coordinates along an axis, in a shape that broadcasts with `f`."""
    if np.ndim(spacing) == 0:
        return spacing
    if np.ndim(spacing) != 1:
        raise ValueError("distances must be either scalars or 1d")
    if np.shape(spacing)[0] != np.shape(f)[axis]:
        raise ValueError("when 1d, distances must match the length of the corresponding dimension")
    steps = np.diff(spacing if spacing.dtype.kind == "f" else spacing.astype(float))
    if apply_plainly(_are_equal, steps):
        steps = steps[0] if not hasattr(steps, "apply_rule") else steps
    if np.ndim(steps) == 0:
        return steps
    return np.reshape(steps, tuple(-1 if k == axis else 1 for k in range(np.ndim(f))))


def _are_equal(steps: Any) -> bool:
    return bool(np.all(steps == steps[0]))


def _end(f: Any, steps: Any, axis: int, edge_order: int, at_start: bool) -> Any:
    """The slope at one end. The far end is treated as the near one with the opposite sign."""
    nearest = [
        _part(f, axis, n, n + 1) if at_start else _part(f, axis, -n - 1, -n or None) for n in range(edge_order + 1)
    ]
    gaps = [
        steps
        if np.ndim(steps) == 0
        else _part(steps, axis, n, n + 1)
        if at_start
        else _part(steps, axis, -n - 1, -n or None)
        for n in range(edge_order)
    ]
    if edge_order == 1:
        slope = (nearest[1] - nearest[0]) / gaps[0]
    else:
        near, far = gaps
        both = near + far
        slope = (
            -(near + both) / (near * both) * nearest[0]
            + both / (near * far) * nearest[1]
            - near / (far * both) * nearest[2]
        )
    return slope if at_start else -slope


@serves("unwrap", other_steps=True)
def unwrap(p: Any, discont: Any = None, axis: int = -1, *, period: Any = 2 * np.pi) -> Any:
    """`numpy.unwrap`: the phases plus plain multiples of the period."""
    p = numeric(p)
    return p + apply_plainly(call_of(_turns, axis), p, discont, period) * period


def _turns(p: Any, discont: Any, period: Any, axis: int) -> Any:
    """The number of periods added to each element."""
    return np.rint((np.unwrap(p, discont, axis, period=period) - p) / period)
