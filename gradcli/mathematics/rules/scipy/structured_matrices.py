"""SciPy's structured matrices (Toeplitz, Hankel, companion), their products and systems, and matrix equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, serves
from gradcli.mathematics.rules.linalg.matrix_helpers import adjoint, eye, plain_array
from gradcli.mathematics.rules.linalg.triangular_lu_sylvester import SYLVESTER
from gradcli.mathematics.rules.scipy.linalg import solved


def _pattern(numbers: Any, places: Any) -> Any:
    """The matrix whose element i, j is the element of `numbers` at `places[i, j]`."""
    return numbers[places]


def _rows_and_columns(rows: int, columns: int) -> tuple[Any, Any]:
    return np.arange(rows)[:, None], np.arange(columns)[None]


@serves("scipy.linalg.toeplitz")
def toeplitz(c: Any, r: Any = None) -> Any:
    """`scipy.linalg.toeplitz`: constant along each diagonal."""
    c = np.ravel(numeric(c))
    r = np.conj(c) if r is None else np.ravel(numeric(r))
    rows, columns = _rows_and_columns(len(c), len(r))
    return _pattern(np.concatenate([c[::-1], r[1:]]), len(c) - 1 - rows + columns)


@serves("scipy.linalg.circulant")
def circulant(c: Any) -> Any:
    """`scipy.linalg.circulant`."""
    c = numeric(c)
    rows, columns = _rows_and_columns(len(c), len(c))
    return _pattern(c, (rows - columns) % len(c))


@serves("scipy.linalg.hankel")
def hankel(c: Any, r: Any = None) -> Any:
    """`scipy.linalg.hankel`: constant along each antidiagonal."""
    c = numeric(c)
    r = np.zeros_like(plain_array(c)) if r is None else numeric(r)
    rows, columns = _rows_and_columns(len(c), len(r))
    return _pattern(np.concatenate([c, r[1:]]), rows + columns)


@serves("scipy.linalg.companion")
def companion(a: Any) -> Any:
    """`scipy.linalg.companion`: the matrix whose eigenvalues are the roots of a polynomial."""
    a = numeric(a)
    stack, n = np.shape(a)[:-1], np.shape(a)[-1] - 1
    below = np.broadcast_to(np.eye(n - 1, n), (*stack, n - 1, n))
    return np.concatenate([-(a[..., 1:] / a[..., :1])[..., None, :], below], axis=-2)


def _of_columns(c_or_cr: Any) -> Any:
    if isinstance(c_or_cr, tuple):
        return toeplitz(*c_or_cr)
    return toeplitz(np.stack(c_or_cr) if isinstance(c_or_cr, list) else c_or_cr)


@serves("scipy.linalg.solve_toeplitz", sequences=("c_or_cr",), other_steps=True)
def solve_toeplitz(c_or_cr: Any, b: Any, **options: Any) -> Any:
    """`scipy.linalg.solve_toeplitz`, by the full matrix."""
    return solved(_of_columns(c_or_cr), b)


@serves("scipy.linalg.matmul_toeplitz", sequences=("c_or_cr",), other_steps=True)
def matmul_toeplitz(c_or_cr: Any, x: Any, **options: Any) -> Any:
    """`scipy.linalg.matmul_toeplitz`, by the full matrix."""
    return np.matmul(_of_columns(c_or_cr), numeric(x))


@serves("scipy.linalg.khatri_rao")
def khatri_rao(a: Any, b: Any) -> Any:
    """`scipy.linalg.khatri_rao`: the column-wise Kronecker product."""
    a, b = numeric(a), numeric(b)
    return np.reshape(a[..., :, None, :] * b[..., None, :, :], (*np.shape(a)[:-2], -1, np.shape(a)[-1]))


@serves("scipy.linalg.solve_sylvester", other_steps=True)
def solve_sylvester(a: Any, b: Any, q: Any) -> Any:
    """`scipy.linalg.solve_sylvester`."""
    return SYLVESTER(numeric(a), numeric(b), numeric(q))


@serves("scipy.linalg.solve_continuous_lyapunov", "scipy.linalg.solve_lyapunov", other_steps=True)
def solve_continuous_lyapunov(a: Any, q: Any) -> Any:
    """`scipy.linalg.solve_continuous_lyapunov`."""
    a = numeric(a)
    return SYLVESTER(a, adjoint(a), numeric(q))


@serves("scipy.linalg.solve_discrete_lyapunov", other_steps=True)
def solve_discrete_lyapunov(a: Any, q: Any, method: Any = None) -> Any:
    """`scipy.linalg.solve_discrete_lyapunov`, as a system of n**2 equations, as in SciPy for small matrices."""
    a, q = numeric(a), numeric(q)
    whole = eye(a, np.size(q), a.dtype) - np.kron(a, np.conj(a))
    return np.reshape(solved(whole, np.ravel(q)), np.shape(q))
