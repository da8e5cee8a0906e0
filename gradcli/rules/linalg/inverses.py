"""Array rules for inverses and systems of equations, and for their least-squares kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.linalg.failures import attempted
from gradcli.rules.linalg.matrices import adjoint, conj, plain, transposed, whole_matrices
from gradcli.rules.table import array_rule


def inverse(x: Any) -> Any:
    """The inverse, for the use of vector-Jacobian products: of nan where there is none, and never an error."""
    return INV(_regular(x))


def solution(x: Any, b: Any) -> Any:
    """The solution of `x @ y = b`, for the use of vector-Jacobian products: nan where there is none."""
    return SOLVE(_regular(x), b)


def _regular(x: Any) -> Any:
    """`x` with nan in place of the matrices that LAPACK finds singular."""
    sign = np.linalg.slogdet(plain(x))[0]
    return x if np.all(sign) else np.where((sign == 0)[..., None, None], np.nan, x)


def _inv_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Giles, An extended collection of matrix derivative results, 2008, 2.2.3."""
    turned = transposed(v)
    return -np.matmul(turned, np.matmul(ct, turned))


def _solve_left(ct: Any, v: Any, a: Any, b: Any) -> Any:
    """Giles 2008, 2.2.4, in cotangents."""
    return -np.matmul(solution(transposed(a), ct), transposed(v))


def _solve_right(ct: Any, v: Any, a: Any, b: Any) -> Any:
    return solution(transposed(a), ct)


def _pinv_vjp(ct: Any, v: Any, x: Any, *, rcond: Any) -> Any:
    """Where the rank stays what it is.

    Golub & Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems, SIAM J. Numer. Anal.
    10, 1973, 4.12.
    """
    p, turned = adjoint(v), adjoint(conj(ct))
    beside = turned - np.matmul(x, np.matmul(v, turned))
    above = turned - np.matmul(np.matmul(turned, v), x)
    within = np.matmul(np.matmul(p, conj(ct)), p)
    return conj(np.matmul(beside, np.matmul(v, p)) + np.matmul(np.matmul(p, v), above) - within)


def _lstsq(a: Any, b: Any, *, rcond: Any) -> Any:
    return np.linalg.lstsq(a, b, rcond=rcond)[0]


def _lstsq_left(ct: Any, v: Any, a: Any, b: Any, *, rcond: Any) -> Any:
    """The derivative of `pinv(a) @ b`, by the terms of Golub & Pereyra applied to `b`."""
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


def _lstsq_right(ct: Any, v: Any, a: Any, b: Any, *, rcond: Any) -> Any:
    return np.matmul(transposed(PINV(a, rcond=rcond)), ct)


INV = array_rule("inv", lambda x: attempted("inv", np.linalg.inv, x), _inv_vjp, reach=whole_matrices, complex=True)
SOLVE = array_rule(
    "solve",
    lambda a, b: attempted("solve", np.linalg.solve, a, b),
    _solve_left,
    _solve_right,
    reach=whole_matrices,
    complex=True,
)
PINV = array_rule(
    "pinv",
    lambda x, *, rcond: attempted("pinv", np.linalg.pinv, x, rcond=rcond),
    _pinv_vjp,
    reach=whole_matrices,
    complex=True,
)
LSTSQ = array_rule("lstsq", _lstsq, _lstsq_left, _lstsq_right, reach=whole_matrices, complex=True)
