"""The compiled functions that evaluate B-splines and FITPACK's splines, by NumPy's functions.

SciPy's `BSpline`, `splev`, `bisplev`, `UnivariateSpline`, `RectBivariateSpline` and their like are Python code; the
compiled functions they call are implemented here under their own names and signatures. Of FITPACK's, those that fit
splines are not supported. [Dierckx, Curve and Surface Fitting with Splines, 1993.]

There are n + k + 1 knots `t`; coefficients `c` of degree `k` have the shape (n, splines). The value at x depends on the
k + 1 B-splines that are nonzero in its interval. [de Boor, A Practical Guide to Splines, 1978.]
"""

# ruff: noqa: PLR0913, PLR0917 - SciPy's signatures

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import serves, unsupported
from gradcli.mathematics.rules.scipy.banded import solve_banded

_MODULE = "scipy.interpolate._dierckx"


def _lefts(t: Any, k: int, x: Any) -> Any:
    """The interval of each point, an outcome: the first or the last for points outside."""
    return np.clip(np.searchsorted(t, x, "right") - 1, k, np.shape(t)[0] - k - 2)


def _basis(t: Any, k: int, x: Any, left: Any) -> list[Any]:
    """The k + 1 B-splines of degree k that are nonzero in the interval of each point, by their recurrence."""
    splines = [np.ones_like(x)]
    for degree in range(1, k + 1):
        parts: list[Any] = [0.0] * (degree + 1)
        for n, below in enumerate(splines):
            low, high = t[left + n + 1 - degree], t[left + n + 1]
            share = below / (high - low)
            parts[n] = parts[n] + share * (high - x)
            parts[n + 1] = parts[n + 1] + share * (x - low)
        splines = parts
    return splines


def _slopes(t: Any, k: int, left: Any, c: list[Any], nu: int) -> list[Any]:
    """The coefficients of a derivative of order `nu`, k + 1 - nu for each point."""
    for degree in range(k, k - nu, -1):
        widths = [t[left + n + 1] - t[left + n + 1 - degree] for n in range(degree)]
        c = [degree * (c[n + 1] - c[n]) / widths[n][:, None] for n in range(degree)]
    return c


@serves(f"{_MODULE}.evaluate_spline", other_steps=True)
def evaluate_spline(t: Any, c: Any, k: int, xp: Any, nu: int, extrapolate: bool) -> Any:
    """The splines, or their derivative of order `nu`, at the points `xp`, one row per point."""
    left = _lefts(t, k, xp)
    if nu > k:
        return np.zeros((np.shape(xp)[0], np.shape(c)[1]))
    parts = _slopes(t, k, left, [c[left - k + n] for n in range(k + 1)], nu)
    values = sum(b[:, None] * part for b, part in zip(_basis(t, k - nu, xp, left), parts, strict=True))
    if extrapolate:
        return values
    inside = (xp >= t[k]) & (xp <= t[np.shape(t)[0] - k - 1])
    return np.where(inside[:, None], values, np.nan)


@serves(f"{_MODULE}.find_interval", other_steps=True)
def find_interval(t: Any, k: int, xval: Any, prev_l: int, extrapolate: bool) -> int:
    """The interval of a point, an outcome. SciPy has refused points outside."""
    return int(_lefts(t, k, xval))


@serves(f"{_MODULE}.evaluate_all_bspl", other_steps=True)
def evaluate_all_bspl(t: Any, k: int, xval: Any, m: int, nu: int = 0) -> Any:
    """The B-splines that are nonzero in interval `m`, or their derivative of order `nu`, at one point."""
    return _nonzero_splines(t, k, np.reshape(xval, (1,)), np.array([m]), nu)[0]


def nonzero_splines(t: Any, k: int, x: Any, nu: int = 0) -> tuple[Any, Any]:
    """The interval of each point, and the derivatives of order `nu` of the k + 1 B-splines that are nonzero there."""
    left = _lefts(t, k, x)
    return left, _nonzero_splines(t, k, x, left, nu)


def _nonzero_splines(t: Any, k: int, x: Any, left: Any, nu: int) -> Any:
    parts = _slopes(t, k, left, [row[None] for row in np.eye(k + 1)], nu)
    return sum(b[:, None] * part for b, part in zip(_basis(t, k - nu, x, left), parts, strict=True))


@serves(f"{_MODULE}._coloc", other_steps=True)
def collocation(x: Any, t: Any, k: int, ab: Any, offset: int = 0) -> None:
    """Write the B-splines at the points `x` into the transpose of LAPACK's band storage."""
    left = _lefts(t, k, x)
    rows = np.arange(np.shape(x)[0]) + offset
    for n, values in enumerate(_basis(t, k, x, left)):
        column = left - k + n
        ab[column, 2 * k + rows - column] = values


@serves("scipy.linalg.lapack.get_lapack_funcs", sequences=None)
def get_lapack_funcs(names: Any, arrays: Any = (), dtype: Any = None, ilp64: Any = False) -> Any:
    """`scipy.linalg.get_lapack_funcs`, for the solver of banded systems only."""
    wanted = [names] if isinstance(names, str) else [*names]
    for name in wanted:
        if name != "gbsv":
            raise unsupported(f"scipy.linalg.lapack.{name}")
    return _gbsv if isinstance(names, str) else [_gbsv] * len(wanted)


def _gbsv(kl: int, ku: int, ab: Any, b: Any, **options: Any) -> tuple[Any, Any, Any, int]:
    return None, None, solve_banded((kl, ku), ab[kl:], b), 0


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
