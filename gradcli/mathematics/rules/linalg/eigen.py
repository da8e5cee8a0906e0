"""Array rules for eigenvalues and eigenvectors, packed in one array: the values in the first row, the vectors below."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import array_rule
from gradcli.mathematics.rules.linalg.inverses_determinants_systems import solution
from gradcli.mathematics.rules.linalg.matrix_helpers import (
    adjoint,
    conj,
    diagonal,
    diagonal_matrix,
    differences,
    eye,
    lower,
    matrix_rule,
    plain_array,
    quotient,
    real,
    told_apart,
)


def _hermitian(x: Any, *, part: str) -> Any:
    """The Hermitian matrix with the lower or upper triangle of `x`."""
    below = lower(x if part == "lower" else adjoint(x), -1)
    return below + adjoint(below) + diagonal_matrix(real(diagonal(x)))


def _hermitian_vjp(ct: Any, v: Any, x: Any, *, part: str) -> Any:
    below = lower(ct + adjoint(ct), -1)
    below = below if part == "lower" else adjoint(below)
    return below + diagonal_matrix(real(diagonal(ct)))


def _packed(values: Any, vectors: Any) -> Any:
    return np.concatenate([values[..., None, :], vectors], axis=-2)


def _eigh_vjp(ct: Any, v: Any, x: Any, *, uplo: str) -> Any:
    """Giles 2008, 3.1. If vectors are not used, their eigenvalues may be equal: no difference of them is needed."""
    w, vectors = real(v[..., 0, :]), v[..., 1:, :]
    g = conj(ct)
    inner = np.matmul(adjoint(vectors), g[..., 1:, :])
    middle = _turned(inner, differences(w)) + diagonal_matrix(real(g[..., 0, :]))
    return conj(np.matmul(vectors, np.matmul(middle, adjoint(vectors))))


def _eigh_jvp(tangents: dict[int, Any], v: Any, x: Any, *, uplo: str) -> Any:
    """Giles 2008, 3.1. Vectors of equal eigenvalues have tangents of nan or inf, unless nothing rotates them."""
    w, vectors = real(v[..., 0, :]), v[..., 1:, :]
    inner = np.matmul(adjoint(vectors), np.matmul(tangents[0], vectors))
    turned = _turned(inner, differences(w))
    return _packed(real(diagonal(inner)), np.matmul(vectors, turned))


def _turned(inner: Any, gaps: Any) -> Any:
    """The rotation of the vectors into each other: the off-diagonal part over the differences of the eigenvalues."""
    turned = _hollow(inner)
    return quotient(turned, gaps, plain_array(turned) == 0)


def _hollow(x: Any) -> Any:
    return np.where(eye(x, np.shape(x)[-1]), np.zeros_like(plain_array(x), shape=()), x)


def _eig_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Boeddeker et al., On the computation of complex-valued gradients, arXiv:1701.00392, 2017, 4.77: unit vectors."""
    w, vectors = v[..., 0, :], v[..., 1:, :]
    g = conj(ct)
    inner = np.matmul(adjoint(vectors), g[..., 1:, :])
    length = np.matmul(adjoint(vectors), vectors) * real(diagonal(inner))[..., None, :]
    middle = _turned(inner - length, conj(differences(w))) + diagonal_matrix(g[..., 0, :])
    pulled = np.matmul(solution(adjoint(vectors), middle), adjoint(vectors))
    return conj(pulled) if plain_array(x).dtype.kind == "c" else real(pulled)


def _eig_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    """Boeddeker et al. 2017, 4.77. The vectors keep length 1, so their tangents have no real part along themselves."""
    w, vectors = v[..., 0, :], v[..., 1:, :]
    inner = solution(vectors, np.matmul(tangents[0], vectors))
    moved = np.matmul(vectors, _turned(inner, differences(w)))
    along = np.sum(real(conj(vectors) * moved), axis=-2, keepdims=True)
    return _packed(diagonal(inner), moved - vectors * along)


def _equal_but_told_apart(ct: Any, v: Any, x: Any, **static: Any) -> bool:
    """Whether the result uses two equal eigenvalues differently."""
    return told_apart(v[..., 0, :], ct[..., 0, :], np.any(ct[..., 1:, :] != 0, axis=-2))


HERMITIAN = array_rule("hermitian", _hermitian, _hermitian_vjp, linear=True)
_PACKED = "(lambda values, vectors: np.concatenate([values[..., None, :], vectors], axis=-2))"
EIGH = matrix_rule(
    "eigh",
    f"x, *, uplo: {_PACKED}(*np.linalg.eigh(x, uplo))",
    _eigh_vjp,
    jvp=_eigh_jvp,
    function="eigh",
    hermitian=True,
    kink=_equal_but_told_apart,
)
EIG = matrix_rule(
    "eig", f"x: {_PACKED}(*np.linalg.eig(x))", _eig_vjp, jvp=_eig_jvp, function="eig", kink=_equal_but_told_apart
)
