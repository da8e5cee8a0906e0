"""The functions of `scipy.linalg` that differ from those of `numpy.linalg`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.comparable_calls import Call, call_of
from gradcli.mathematics.rules.function_registry import numeric, refuse_options, serves, unsupported
from gradcli.mathematics.rules.lazy_scipy import SCIPY
from gradcli.mathematics.rules.linalg import SOLVE
from gradcli.mathematics.rules.linalg.matrix_functions import MATRIX_FUNCTIONS
from gradcli.mathematics.rules.linalg.matrix_helpers import adjoint, eye, plain_array, transposed
from gradcli.mathematics.rules.linalg.triangular_lu_sylvester import SUBSTITUTION
from gradcli.mathematics.rules.numpy import linalg
from gradcli.mathematics.rules.shape import CAST
from gradcli.shared import devices

# Options on the method and on overwriting the arguments, which do not affect the derivative.
_HARMLESS = ("overwrite_a", "overwrite_b", "check_finite", "lapack_driver", "lapack_routine", "driver", "lwork")


def needed(name: str, options: dict[str, Any]) -> None:
    """Refuse options that would change the meaning, unless they have their default."""
    refuse_options(f"scipy.linalg.{name}", **{key: x for key, x in options.items() if key not in _HARMLESS and x})


@serves("scipy.linalg.inv", other_steps=True)
def inv(a: Any, *_: Any, assume_a: Any = None, lower: bool = False, **options: Any) -> Any:
    """`scipy.linalg.inv`. With a diagonal structure, some SciPy releases leave the other elements unchanged."""
    refuse_options("scipy.linalg.inv", assume_a=assume_a if assume_a == "diagonal" else None)
    return linalg.inv(_assumed(a, assume_a, lower))


@serves("scipy.linalg.det", other_steps=True)
def det(a: Any, **options: Any) -> Any:
    """`scipy.linalg.det`."""
    return linalg.det(a)


@serves("scipy.linalg.pinv", other_steps=True)
def pinv(a: Any, *, rtol: Any = None, **options: Any) -> Any:
    """`scipy.linalg.pinv`."""
    needed("pinv", options)
    a = numeric(a)
    return linalg.pinv(a, max(np.shape(a)[-2:]) * np.finfo(a.dtype).eps if rtol is None else rtol)


@serves("scipy.linalg.solve", other_steps=True)
def solve(a: Any, b: Any, lower: bool = False, *, assume_a: Any = None, transposed: bool = False, **_: Any) -> Any:
    """`scipy.linalg.solve`."""
    a = _assumed(a, assume_a, lower)
    return solved(np.swapaxes(a, -1, -2) if transposed else a, b)


def _assumed(a: Any, structure: Any, lower: bool) -> Any:
    """The matrix of the given structure that SciPy reads from `a`; the whole matrix if it is None."""
    a = numeric(a)
    if structure in ("her", "pos", "hermitian", "positive definite"):
        return linalg.hermitian_part(a, "L" if lower else "U")
    if structure in ("sym", "symmetric"):
        part = triangle(a, lower, unit=False)
        return part + transposed(triangle(a, lower, unit=False) * (1 - eye(a, np.shape(a)[-1], a.dtype)))
    if structure in ("upper triangular", "lower triangular"):
        return triangle(a, str(structure).startswith("lower"), unit=False)
    if structure in _BANDS:
        return np.tril(np.triu(a, -_BANDS[structure]), _BANDS[structure])
    return a


_BANDS = {"diagonal": 0, "tridiagonal": 1}  # the number of diagonals read on each side of the main one


@serves("scipy._external.array_api_compat.numpy.linalg.solve", "scipy._lib.array_api_compat.numpy.linalg.solve")
def solved(a: Any, b: Any) -> Any:
    """The solution of a system with one or several right-hand sides."""
    a, b = numeric(a), numeric(b)
    return SOLVE(a, b[:, None])[:, 0] if np.ndim(b) == 1 else SOLVE(a, b)


def triangle(a: Any, lower: bool, unit: bool) -> Any:
    """The triangle of a matrix that is read."""
    part = np.tril(a, -1 if unit else 0) if lower else np.triu(a, 1 if unit else 0)
    return part + eye(a, np.shape(a)[-1], a.dtype) if unit else part


@serves("scipy.linalg.solve_triangular", other_steps=True)
def solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: bool = False, unit_diagonal: bool = False, **options: Any
) -> Any:
    """`scipy.linalg.solve_triangular`."""
    a = triangle(numeric(a), lower, unit_diagonal)
    turned = {0: a, "N": a, 1: transposed(a), "T": transposed(a), 2: adjoint(a), "C": adjoint(a)}
    return _substituted(turned[trans], b, lower if trans in (0, "N") else not lower)


def _substituted(a: Any, b: Any, below: bool) -> Any:
    """The solution of a triangular system. Stacks, and arrays on a device, are solved like general systems."""
    b = numeric(b)
    if np.ndim(a) > 2 or np.ndim(b) > 2 or devices.on_device(plain_array(a)):
        return solved(a, b)
    solution = SUBSTITUTION(a, b[:, None] if np.ndim(b) == 1 else b, below=bool(below))
    return solution[:, 0] if np.ndim(b) == 1 else solution


@serves("scipy.linalg.cholesky", other_steps=True)
def cholesky(a: Any, lower: bool = False, **options: Any) -> Any:
    """`scipy.linalg.cholesky`."""
    return linalg.cholesky(_number_as_matrix(a), upper=not lower)


def _number_as_matrix(a: Any) -> Any:
    """A matrix of one element for a number, as SciPy takes it; anything else unchanged."""
    return np.reshape(numeric(a), (1, 1)) if np.ndim(a) < 2 and np.size(a) == 1 else a


@serves("scipy.linalg.cho_factor")
def cho_factor(a: Any, lower: bool = False, **options: Any) -> tuple[Any, bool]:
    """`scipy.linalg.cho_factor`. The other triangle keeps its elements, as in SciPy."""
    a = numeric(a)
    factor = cholesky(a, lower)
    return factor + (np.triu(a, 1) if lower else np.tril(a, -1)), lower


@serves("scipy.linalg.cho_solve", sequences=("c_and_lower",), other_steps=True)
def cho_solve(c_and_lower: tuple[Any, bool], b: Any, **options: Any) -> Any:
    """`scipy.linalg.cho_solve`."""
    c, lower = c_and_lower
    c = triangle(numeric(c), lower, unit=False)
    first, second = (c, adjoint(c)) if lower else (adjoint(c), c)
    return _substituted(second, _substituted(first, b, below=True), below=False)


@serves("scipy.linalg.qr", other_steps=True)
def qr(a: Any, overwrite_a: bool = False, lwork: Any = None, mode: str = "full", **options: Any) -> Any:
    """`scipy.linalg.qr`."""
    needed("qr", options)
    modes = {"full": "complete", "economic": "reduced"}
    return linalg.qr(a, modes.get(mode, mode)) if mode != "r" else (linalg.qr(a, "complete")[1],)


@serves("scipy.linalg.svd", other_steps=True)
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, **options: Any) -> Any:
    """`scipy.linalg.svd`."""
    return linalg.svd(a, full_matrices, compute_uv)


@serves("scipy.linalg.svdvals", other_steps=True)
def svdvals(a: Any, **options: Any) -> Any:
    """`scipy.linalg.svdvals`."""
    return np.linalg.svdvals(numeric(a))


@serves("scipy.linalg.eigh", other_steps=True)
def eigh(  # noqa: PLR0913 - SciPy's signature
    a: Any,
    b: Any = None,
    *,
    lower: bool = True,
    eigvals_only: bool = False,
    type: int = 1,
    subset_by_index: Any = None,
    driver: Any = None,
    **options: Any,
) -> Any:
    """`scipy.linalg.eigh`, also for a pair of matrices, by the Cholesky factor of the second."""
    needed("eigh", {**options, "type": type if type != 1 else None})
    a, b = numeric(a), b if b is None else numeric(b)
    values, vectors = _eigenpairs(a, b, "L" if lower else "U")
    if not eigvals_only:
        pair = (a,) if b is None else (a, b)
        vectors = vectors * phases(vectors, pair, call_of(_vectors, lower=lower, driver=driver))
    if subset_by_index is not None:
        first, last = map(int, subset_by_index)
        values, vectors = values[..., first : last + 1], vectors[..., first : last + 1]
    return values if eigvals_only else (values, vectors)


def _vectors(*pair: Any, lower: bool, driver: Any) -> Any:
    return SCIPY.linalg.eigh(*pair, lower=lower, driver=driver)[1]


def _eigenpairs(a: Any, b: Any, uplo: str) -> tuple[Any, Any]:
    if b is None:
        return linalg.eigh(a, uplo)  # type: ignore[no-any-return]
    factor = linalg.cholesky(linalg.hermitian_part(b, uplo))
    half = SOLVE(factor, linalg.hermitian_part(a, uplo))
    values, inner = linalg.eigh(linalg.hermitian_part(adjoint(SOLVE(factor, adjoint(half))), "L"))
    return values, SOLVE(adjoint(factor), inner)


def phases(vectors: Any, matrices: tuple[Any, ...], scipys_own: Callable[..., Any]) -> Any:
    """The factors that give the vectors the signs that SciPy chooses: an outcome."""
    compute = Call(_phases_beside, (scipys_own,))
    arguments = (vectors, *matrices)
    recorded = next((x for x in arguments if hasattr(x, "apply_outcome")), None)
    return compute(*arguments) if recorded is None else recorded.apply_outcome("signs", compute, arguments)


def _phases_beside(vectors: Any, *given: Any) -> Any:
    *matrices, scipys_own = given
    overlap = np.sum(np.conj(vectors) * scipys_own(*matrices), axis=-2, keepdims=True)
    return overlap / np.abs(overlap)


@serves("scipy.linalg.eigvalsh", other_steps=True)
def eigvalsh(a: Any, b: Any = None, *, lower: bool = True, **options: Any) -> Any:
    """`scipy.linalg.eigvalsh`."""
    return eigh(a, b, lower=lower, eigvals_only=True, **options)


@serves("scipy.linalg.norm", other_steps=True)
def norm(a: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, check_finite: bool = True) -> Any:
    """`scipy.linalg.norm`."""
    return np.linalg.norm(a, ord, axis, keepdims)


@serves("scipy.linalg.lstsq", other_steps=True)
def lstsq(a: Any, b: Any, cond: Any = None, **options: Any) -> Any:
    """`scipy.linalg.lstsq`."""
    return linalg.lstsq(a, b, cond)


def _serve_matrix_function(name: str) -> None:
    def function(A: Any, **options: Any) -> Any:
        needed(name, {key: x for key, x in options.items() if key != "blocksize"})
        A = _number_as_matrix(A) if name == "expm" else A
        if np.ndim(A) < 2:
            raise unsupported(f"scipy.linalg.{name} of a number or a vector")
        return MATRIX_FUNCTIONS[name](numeric(A))

    function.__doc__ = f"`scipy.linalg.{name}`."
    serves(f"scipy.linalg.{name}")(function)


for _name in MATRIX_FUNCTIONS:
    _serve_matrix_function(_name)


@serves("scipy.linalg.block_diag")
def block_diag(*arrs: Any) -> Any:
    """`scipy.linalg.block_diag`."""
    blocks = [np.atleast_2d(numeric(x)) for x in arrs]
    widths = [np.shape(x)[1] for x in blocks]
    rows = [
        np.concatenate(
            [np.zeros_like(plain_array(x), shape=(len(x), w)) if m != n else x for m, w in enumerate(widths)], 1
        )
        for n, x in enumerate(blocks)
    ]
    return np.concatenate(rows)


@serves("scipy.linalg.pinvh", other_steps=True)
def pinvh(a: Any, atol: Any = None, rtol: Any = None, lower: bool = True, **options: Any) -> Any:
    """`scipy.linalg.pinvh`."""
    needed("pinvh", {**options, "atol": atol})
    a = linalg.hermitian_part(a, "L" if lower else "U")
    return linalg.pinv(a, np.shape(a)[-1] * np.finfo(a.dtype).eps if rtol is None else rtol)


@serves("scipy.linalg.eig")
def eig(a: Any, b: Any = None, left: bool = False, right: bool = True, **options: Any) -> Any:
    """`scipy.linalg.eig`, for matrices with distinct eigenvalues. The eigenvalues are always complex."""
    needed("eig", {**options, "b": b is not None, "left": left})
    values, vectors = linalg.eig(a)
    complex_type = np.result_type(plain_array(values).dtype, np.complex64)
    values = CAST(values, dtype=complex_type)
    return (values, vectors) if right else values


@serves("scipy.linalg.eigvals")
def eigvals(a: Any, b: Any = None, **options: Any) -> Any:
    """`scipy.linalg.eigvals`."""
    return eig(a, b, right=False, **options)
