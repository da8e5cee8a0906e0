"""Array rules for eigenvalues and eigenvectors: one array holds the values in its first row, the vectors below it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.linalg.failures import attempted
from gradcli.rules.linalg.inverses import solution
from gradcli.rules.linalg.matrices import (
    adjoint,
    conj,
    diagonal,
    diagonal_matrix,
    differences,
    eye,
    lower,
    plain,
    quotient,
    real,
    told_apart,
    whole_matrices,
)
from gradcli.rules.table import array_rule


def _hermitian(x: Any, *, part: str) -> Any:
    """The Hermitian matrix that has the lower or the upper triangle of `x`."""
    below = lower(x if part == "lower" else adjoint(x), -1)
    return below + adjoint(below) + diagonal_matrix(real(diagonal(x)))


def _hermitian_vjp(ct: Any, v: Any, x: Any, *, part: str) -> Any:
    below = lower(ct + adjoint(ct), -1)
    below = below if part == "lower" else adjoint(below)
    return below + diagonal_matrix(real(diagonal(ct)))


def _packed(factors: Any) -> Any:
    values, vectors = factors
    return np.concatenate([values[..., None, :], vectors], axis=-2)


def _eigh(x: Any, *, uplo: str) -> Any:
    return _packed(attempted("eigh", np.linalg.eigh, x, UPLO=uplo))


def _eigh_vjp(ct: Any, v: Any, x: Any, *, uplo: str) -> Any:
    """Giles 2008, 3.1.  Vectors that are not used ask for no difference of eigenvalues, so that these may be equal."""
    w, vectors = real(v[..., 0, :]), v[..., 1:, :]
    g = conj(ct)
    inner = np.matmul(adjoint(vectors), g[..., 1:, :])
    turned = quotient(_hollow(inner), differences(w), _hollow(plain(inner)) == 0)
    middle = turned + diagonal_matrix(real(g[..., 0, :]))
    return conj(np.matmul(vectors, np.matmul(middle, adjoint(vectors))))


def _hollow(x: Any) -> Any:
    return np.where(eye(x, np.shape(x)[-1]), np.zeros_like(plain(x), shape=()), x)


def _eig(x: Any) -> Any:
    return _packed(attempted("eig", np.linalg.eig, x))


def _eig_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Boeddeker et al., On the computation of complex-valued gradients, arXiv:1701.00392, 2017, 4.77: unit vectors."""
    w, vectors = v[..., 0, :], v[..., 1:, :]
    g = conj(ct)
    inner = np.matmul(adjoint(vectors), g[..., 1:, :])
    length = np.matmul(adjoint(vectors), vectors) * real(diagonal(inner))[..., None, :]
    turned = _hollow(inner - length)
    middle = quotient(turned, conj(differences(w)), plain(turned) == 0) + diagonal_matrix(g[..., 0, :])
    pulled = np.matmul(solution(adjoint(vectors), middle), adjoint(vectors))
    return conj(pulled) if plain(x).dtype.kind == "c" else real(pulled)


def _equal_but_told_apart(ct: Any, v: Any, x: Any, **static: Any) -> bool:
    """Whether two eigenvalues are equal that the result uses differently."""
    return told_apart(v[..., 0, :], ct[..., 0, :], np.any(ct[..., 1:, :] != 0, axis=-2))


HERMITIAN = array_rule("hermitian", _hermitian, _hermitian_vjp, linear=True)
EIGH = array_rule("eigh", _eigh, _eigh_vjp, reach=whole_matrices, complex=True, kink=_equal_but_told_apart)
EIG = array_rule("eig", _eig, _eig_vjp, reach=whole_matrices, complex=True, kink=_equal_but_told_apart)
