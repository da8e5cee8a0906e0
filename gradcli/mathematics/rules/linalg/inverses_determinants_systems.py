"""Array rules for inverses, determinants, systems of linear equations, pseudo-inverses and least squares."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.linalg.matrix_helpers import (
    adjoint,
    conj,
    integers_below,
    matrix_rule,
    plain_array,
    real,
    transposed,
)


def inverse(x: Any) -> Any:
    """The inverse, for use in vector-Jacobian products: nan for a singular matrix, never an error."""
    return INV(_regular(x))


def solution(x: Any, b: Any) -> Any:
    """The solution of `x @ y = b`, for use in vector-Jacobian products: nan for a singular matrix."""
    return SOLVE(_regular(x), b)


def _regular(x: Any) -> Any:
    """`x` with nan in place of the matrices that LAPACK finds singular."""
    sign = np.linalg.slogdet(plain_array(x))[0]
    return x if np.all(sign) else np.where((sign == 0)[..., None, None], np.nan, x)


def _inv_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Giles, An extended collection of matrix derivative results, 2008, 2.2.3."""
    turned = transposed(v)
    return -np.matmul(turned, np.matmul(ct, turned))


def right_side(tangents: dict[int, Any], v: Any) -> Any:
    """`db - da @ v`, the right-hand side of the system whose solution is the tangent of the solution of `a @ v = b`."""
    moved = tangents.get(1, 0.0)
    return moved - np.matmul(tangents[0], v) if 0 in tangents else moved


def _pinv_vjp(ct: Any, v: Any, x: Any, *, rcond: Any) -> Any:
    """The product at constant rank.

    Golub & Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems, SIAM J. Numer. Anal.
    10, 1973, 4.12.
    """
    p, turned = adjoint(v), adjoint(conj(ct))
    outside = turned - np.matmul(x, np.matmul(v, turned))
    above = turned - np.matmul(np.matmul(turned, v), x)
    within = np.matmul(np.matmul(p, conj(ct)), p)
    return conj(np.matmul(outside, np.matmul(v, p)) + np.matmul(np.matmul(p, v), above) - within)


def _pinv_jvp(tangents: dict[int, Any], v: Any, x: Any, *, rcond: Any) -> Any:
    """Golub & Pereyra 1973, 4.12."""
    turned, p = adjoint(tangents[0]), adjoint(v)
    outside = turned - np.matmul(np.matmul(turned, x), v)
    above = turned - np.matmul(v, np.matmul(x, turned))
    within = np.matmul(np.matmul(v, tangents[0]), v)
    return np.matmul(np.matmul(v, p), outside) + np.matmul(np.matmul(above, p), v) - within


def _lstsq_left(ct: Any, v: Any, a: Any, b: Any, *, rcond: Any) -> Any:
    """The derivative of `pinv(a) @ b`, with the terms of Golub & Pereyra applied to `b`."""
    p = PINV(a, rcond=rcond)
    g = conj(ct)
    pulled = np.matmul(adjoint(p), g)
    residual = b - np.matmul(a, v)
    outside = g - np.matmul(adjoint(a), pulled)
    return conj(
        np.matmul(residual, adjoint(np.matmul(p, pulled)))
        + np.matmul(np.matmul(adjoint(p), v), adjoint(outside))
        - np.matmul(pulled, adjoint(v))
    )


def _lstsq_jvp(tangents: dict[int, Any], v: Any, a: Any, b: Any, *, rcond: Any) -> Any:
    """The tangent of `pinv(a) @ b`, with the terms of Golub & Pereyra applied to `b`."""
    p = PINV(a, rcond=rcond)
    moved = np.matmul(p, right_side(tangents, v))
    if 0 not in tangents:
        return moved
    turned = adjoint(tangents[0])
    moved = moved + np.matmul(p, np.matmul(adjoint(p), np.matmul(turned, b - np.matmul(a, v))))
    outside = np.matmul(turned, np.matmul(adjoint(p), v))
    return moved + outside - np.matmul(p, np.matmul(a, outside))


INV = matrix_rule(
    "inv",
    "x: np.linalg.inv(x)",
    _inv_vjp,
    jvp=lambda tangents, v, x: -np.matmul(v, np.matmul(tangents[0], v)),
    function="inv",
)
SOLVE = matrix_rule(  # Giles 2008, 2.2.4
    "solve",
    "a, b: np.linalg.solve(a, b)",
    lambda ct, v, a, b: -np.matmul(solution(transposed(a), ct), transposed(v)),
    lambda ct, v, a, b: solution(transposed(a), ct),
    jvp=lambda tangents, v, a, b: solution(a, right_side(tangents, v)),
    function="solve",
)
PINV = matrix_rule("pinv", "x, *, rcond: np.linalg.pinv(x, rcond=rcond)", _pinv_vjp, jvp=_pinv_jvp, function="pinv")
LSTSQ = matrix_rule(
    "lstsq",
    "a, b, *, rcond: np.linalg.lstsq(a, b, rcond)[0]",
    _lstsq_left,
    lambda ct, v, a, b, *, rcond: np.matmul(transposed(PINV(a, rcond=rcond)), ct),
    jvp=_lstsq_jvp,
)


def _gradient(v: Any, x: Any) -> Any:
    """The cofactors: from the inverse if there is one (Giles 2008, 2.2.2), else from the determinants of the minors."""
    return v[..., None, None] * transposed(inverse(x)) if np.all(plain_array(v) != 0) else _cofactors(x)


def _cofactors(x: Any) -> Any:
    """The cofactor of every element, row by row. The cost is n times that of all inverses."""
    n = np.shape(x)[-1]
    integers = integers_below(x, n)
    others = np.stack([integers[integers != i] for i in range(n)]) if n else integers
    signs = (-1.0) ** integers
    rows = [
        np.linalg.det(x[..., others[i][None, :, None], others[:, None, :]]) * (signs * (-1.0) ** i) for i in range(n)
    ]
    return np.stack(rows, axis=-2) if rows else x


def _all_of_each(marks: Any, v: Any, x: Any) -> Any:
    """The mask of matrices: all elements of those whose result is marked."""
    return np.broadcast_to(marks[..., None, None], np.shape(x))


DET = matrix_rule(
    "det",
    "x: np.linalg.det(x)",
    lambda ct, v, x: ct[..., None, None] * _gradient(v, x),
    jvp=lambda tangents, v, x: np.sum(_gradient(v, x) * tangents[0], axis=(-2, -1)),
    reach=_all_of_each,
    function="det",
)
# Giles 2008, 2.2.2. The logarithm of the absolute value is real even if `x` is complex.
LOGDET = matrix_rule(
    "logdet",
    "x: np.linalg.slogdet(x)[1]",
    lambda ct, v, x: ct[..., None, None] * transposed(inverse(x)),
    jvp=lambda tangents, v, x: np.sum(real(transposed(inverse(x)) * tangents[0]), axis=(-2, -1)),
    reach=_all_of_each,
    function="slogdet",
    is_logarithm=True,
)
