"""Array rules for analytic functions of a matrix, computed by SciPy: its exponential, square root and their kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.rules.linalg.matrices import transposed, whole_matrices
from gradcli.rules.scipys import scipys
from gradcli.rules.table import ArrayRule, array_rule


def _vjp(name: str) -> Callable[..., Any]:
    """The corner of the function of a block matrix: Higham, Functions of Matrices, SIAM 2008, 3.6."""

    def vjp(ct: Any, v: Any, x: Any) -> Any:
        n = np.shape(x)[-1]
        turned = transposed(x)
        below = np.concatenate([np.zeros_like(turned), turned], axis=-1)
        block = np.concatenate([np.concatenate([turned, ct], axis=-1), below], axis=-2)
        return MATRIX_FUNCTIONS[name](block)[..., :n, n:]

    return vjp


NAMES = ("expm", "logm", "sqrtm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm")
MATRIX_FUNCTIONS: dict[str, ArrayRule] = {
    name: array_rule(name, scipys(f"linalg.{name}"), _vjp(name), reach=whole_matrices, complex=True) for name in NAMES
}
