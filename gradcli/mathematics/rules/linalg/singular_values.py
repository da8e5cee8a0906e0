"""The array rule for singular values and vectors, packed in one array: left vectors, values, right vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.linalg.matrix_helpers import (
    adjoint,
    conj,
    diagonal,
    diagonal_matrix,
    differences,
    eye,
    largest,
    matrix_rule,
    plain_array,
    quotient,
    real,
    told_apart,
    transposed,
)


def _svd_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Townsend, Differentiating the singular value decomposition, 2016; Wan & Zhang, arXiv:1909.02659, 2019.

    If vectors are not used, their singular values may be equal or zero: no difference of them is needed.
    """
    m = np.shape(x)[-2]
    u, s, w = v[..., :m, :], real(v[..., m, :]), conj(v[..., m + 1 :, :])
    g = conj(ct)
    u_ct, s_ct, w_ct = g[..., :m, :], real(g[..., m, :]), conj(g[..., m + 1 :, :])
    inner_u, inner_w = np.matmul(adjoint(u), u_ct), np.matmul(adjoint(w), w_ct)
    column, row = s[..., None, :], s[..., :, None]
    middle = _turned(inner_u, s) * column + row * _turned(inner_w, s) + diagonal_matrix(s_ct)
    if plain_array(x).dtype.kind == "c":
        middle = middle + _phases(inner_u, s)
    pulled = np.matmul(u, np.matmul(middle, adjoint(w)))
    pulled = pulled + np.matmul(_outside(u, u_ct, inner_u, column), adjoint(w))
    return conj(pulled + np.matmul(u, adjoint(_outside(w, w_ct, inner_w, column))))


def _svd_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    """Townsend 2016. The common phase of a pair of complex vectors is assigned to the left one, as in Wan & Zhang.

    Vectors of equal or zero singular values have tangents of nan or inf, unless nothing moves them.
    """
    m = np.shape(x)[-2]
    u, s, w = v[..., :m, :], real(v[..., m, :]), conj(v[..., m + 1 :, :])
    column, row = s[..., None, :], s[..., :, None]
    left, right = np.matmul(tangents[0], w), np.matmul(adjoint(tangents[0]), u)
    inner, turned = np.matmul(adjoint(u), left), np.matmul(adjoint(w), right)
    u_turn = _over_squares(inner * column + row * turned, s)
    w_turn = _over_squares(row * inner + turned * column, s)
    if plain_array(x).dtype.kind == "c":
        u_turn = u_turn + _phases(inner, s)
    u_moved = np.matmul(u, u_turn) + _outside(u, left, inner, column)
    w_moved = np.matmul(w, w_turn) + _outside(w, right, turned, column)
    return np.concatenate([u_moved, real(diagonal(inner))[..., None, :], conj(w_moved)], axis=-2)


def _turned(inner: Any, s: Any) -> Any:
    """The rotation of the vectors into each other."""
    used = plain_array(inner) != 0
    return _over_squares(inner - adjoint(inner), s, ~(used | transposed(used)))


def _over_squares(x: Any, s: Any, unused: Any = None) -> Any:
    """The off-diagonal part over the differences of the squared singular values."""
    row, column = s[..., :, None], s[..., None, :]
    on_diagonal = eye(s, np.shape(s)[-1])
    gaps = np.where(on_diagonal, 1.0, differences(s) * (column + row))
    off_diagonal = np.where(on_diagonal, 0.0, x)
    return quotient(off_diagonal, gaps, plain_array(off_diagonal) == 0 if unused is None else unused)


def _outside(vectors: Any, x: Any, inner: Any, s: Any) -> Any:
    """The component of a cotangent or tangent outside the span of the vectors, over the singular values."""
    if np.shape(vectors)[-2] == np.shape(vectors)[-1]:
        return np.zeros_like(plain_array(x))
    outside = x - np.matmul(vectors, inner)
    return quotient(outside, s, plain_array(outside) == 0)


def _phases(inner: Any, s: Any) -> Any:
    """The common phase of a pair of complex vectors."""
    skew = 0.5 * (inner - adjoint(inner))
    turns = diagonal(skew)
    return diagonal_matrix(quotient(turns, s, plain_array(turns) == 0))


def _zero_or_told_apart(ct: Any, v: Any, x: Any) -> bool:
    """Whether the result uses a zero singular value, or uses two equal ones differently."""
    m = np.shape(x)[-2]
    s, used = real(v[..., m, :]), ct[..., m, :]
    vectors = np.any(ct[..., :m, :] != 0, axis=-2) | np.any(ct[..., m + 1 :, :] != 0, axis=-2)
    zero = s <= s.shape[-1] * np.finfo(s.dtype).eps * largest(s, axis=-1, keepdims=True)
    return bool(np.any(zero & ((used != 0) | vectors))) or told_apart(s, used, vectors)


_PACKED = "(lambda u, s, vh: np.concatenate([u, s[..., None, :], np.swapaxes(vh, -1, -2)], axis=-2))"
SVD = matrix_rule(
    "svd",
    f"x: {_PACKED}(*np.linalg.svd(x, full_matrices=False))",
    _svd_vjp,
    jvp=_svd_jvp,
    function="svd",
    kink=_zero_or_told_apart,
)
