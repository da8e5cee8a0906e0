"""The array rule for the unitary polar factor of a matrix: the nearest matrix with orthonormal columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.linalg.inverses_and_systems import solution
from gradcli.rules.linalg.matrix_helpers import adjoint, conj, matrix_rule
from gradcli.rules.linalg.triangular_lu_sylvester import SYLVESTER


def _unitary_vjp(ct: Any, v: Any, x: Any) -> Any:
    """From x = v p with p Hermitian: the skew part of v^H dx is w p + p w, where w = v^H dv.

    No differences of singular values occur, so they may be equal: near a rotation all of them are 1.
    """
    g = conj(ct)
    stretch = _stretch(v, x)
    inner = np.matmul(adjoint(v), g)
    pulled = np.matmul(v, SYLVESTER(stretch, stretch, inner - adjoint(inner)))
    if np.shape(x)[0] > np.shape(x)[1]:
        outside = g - np.matmul(v, inner)
        pulled = pulled + adjoint(solution(stretch, adjoint(outside)))
    return conj(pulled)


def _unitary_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    """The same `w`, plus the component outside the span of `v`."""
    stretch = _stretch(v, x)
    inner = np.matmul(adjoint(v), tangents[0])
    moved = np.matmul(v, SYLVESTER(stretch, stretch, inner - adjoint(inner)))
    if np.shape(x)[0] > np.shape(x)[1]:
        outside = tangents[0] - np.matmul(v, inner)
        moved = moved + adjoint(solution(stretch, adjoint(outside)))
    return moved


def _stretch(v: Any, x: Any) -> Any:
    """The Hermitian polar factor."""
    stretch = np.matmul(adjoint(v), x)
    return 0.5 * (stretch + adjoint(stretch))


UNITARY = matrix_rule(
    "unitary",
    "x: np.matmul(*np.linalg.svd(x, full_matrices=False)[::2])",
    _unitary_vjp,
    jvp=_unitary_jvp,
    batched=(),
    function="svd",
)
