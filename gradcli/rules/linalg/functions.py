"""Array rules for analytic functions of a matrix, computed by SciPy: its exponential, square root and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.rules.array_rules import ArrayRule
from gradcli.rules.linalg.matrices import plain, transposed, whole_matrices
from gradcli.rules.linalg.systems import SYLVESTER
from gradcli.rules.scipys import scipys
from gradcli.rules.table import array_rule


def _vjp(name: str) -> Callable[..., Any]:
    """The corner of the function of a block matrix: Higham, Functions of Matrices, SIAM 2008, 3.6."""

    def vjp(ct: Any, v: Any, x: Any) -> Any:
        n = np.shape(x)[-1]
        turned = transposed(x)
        below = np.concatenate([np.zeros_like(turned), turned], axis=-1)
        block = np.concatenate([np.concatenate([turned, ct], axis=-1), below], axis=-2)
        if name == "logm" and np.iscomplexobj(plain(v)):
            block = block * _off_the_cut(plain(x))
        return MATRIX_FUNCTIONS[name](block)[..., :n, n:]

    return vjp


def _off_the_cut(x: Any) -> Any:
    """A factor that turns the eigenvalues of a matrix away from the negative numbers, where logarithms jump.

    The block has each eigenvalue twice: rounding would put the two on either side.  A factor of a matrix is a term of
    its logarithm, which the corner does not see.
    """
    angles = np.angle(np.linalg.eigvals(x))
    middle = (np.max(angles, axis=-1) + np.min(angles, axis=-1)) / 2.0
    return np.exp(-1j * middle)[..., None, None]


def _root_vjp(ct: Any, v: Any, x: Any) -> Any:
    """From `dv v + v dv = dx`: Higham, Functions of Matrices, SIAM 2008, 6.1."""
    return SYLVESTER(transposed(v), transposed(v), ct)


NAMES = ("expm", "logm", "sqrtm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm")
MATRIX_FUNCTIONS: dict[str, ArrayRule] = {
    name: array_rule(
        name,
        scipys(f"linalg.{name}"),
        _root_vjp if name == "sqrtm" else _vjp(name),
        reach=whole_matrices,
        complex=True,
    )
    for name in NAMES
}
