"""SciPy's functions of banded matrices: systems by a rule, other functions by the full matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, serves
from gradcli.mathematics.rules.lazy_scipy import SCIPY
from gradcli.mathematics.rules.linalg.matrix_helpers import adjoint
from gradcli.mathematics.rules.linalg.triangular_lu_sylvester import BANDED
from gradcli.mathematics.rules.scipy import linalg
from gradcli.mathematics.rules.scipy.linalg import needed, phases


@serves("scipy.linalg.solve_banded", other_steps=True)
def solve_banded(l_and_u: Any, ab: Any, b: Any, **options: Any) -> Any:
    """`scipy.linalg.solve_banded`."""
    below, above = map(int, l_and_u)
    return BANDED(numeric(ab), numeric(b), below=below, above=above)


@serves("scipy.linalg.solveh_banded", other_steps=True)
def solveh_banded(ab: Any, b: Any, overwrite_ab: bool = False, overwrite_b: bool = False, lower: bool = False,
                  **options: Any) -> Any:  # fmt: skip
    """`scipy.linalg.solveh_banded`, for a Hermitian matrix given by the diagonals of one triangle."""
    ab = numeric(ab)
    count = len(ab)
    given = ab if lower else ab[::-1]
    below = [given[k] if lower else np.conj(np.roll(given[k], -k, axis=-1)) for k in range(count)]
    above = [np.conj(np.roll(below[k], k, axis=-1)) for k in range(count - 1, 0, -1)]
    return BANDED(np.stack([*above, *below]), numeric(b), below=count - 1, above=count - 1)


def _triangle(ab: Any, lower: bool) -> Any:
    """The triangular matrix with these diagonals. In the lower triangle, the main diagonal is the first row of `ab`."""
    count, n = np.shape(ab)
    rows, columns = np.arange(n)[:, None], np.arange(n)[None]
    places = (rows - columns) if lower else count - 1 + rows - columns
    inside = (places >= 0) & (places < count) & ((rows >= columns) if lower else (rows <= columns))
    return np.where(inside, ab[np.clip(places, 0, count - 1), np.broadcast_to(columns, (n, n))], 0.0)


def _diagonals(matrix: Any, lower: bool, given: Any) -> Any:
    """The diagonals of a triangle, the inverse of `_triangle`. Unused entries keep the given values, as in SciPy."""
    count, n = np.shape(given)
    offsets, columns = np.arange(count)[:, None], np.arange(n)[None]
    rows = columns + offsets if lower else columns - (count - 1 - offsets)
    inside = (rows >= 0) & (rows < n)
    return np.where(inside, matrix[np.clip(rows, 0, n - 1), np.broadcast_to(columns, rows.shape)], given)


def _whole(ab: Any, lower: bool) -> Any:
    """The Hermitian matrix with these diagonals in one triangle."""
    part = _triangle(ab, lower)
    return part + adjoint(part) - np.diag(np.real(np.diagonal(part)))


@serves("scipy.linalg.cholesky_banded", other_steps=True)
def cholesky_banded(ab: Any, overwrite_ab: bool = False, lower: bool = False, **options: Any) -> Any:
    """`scipy.linalg.cholesky_banded`."""
    ab = numeric(ab)
    return _diagonals(linalg.cholesky(_whole(ab, lower), lower), lower, ab)


@serves("scipy.linalg.cho_solve_banded", sequences=("cb_and_lower",), other_steps=True)
def cho_solve_banded(cb_and_lower: tuple[Any, bool], b: Any, **options: Any) -> Any:
    """`scipy.linalg.cho_solve_banded`."""
    cb, lower = cb_and_lower
    return linalg.cho_solve((_triangle(numeric(cb), lower), lower), b)


@serves("scipy.linalg.eig_banded", other_steps=True)
def eig_banded(a_band: Any, lower: bool = False, eigvals_only: bool = False, **options: Any) -> Any:
    """`scipy.linalg.eig_banded`, for all eigenvalues and eigenvectors."""
    needed("eig_banded", {key: x for key, x in options.items() if key != "overwrite_a_band" and x != "a"})
    a_band = numeric(a_band)
    values, vectors = np.linalg.eigh(_whole(a_band, lower))
    if eigvals_only:
        return values
    return values, vectors * phases(vectors, (a_band,), lambda ab: SCIPY.linalg.eig_banded(ab, lower)[1])


@serves("scipy.linalg.eigvals_banded", other_steps=True)
def eigvals_banded(a_band: Any, lower: bool = False, **options: Any) -> Any:
    """`scipy.linalg.eigvals_banded`."""
    return eig_banded(a_band, lower, eigvals_only=True, **options)


@serves("scipy.linalg.eigh_tridiagonal", other_steps=True)
def eigh_tridiagonal(d: Any, e: Any, eigvals_only: bool = False, **options: Any) -> Any:
    """`scipy.linalg.eigh_tridiagonal`, for all eigenvalues and eigenvectors."""
    needed("eigh_tridiagonal", {key: x for key, x in options.items() if key not in ("tol",) and x not in ("a", "auto")})
    d, e = numeric(d), numeric(e)
    values, vectors = np.linalg.eigh(np.diag(d) + np.diag(e, 1) + np.diag(e, -1))
    if eigvals_only:
        return values
    return values, vectors * phases(vectors, (d, e), lambda *de: SCIPY.linalg.eigh_tridiagonal(*de)[1])


@serves("scipy.linalg.eigvalsh_tridiagonal", other_steps=True)
def eigvalsh_tridiagonal(d: Any, e: Any, **options: Any) -> Any:
    """`scipy.linalg.eigvalsh_tridiagonal`."""
    return eigh_tridiagonal(d, e, eigvals_only=True, **options)
