"""FITPACK's compiled functions that evaluate fitted splines, by NumPy's functions.

SciPy's `splev`, `bisplev`, `UnivariateSpline`, `RectBivariateSpline` and their like are Python code; the compiled
functions they call are implemented here under their own names and signatures. Those that fit splines are not
supported. [Dierckx, Curve and Surface Fitting with Splines, 1993.]
"""

# ruff: noqa: PLR0913, PLR0917 - SciPy's signatures

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.rules.function_registry import serves
from gradcli.rules.scipy_internals.b_splines import evaluate_spline, nonzero_splines

_FORTRAN, _C = "scipy.interpolate._dfitpack", "scipy.interpolate._fitpack"  # until SciPy 1.17, and from 1.18 on

_ZEROS, _ERROR, _BOUNDARY = 1, 2, 3  # what `e` asks for outside the interval of the knots; 0 extrapolates
_OUTSIDE = 1  # the error flag for a point outside


def _in_both(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return serves(f"{_FORTRAN}.{name}", f"{_C}.{name}", other_steps=True)


@_in_both("splev")
def splev(t: Any, c: Any, k: int, x: Any, e: int = 0) -> Any:
    """A spline at the points `x`, and the error flag."""
    return splder(t, c, k, x, 0, e)


@serves(f"{_FORTRAN}.splder", other_steps=True)
def splder(t: Any, c: Any, k: int, x: Any, nu: int = 1, e: int = 0) -> Any:
    """The derivative of order `nu` of a spline at the points `x`, and the error flag."""
    count = np.shape(t)[0] - k - 1
    outside = (x < t[k]) | (x > t[count])
    if e == _ERROR and np.any(outside):
        return np.zeros_like(x), _OUTSIDE
    if e == _BOUNDARY:
        x = np.clip(x, t[k], t[count])
    values = evaluate_spline(t, c[:count, None], k, x, nu, True)[:, 0]
    return (np.where(outside, 0.0, values) if e == _ZEROS else values), 0


@serves(f"{_C}.splder", other_steps=True)
def splder_in_c(t: Any, c: Any, k: int, nu: int, x: Any, e: int) -> Any:
    """The same with the arguments in another order."""
    return splder(t, c, k, x, nu, e)


@serves(f"{_FORTRAN}.splint", other_steps=True)
def splint(t: Any, c: Any, k: int, a: Any, b: Any) -> tuple[Any, Any]:
    """The integral of a spline, and an empty work array."""
    return splint_in_c(t, c, k, a, b), np.empty(np.shape(t))


@serves(f"{_C}.splint", other_steps=True)
def splint_in_c(t: Any, c: Any, k: int, a: Any, b: Any) -> Any:
    """The integral of a spline, which is zero outside the interval of the knots."""
    count = np.shape(t)[0] - k - 1
    whole = np.cumsum(c[:count] * (t[k + 1 :] - t[:count]) / (k + 1))
    knots = np.concatenate((t[:1], t, t[-1:]))
    ends = np.clip(np.stack((a, b)), t[k], t[count])
    low, high = evaluate_spline(knots, np.concatenate((np.zeros(1), whole))[:, None], k + 1, ends, 0, True)[:, 0]
    return high - low


@_in_both("bispev")
def bispev(tx: Any, ty: Any, c: Any, kx: int, ky: int, x: Any, y: Any) -> Any:
    """A spline surface on the grid of `x` and `y`, and the error flag."""
    return parder(tx, ty, c, kx, ky, 0, 0, x, y)


@_in_both("bispeu")
def bispeu(tx: Any, ty: Any, c: Any, kx: int, ky: int, x: Any, y: Any) -> Any:
    """A spline surface at the points (x, y), and the error flag."""
    return pardeu(tx, ty, c, kx, ky, 0, 0, x, y)


@_in_both("parder")
def parder(tx: Any, ty: Any, c: Any, kx: int, ky: int, nux: int, nuy: int, x: Any, y: Any) -> Any:
    """A partial derivative of a spline surface on the grid of `x` and `y`, and the error flag."""
    rows, of_x = _weights(tx, kx, x, nux)
    columns, of_y = _weights(ty, ky, y, nuy)
    parts = _coefficients(tx, ty, c, kx, ky)[rows[:, :, None, None], columns]
    return np.einsum("ia,jb,iajb->ij", of_x, of_y, parts), 0


@_in_both("pardeu")
def pardeu(tx: Any, ty: Any, c: Any, kx: int, ky: int, nux: int, nuy: int, x: Any, y: Any) -> Any:
    """A partial derivative of a spline surface at the points (x, y), and the error flag."""
    rows, of_x = _weights(tx, kx, x, nux)
    columns, of_y = _weights(ty, ky, y, nuy)
    parts = _coefficients(tx, ty, c, kx, ky)[rows[:, :, None], columns[:, None, :]]
    return np.einsum("ia,ib,iab->i", of_x, of_y, parts), 0


def _weights(t: Any, k: int, x: Any, nu: int) -> tuple[Any, Any]:
    """The coefficients that matter at each point, and the derivatives of order `nu` of their B-splines.

    A point outside the interval of the knots is moved to its end, as in FITPACK.
    """
    left, values = nonzero_splines(t, k, np.clip(x, t[k], t[np.shape(t)[0] - k - 1]), nu)
    return left[:, None] - k + np.arange(k + 1), values


def _coefficients(tx: Any, ty: Any, c: Any, kx: int, ky: int) -> Any:
    return np.reshape(c, (np.shape(tx)[0] - kx - 1, np.shape(ty)[0] - ky - 1))
