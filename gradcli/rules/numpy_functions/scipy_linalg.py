"""SciPy's functions of linear algebra, `scipy.linalg`, where they are more than those of `numpy.linalg`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.linalg import SOLVE
from gradcli.rules.linalg.exponential import EXPM
from gradcli.rules.linalg.matrices import adjoint, eye, plain, transposed
from gradcli.rules.numpy_functions import linalg
from gradcli.rules.numpy_functions.serving import numeric, refuse, serves

# How a system is solved, and whether the arguments may be overwritten, is nothing to a derivative.
_HARMLESS = ("overwrite_a", "overwrite_b", "check_finite", "lapack_driver", "lapack_routine", "driver", "lwork")


def _needed(name: str, options: dict[str, Any]) -> None:
    refuse(f"scipy.linalg.{name}", **{key: x for key, x in options.items() if key not in _HARMLESS and x})


@serves("scipy.linalg.inv")
def inv(a: Any, **options: Any) -> Any:
    """`scipy.linalg.inv`."""
    return linalg.inv(a)


@serves("scipy.linalg.det")
def det(a: Any, **options: Any) -> Any:
    """`scipy.linalg.det`."""
    return linalg.det(a)


@serves("scipy.linalg.pinv")
def pinv(a: Any, *, rtol: Any = None, **options: Any) -> Any:
    """`scipy.linalg.pinv`."""
    _needed("pinv", options)
    a = numeric(a)
    return linalg.pinv(a, max(np.shape(a)[-2:]) * np.finfo(a.dtype).eps if rtol is None else rtol)


@serves("scipy.linalg.solve")
def solve(a: Any, b: Any, lower: bool = False, *, assume_a: Any = None, transposed: bool = False, **_: Any) -> Any:
    """`scipy.linalg.solve`."""
    if assume_a in ("sym", "her", "pos", "symmetric", "hermitian", "positive definite"):
        a = linalg.hermitian_part(a, "L" if lower else "U")
    elif assume_a in ("upper triangular", "lower triangular"):
        a = _triangle(numeric(a), str(assume_a).startswith("lower"), unit=False)
    return _solved(np.swapaxes(a, -1, -2) if transposed else a, b)


def _solved(a: Any, b: Any) -> Any:
    a, b = numeric(a), numeric(b)
    return SOLVE(a, b[:, None])[:, 0] if np.ndim(b) == 1 else SOLVE(a, b)


def _triangle(a: Any, lower: bool, unit: bool) -> Any:
    """The triangle that is read of a matrix."""
    part = np.tril(a, -1 if unit else 0) if lower else np.triu(a, 1 if unit else 0)
    return part + eye(a, np.shape(a)[-1], a.dtype) if unit else part


@serves("scipy.linalg.solve_triangular")
def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, **options: Any
) -> Any:
    """`scipy.linalg.solve_triangular`."""
    a = _triangle(numeric(a), lower, unit_diagonal)
    turned = {0: a, "N": a, 1: transposed(a), "T": transposed(a), 2: adjoint(a), "C": adjoint(a)}
    return _solved(turned[trans], b)


@serves("scipy.linalg.cholesky")
def cholesky(a: Any, lower: bool = False, **options: Any) -> Any:
    """`scipy.linalg.cholesky`."""
    return linalg.cholesky(a, upper=not lower)


@serves("scipy.linalg.cho_factor")
def cho_factor(a: Any, lower: bool = False, **options: Any) -> tuple[Any, bool]:
    """`scipy.linalg.cho_factor`; the other triangle is zero, where SciPy leaves what was there."""
    return cholesky(a, lower), lower


@serves("scipy.linalg.cho_solve", sequences=None)
def cho_solve(c_and_lower: tuple[Any, bool], b: Any, **options: Any) -> Any:
    """`scipy.linalg.cho_solve`."""
    c, lower = c_and_lower
    c = _triangle(numeric(c), lower, unit=False)
    first, second = (c, adjoint(c)) if lower else (adjoint(c), c)
    return _solved(second, _solved(first, b))


@serves("scipy.linalg.qr")
def qr(a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full", **options: Any) -> Any:
    """`scipy.linalg.qr`."""
    _needed("qr", options)
    modes = {"full": "complete", "economic": "reduced"}
    return linalg.qr(a, modes.get(mode, mode)) if mode != "r" else (linalg.qr(a, "complete")[1],)


@serves("scipy.linalg.svd")
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, **options: Any) -> Any:
    """`scipy.linalg.svd`."""
    return linalg.svd(a, full_matrices, compute_uv)


@serves("scipy.linalg.svdvals")
def svdvals(a: Any, **options: Any) -> Any:
    """`scipy.linalg.svdvals`."""
    return linalg.svdvals(a)


@serves("scipy.linalg.eigh")
def eigh(a: Any, b: Any = None, *, lower: bool = True, eigvals_only: bool = False, **options: Any) -> Any:
    """`scipy.linalg.eigh`, also of a pair of matrices, by the Cholesky factor of the second."""
    _needed("eigh", options)
    uplo = "L" if lower else "U"
    if b is None:
        values, vectors = linalg.eigh(a, uplo)
    else:
        factor = linalg.cholesky(linalg.hermitian_part(b, uplo))
        half = SOLVE(factor, linalg.hermitian_part(a, uplo))
        values, inner = linalg.eigh(linalg.hermitian_part(adjoint(SOLVE(factor, adjoint(half))), "L"))
        vectors = SOLVE(adjoint(factor), inner)
    return values if eigvals_only else (values, vectors)


@serves("scipy.linalg.eigvalsh")
def eigvalsh(a: Any, b: Any = None, *, lower: bool = True, **options: Any) -> Any:
    """`scipy.linalg.eigvalsh`."""
    return eigh(a, b, lower=lower, eigvals_only=True, **options)


@serves("scipy.linalg.norm")
def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Any:
    """`scipy.linalg.norm`."""
    return np.linalg.norm(a, ord, axis, keepdims)


@serves("scipy.linalg.lstsq")
def lstsq(a: Any, b: Any, cond: Any = None, **options: Any) -> Any:
    """`scipy.linalg.lstsq`."""
    return linalg.lstsq(a, b, cond)


@serves("scipy.linalg.expm")
def expm(A: Any) -> Any:
    """`scipy.linalg.expm`."""
    return EXPM(numeric(A))


@serves("scipy.linalg.block_diag", sequences=None)
def block_diag(*arrs: Any) -> Any:
    """`scipy.linalg.block_diag`."""
    blocks = [np.atleast_2d(numeric(x)) for x in arrs]
    widths = [np.shape(x)[1] for x in blocks]
    rows = [
        np.concatenate([np.zeros_like(plain(x), shape=(len(x), w)) if m != n else x for m, w in enumerate(widths)], 1)
        for n, x in enumerate(blocks)
    ]
    return np.concatenate(rows)
