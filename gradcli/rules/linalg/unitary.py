"""The array rule for the unitary factor of a matrix: the nearest matrix whose columns are orthonormal."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.linalg.failures import attempted
from gradcli.rules.linalg.inverses import solution
from gradcli.rules.linalg.matrices import adjoint, conj, whole_matrices
from gradcli.rules.linalg.systems import SYLVESTER
from gradcli.rules.table import array_rule


def _unitary(x: Any) -> Any:
    u, _, vh = attempted("svd", np.linalg.svd, x, full_matrices=False)
    return np.matmul(u, vh)


def _unitary_vjp(ct: Any, v: Any, x: Any) -> Any:
    """From x = v p with p Hermitian: the skew part of v^H dx is w p + p w, where w = v^H dv.

    No singular values are told apart, so that they may be equal: near a rotation all are 1.
    """
    g = conj(ct)
    stretch = np.matmul(adjoint(v), x)
    stretch = 0.5 * (stretch + adjoint(stretch))
    inner = np.matmul(adjoint(v), g)
    pulled = np.matmul(v, SYLVESTER(stretch, stretch, inner - adjoint(inner)))
    if np.shape(x)[0] > np.shape(x)[1]:
        outside = g - np.matmul(v, inner)
        pulled = pulled + adjoint(solution(stretch, adjoint(outside)))
    return conj(pulled)


UNITARY = array_rule("unitary", _unitary, _unitary_vjp, reach=whole_matrices, complex=True)
