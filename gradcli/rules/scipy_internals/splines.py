"""SciPy's compiled code for B-splines, which its classes in Python call, by NumPy's functions.

`BSpline` and `make_interp_spline` are Python code; what they hand over to FITPACK's successor in C is served here under
the names and with the signatures of that module.  Knots `t` have n + k + 1 numbers, coefficients `c` of degree `k` the
shape (n, splines); the value at x takes those of the k + 1 B-splines that are not zero in its interval.  [de Boor, A
Practical Guide to Splines, 1978.]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import serves, unsupported
from gradcli.rules.scipy.banded import solve_banded

_MODULE = "scipy.interpolate._dierckx"


def _lefts(t: Any, k: int, x: Any) -> Any:
    """The interval that each point is in, an outcome: the first or the last one outside of all."""
    return np.clip(np.searchsorted(t, x, "right") - 1, k, np.shape(t)[0] - k - 2)


def _basis(t: Any, k: int, x: Any, left: Any) -> list[Any]:
    """The k + 1 B-splines of degree k that are not zero in the interval of each point, by their recurrence."""
    found = [np.ones_like(x)]
    for degree in range(1, k + 1):
        parts: list[Any] = [0.0] * (degree + 1)
        for n, below in enumerate(found):
            low, high = t[left + n + 1 - degree], t[left + n + 1]
            share = below / (high - low)
            parts[n] = parts[n] + share * (high - x)
            parts[n + 1] = parts[n + 1] + share * (x - low)
        found = parts
    return found


def _slopes(t: Any, k: int, left: Any, c: list[Any], nu: int) -> list[Any]:
    """The coefficients, k + 1 for each point, of a derivative; each time there is one less."""
    for degree in range(k, k - nu, -1):
        widths = [t[left + n + 1] - t[left + n + 1 - degree] for n in range(degree)]
        c = [degree * (c[n + 1] - c[n]) / widths[n][:, None] for n in range(degree)]
    return c


@serves(f"{_MODULE}.evaluate_spline", other_steps=True)
def evaluate_spline(t: Any, c: Any, k: int, xp: Any, nu: int, extrapolate: bool) -> Any:
    """Splines, or a derivative of them, at the points `xp`; the result has a row for each."""
    left = _lefts(t, k, xp)
    if nu > k:
        return np.zeros((np.shape(xp)[0], np.shape(c)[1]))
    parts = _slopes(t, k, left, [c[left - k + n] for n in range(k + 1)], nu)
    found = sum(b[:, None] * part for b, part in zip(_basis(t, k - nu, xp, left), parts, strict=True))
    if extrapolate:
        return found
    inside = (xp >= t[k]) & (xp <= t[np.shape(t)[0] - k - 1])
    return np.where(inside[:, None], found, np.nan)


@serves(f"{_MODULE}.find_interval", other_steps=True)
def find_interval(t: Any, k: int, xval: Any, prev_l: int, extrapolate: bool) -> int:
    """The interval that a point is in, an outcome; -1 outside of all, unless they go on."""
    outside = bool(xval < t[k]) or bool(xval > t[np.shape(t)[0] - k - 1])
    return -1 if outside and not extrapolate else int(_lefts(t, k, xval))


@serves(f"{_MODULE}.evaluate_all_bspl", other_steps=True)
def evaluate_all_bspl(t: Any, k: int, xval: Any, m: int, nu: int = 0) -> Any:
    """The B-splines that are not zero in interval `m`, or a derivative of them, at one point."""
    left, x = np.array([m]), np.reshape(xval, (1,))
    parts = _slopes(t, k, left, [row[None] for row in np.eye(k + 1)], nu)
    return sum(b[:, None] * part for b, part in zip(_basis(t, k - nu, x, left), parts, strict=True))[0]


@serves(f"{_MODULE}._coloc", other_steps=True)
def collocation(x: Any, t: Any, k: int, ab: Any, offset: int = 0) -> None:
    """Write the B-splines at the points `x` into the transpose of the diagonals that LAPACK takes of a band matrix."""
    left = _lefts(t, k, x)
    rows = np.arange(np.shape(x)[0]) + offset
    for n, values in enumerate(_basis(t, k, x, left)):
        column = left - k + n
        ab[column, 2 * k + rows - column] = values


@serves("scipy.linalg.lapack.get_lapack_funcs", sequences=None)
def get_lapack_funcs(names: Any, arrays: Any = (), dtype: Any = None, ilp64: Any = False) -> Any:
    """`scipy.linalg.get_lapack_funcs`, of the solver of band matrices alone."""
    if tuple(names) != ("gbsv",):
        raise unsupported("scipy.linalg.lapack.get_lapack_funcs")
    return (_gbsv,)


def _gbsv(kl: int, ku: int, ab: Any, b: Any, **options: Any) -> tuple[Any, Any, Any, int]:
    return None, None, solve_banded((kl, ku), ab[kl:], b), 0
