"""Array rules for analytic matrix functions computed by SciPy, such as the exponential and the square root."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.linalg.matrix_helpers import matrix_rule, nan_beyond_floats, plain_array, transposed
from gradcli.mathematics.rules.linalg.triangular_lu_sylvester import SYLVESTER


def _derivative(name: str, x: Any, along: Any, v: Any) -> Any:
    """The derivative in a direction: a corner of the function of a block matrix.

    Higham, Functions of Matrices, SIAM 2008, 3.6.
    """
    n = np.shape(x)[-1]
    below = np.concatenate([np.zeros_like(x), x], axis=-1)
    block = np.concatenate([np.concatenate([x, along], axis=-1), below], axis=-2)
    if name == "logm" and np.iscomplexobj(plain_array(v)):
        block = block * _off_the_cut(plain_array(x))
    return MATRIX_FUNCTIONS[name](block)[..., :n, n:]


def _off_the_cut(x: Any) -> Any:
    """A factor that rotates the eigenvalues of a matrix away from the negative axis, where logarithms jump.

    The block matrix has each eigenvalue twice, and rounding would put the two on opposite sides. The factor adds a
    multiple of the identity to the logarithm, which does not affect the corner.
    """
    angles = np.angle(np.linalg.eigvals(x))
    middle = (np.max(angles, axis=-1) + np.min(angles, axis=-1)) / 2.0
    return np.exp(-1j * middle)[..., None, None]


def _products(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The vector-Jacobian and Jacobian-vector products. The derivative at the transpose is the transpose."""
    if name == "sqrtm":  # dv v + v dv = dx: Higham, Functions of Matrices, SIAM 2008, 6.1
        return (
            lambda ct, v, x: nan_beyond_floats(lambda ct: SYLVESTER(transposed(v), transposed(v), ct), ct),
            lambda tangents, v, x: nan_beyond_floats(lambda moved: SYLVESTER(v, v, moved), tangents[0]),
        )
    return (
        lambda ct, v, x: nan_beyond_floats(lambda ct: _derivative(name, transposed(x), ct, v), ct),
        lambda tangents, v, x: nan_beyond_floats(lambda moved: _derivative(name, x, moved, v), tangents[0]),
    )


NAMES = ("expm", "logm", "sqrtm", "sinm", "cosm", "tanm", "sinhm", "coshm", "tanhm")
MATRIX_FUNCTIONS: dict[str, ArrayRule] = {
    name: matrix_rule(name, f"x: scipy.linalg.{name}(x)", vjp, jvp=jvp, batched=())
    for name in NAMES
    for vjp, jvp in (_products(name),)
}
