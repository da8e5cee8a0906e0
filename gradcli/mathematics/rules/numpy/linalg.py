"""NumPy's functions of linear algebra, `numpy.linalg`, for stacks of matrices."""

from __future__ import annotations

import operator
from typing import Any, NamedTuple

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.array_rule import array_rule
from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.function_registry import apply_plainly, in_common_dtype, numeric, serves
from gradcli.mathematics.rules.library_values import with_value_of
from gradcli.mathematics.rules.linalg import (
    CHOLESKY,
    DET,
    EIG,
    EIGH,
    HERMITIAN,
    INV,
    LOGDET,
    LSTSQ,
    PINV,
    QR,
    SOLVE,
    SVD,
)
from gradcli.mathematics.rules.linalg.matrix_errors import MatrixError
from gradcli.mathematics.rules.linalg.matrix_helpers import (
    adjoint,
    conj,
    eye,
    plain_array,
    real,
    transposed,
    whole_matrices,
)
from gradcli.mathematics.rules.products import MATMUL


class EigResult(NamedTuple):
    """The result of `numpy.linalg.eig`."""

    eigenvalues: Any
    eigenvectors: Any


class EighResult(NamedTuple):
    """The result of `numpy.linalg.eigh`."""

    eigenvalues: Any
    eigenvectors: Any


class QRResult(NamedTuple):
    """The result of `numpy.linalg.qr`."""

    Q: Any
    R: Any


class SVDResult(NamedTuple):
    """The result of `numpy.linalg.svd`."""

    U: Any
    S: Any
    Vh: Any


class SlogdetResult(NamedTuple):
    """The result of `numpy.linalg.slogdet`."""

    sign: Any
    logabsdet: Any


# Systems, inverses, determinants


@serves("linalg.solve")
def solve(a: Any, b: Any) -> Any:
    """`numpy.linalg.solve`."""
    a, b = numeric(a), numeric(b)
    return SOLVE(a, b[:, None])[..., 0] if np.ndim(b) == 1 else SOLVE(a, b)


@serves("linalg.inv")
def inv(a: Any) -> Any:
    """`numpy.linalg.inv`."""
    return INV(numeric(a))


@serves("linalg.pinv", other_steps=True)
def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue) -> Any:
    """`numpy.linalg.pinv`; the derivative holds at constant rank."""
    a = numeric(a)
    if rcond is None:
        rcond = 1e-15 if rtol is np._NoValue else rtol
        rcond = max(np.shape(a)[-2:]) * np.finfo(a.dtype).eps if rcond is None else rcond
    _keep_all_but_zeros("pinv", a, rcond)
    return PINV(hermitian_part(a, "L") if hermitian else a, rcond=rcond)


def _keep_all_but_zeros(name: str, a: Any, rcond: Any) -> None:
    """Refuse a cut-off that drops singular values above rounding error: the formulas assume the full rank."""
    rounding = 10 * max(np.shape(a)[-2:]) * float(np.finfo(a.dtype).eps)
    if (np.ndim(rcond) == 0 and rcond <= rounding) or np.size(a) == 0:
        return
    if apply_plainly(call_of(_leaves_out, rounding), a, rcond):
        raise UnsupportedError(
            f"numpy.linalg.{name} drops nonzero singular values, for which it has no derivative rule",
            hint="Give a smaller rcond=, or select columns of `u, s, vh = np.linalg.svd(a, False)`.",
        )


def _leaves_out(a: Any, rcond: Any, rounding: float) -> bool:
    """Whether a singular value lies above rounding error but not above the cut-off."""
    s = np.linalg.svd(a, compute_uv=False)
    largest = np.max(s, axis=-1, keepdims=True)
    cutoff = (np.asarray(rcond)[..., None] if np.ndim(rcond) else rcond) * largest
    return bool(np.any((s > rounding * largest) & (s <= cutoff)))


@serves("linalg.det")
def det(a: Any) -> Any:
    """`numpy.linalg.det`."""
    return DET(numeric(a))


@serves("linalg.slogdet")
def slogdet(a: Any) -> Any:
    """`numpy.linalg.slogdet`; the sign of a real determinant is an outcome."""
    a = numeric(a)
    if plain_array(a).dtype.kind == "c":
        return _with_complex_sign(a)
    return SlogdetResult(apply_plainly(_sign_of_determinant, a), LOGDET(a))


def _sign_of_determinant(a: Any) -> Any:
    return np.linalg.slogdet(a)[0]


def _by_determinant(a: Any) -> SlogdetResult:
    determinant = DET(a)
    return SlogdetResult(determinant / np.abs(determinant), LOGDET(a))


_with_complex_sign = with_value_of("linalg.slogdet", _by_determinant)


@serves("linalg.lstsq", other_steps=True)
def lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """`numpy.linalg.lstsq`; the rank is an outcome."""
    a, b = in_common_dtype([numeric(a), numeric(b)])
    columns = b[:, None] if np.ndim(b) == 1 else b
    rcond = np.finfo(a.dtype).eps * max(np.shape(a)) if rcond is None else rcond
    _keep_all_but_zeros("lstsq", a, rcond if rcond >= 0 else np.finfo(a.dtype).eps)
    _, residuals, rank, _ = np.linalg.lstsq(plain_array(a), plain_array(columns), rcond)
    x = LSTSQ(a, columns, rcond=rcond)
    if np.size(residuals):
        left = columns - MATMUL(a, x)
        residuals = np.sum(real(conj(left) * left), axis=0)
    return x[:, 0] if np.ndim(b) == 1 else x, residuals, rank, np.linalg.svdvals(a)


@serves("linalg.tensorsolve")
def tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    """`numpy.linalg.tensorsolve`."""
    a = numeric(a)
    if axes is not None:
        rest = [axis for axis in range(np.ndim(a)) if axis not in axes]
        a = np.transpose(a, (*rest, *axes))
    shape = np.shape(a)[np.ndim(b) :]
    solution = solve(np.reshape(a, (np.size(b), -1)), np.ravel(b))
    return np.reshape(solution, shape)


@serves("linalg.matrix_power")
def matrix_power(a: Any, n: int) -> Any:
    """`numpy.linalg.matrix_power`, by squaring."""
    a, n = numeric(a), operator.index(n)
    if np.shape(a)[-1:] != np.shape(a)[-2:-1]:
        raise MatrixError(f"numpy.linalg.matrix_power needs a square matrix, and got one of shape {np.shape(a)[-2:]}")
    if n == 0:
        return np.broadcast_to(eye(a, np.shape(a)[-1], a.dtype), np.shape(a)) + 0 * a
    base, result, n = (INV(a) if n < 0 else a), None, abs(n)
    if n == 3:  # NumPy's own shortcut
        return MATMUL(MATMUL(base, base), base)
    while n:
        if n % 2:
            result = base if result is None else MATMUL(result, base)
        n //= 2
        base = MATMUL(base, base) if n else base
    return result


# Factorisations


def hermitian_part(a: Any, uplo: str) -> Any:
    """The matrix that a function of Hermitian matrices uses: one triangle, mirrored.

    The derivative by the other triangle is 0, even if the matrix is Hermitian.
    """
    a = numeric(a)
    value = plain_array(a)
    if value.ndim < 2 or value.shape[-1] != value.shape[-2]:
        return a
    return HERMITIAN(a, part="upper" if uplo.upper() == "U" else "lower")


@serves("linalg.cholesky")
def cholesky(a: Any, /, *, upper: bool = False) -> Any:
    """`numpy.linalg.cholesky`."""
    return _upper(a, upper=True) if upper else CHOLESKY(hermitian_part(a, "L"))


def _adjoint_factor(a: Any, *, upper: bool) -> Any:
    return adjoint(CHOLESKY(hermitian_part(a, "U")))


_upper = with_value_of("linalg.cholesky", _adjoint_factor)


def _refusing(name: str, what: str) -> Any:
    """A rule for vectors that the matrix does not determine: they may be read but not differentiated."""

    def refused(ct: Any, v: Any, x: Any) -> Any:
        if np.any(plain_array(ct) != 0):
            raise UnsupportedError(
                f"the result depends on the {what}, which the matrix does not determine",
                hint="Use only the first columns, as with full_matrices=False or mode='reduced'.",
            )
        return np.zeros_like(plain_array(x))

    definition = {
        "left": "x: np.linalg.svd(x)[0][..., x.shape[-1]:]",
        "right": "x: np.linalg.svd(x)[2][..., x.shape[-2]:, :]",
        "beyond": "x: np.linalg.qr(x, 'complete')[0][..., x.shape[-1]:]",
    }[name]
    return array_rule(
        f"{name}_vectors",
        definition,
        refused,
        reach=whole_matrices,
        jvp=lambda tangents, v, x: np.full_like(v, np.nan),
    )


_LEFT = _refusing("left", "further left singular vectors")
_RIGHT = _refusing("right", "further right singular vectors")
_BEYOND = _refusing("beyond", "further columns of Q")


@serves("linalg.qr")
def qr(a: Any, mode: str = "reduced") -> Any:
    """`numpy.linalg.qr`, for matrices whose leading columns are linearly independent."""
    if mode not in ("reduced", "r", "complete"):
        raise UnsupportedError(f"numpy.linalg.qr with mode={mode!r} has no derivative rule", hint="Use mode='reduced'.")
    a = numeric(a)
    m, n = np.shape(a)[-2:]
    both = QR(a)
    q, r = both[..., :m, :], transposed(both[..., m:, :])
    if mode == "r":
        return r
    if mode == "complete" and m > n:
        q = np.concatenate([q, _BEYOND(a)], axis=-1)
        r = np.concatenate([r, np.zeros_like(plain_array(r), shape=(*np.shape(a)[:-2], m - n, n))], axis=-2)
    return QRResult(q, r)


@serves("linalg.svd")
def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    """`numpy.linalg.svd`. Vectors that complete a basis have no derivative, and are refused where one is needed."""
    a = numeric(a)
    if not compute_uv:
        return _values_alone(a, full_matrices, False, hermitian)
    a = hermitian_part(a, "L") if hermitian else a
    m, n = np.shape(a)[-2:]
    both = SVD(a)
    u, s, vh = both[..., :m, :], real(both[..., m, :]), transposed(both[..., m + 1 :, :])
    if full_matrices and m > n:
        u = np.concatenate([u, _LEFT(a)], axis=-1)
    if full_matrices and n > m:
        vh = np.concatenate([vh, _RIGHT(a)], axis=-2)
    return SVDResult(u, s, vh)


def _singular_values(a: Any, full_matrices: bool, compute_uv: bool, hermitian: bool) -> Any:
    return real(SVD(hermitian_part(a, "L") if hermitian else a)[..., np.shape(a)[-2], :])


_values_alone = with_value_of("linalg.svd", _singular_values)


@serves("linalg.eigh")
def eigh(a: Any, UPLO: str = "L") -> Any:
    """`numpy.linalg.eigh`."""
    both = EIGH(hermitian_part(a, UPLO), uplo=UPLO.upper())
    return EighResult(real(both[..., 0, :]), both[..., 1:, :])


@serves("linalg.eigvalsh", other_steps=True)
def eigvalsh(a: Any, UPLO: str = "L") -> Any:
    """`numpy.linalg.eigvalsh`."""
    return eigh(a, UPLO).eigenvalues


@serves("linalg.eig")
def eig(a: Any) -> Any:
    """`numpy.linalg.eig`, for matrices with distinct eigenvalues."""
    both = EIG(numeric(a))
    return EigResult(both[..., 0, :], both[..., 1:, :])


@serves("linalg.eigvals")
def eigvals(a: Any) -> Any:
    """`numpy.linalg.eigvals`, for matrices with distinct eigenvalues."""
    return eig(a).eigenvalues


# Functions derived from them


@serves("linalg.cond", other_steps=True)
def cond(x: Any, p: Any = None) -> Any:
    """`numpy.linalg.cond`."""
    x = numeric(x)
    if np.size(x) == 0 and 0 in np.shape(x)[-2:]:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    if p is None or p in (2, -2):
        s = np.linalg.svdvals(x)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    norm = np.linalg.norm
    return norm(x, p, axis=(-2, -1)) * norm(INV(x), p, axis=(-2, -1))


def spectral_norm(x: Any, ord: Any) -> Any:
    """The norms over the last two axes that depend on singular values: 2, -2 and "nuc"."""
    s = np.linalg.svdvals(x)
    if ord == 2 and np.shape(s)[-1] == 0:
        return np.sum(s, axis=-1)
    return np.sum(s, axis=-1) if ord == "nuc" else np.max(s, axis=-1) if ord == 2 else np.min(s, axis=-1)
