"""Array rules for the Cholesky and QR factorisations, the latter with both factors packed in one array."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.linalg.inverses_determinants_systems import solution
from gradcli.mathematics.rules.linalg.matrix_helpers import (
    adjoint,
    conj,
    diagonal,
    diagonal_matrix,
    lower,
    matrix_rule,
    real,
    transposed,
)


def _cholesky_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, 2016, equation 10, symmetrised."""
    inner = np.matmul(adjoint(v), conj(ct))
    half = lower(inner) - 0.5 * diagonal_matrix(diagonal(inner))
    up = adjoint(v)
    outer = transposed(solution(transposed(v), transposed(solution(up, half))))  # v^-H half v^-1
    return conj(0.5 * (outer + adjoint(outer)))


def _cholesky_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    """Murray 2016, equation 8, for the Hermitian part of the tangent."""
    half = solution(v, 0.5 * (tangents[0] + adjoint(tangents[0])))
    inner = solution(v, adjoint(half))  # v^-1 dx v^-H
    return np.matmul(v, lower(inner) - 0.5 * diagonal_matrix(diagonal(inner)))


def _qr_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Walter & Lehmann, Algorithmic differentiation of linear algebra functions, arXiv:1009.6112, 2010, 2.4.

    A wide matrix is split into a square one and the remaining columns (Roberts & Roberts, QR and LQ decomposition
    matrix backpropagation algorithms, arXiv:2009.10071, 2020).
    """
    m, n = np.shape(x)[-2:]
    q, r = v[..., :m, :], transposed(v[..., m:, :])
    q_ct, r_ct = conj(ct[..., :m, :]), conj(transposed(ct[..., m:, :]))
    if m >= n:
        return conj(_tall(q_ct, r_ct, q, r))
    rest = x[..., m:]
    square = _tall(q_ct + np.matmul(rest, adjoint(r_ct[..., m:])), r_ct[..., :m], q, r[..., :m])
    return conj(np.concatenate([square, np.matmul(q, r_ct[..., m:])], axis=-1))


def _tall(q_ct: Any, r_ct: Any, q: Any, r: Any) -> Any:
    inner = np.matmul(r, adjoint(r_ct)) - np.matmul(adjoint(q_ct), q)
    below = lower(inner, -1)
    mirrored = below + adjoint(below) + diagonal_matrix(real(diagonal(inner)))
    return adjoint(solution(r, adjoint(q_ct + np.matmul(q, mirrored))))


def _qr_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    """Walter & Lehmann 2010, 2.4: `w = q^H dq` is skew, with the lower triangle of `q^H dx r^-1`; `dr = q^H dx - w r`.

    A wide matrix has the `q` of its leading square block.
    """
    m, n = np.shape(x)[-2:]
    k = min(m, n)
    q, r = v[..., :m, :], transposed(v[..., m:, :])
    moved = np.matmul(adjoint(q), tangents[0])
    inverse = transposed(solution(transposed(r[..., :k]), transposed(tangents[0][..., :k])))  # dx r^-1
    inner = np.matmul(adjoint(q), inverse)
    below = lower(inner, -1)
    phases = diagonal(inner)
    turn = below - adjoint(below) + diagonal_matrix(phases - real(phases))
    q_moved = np.matmul(q, turn) + inverse - np.matmul(q, inner)
    r_moved = lower(transposed(moved - np.matmul(turn, r)))
    return np.concatenate([q_moved, r_moved], axis=-2)


CHOLESKY = matrix_rule(
    "cholesky", "x: np.linalg.cholesky(x)", _cholesky_vjp, jvp=_cholesky_jvp, function="cholesky", hermitian=True
)
_PACKED = "(lambda q, r: np.concatenate([q, np.swapaxes(r, -1, -2)], axis=-2))"
QR = matrix_rule("qr", f"x: {_PACKED}(*np.linalg.qr(x))", _qr_vjp, jvp=_qr_jvp, function="qr")
