"""Array rules for determinants and the logarithms of their absolute values."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.linalg.inverses_and_systems import inverse
from gradcli.rules.linalg.matrix_helpers import integers_below, matrix_rule, plain_array, real, transposed


def _gradient(v: Any, x: Any) -> Any:
    """The cofactors: from the inverse if there is one (Giles 2008, 2.2.2), else from the determinants of the minors."""
    return v[..., None, None] * transposed(inverse(x)) if np.all(plain_array(v) != 0) else _cofactors(x)


def _cofactors(x: Any) -> Any:
    """The cofactor of every element, row by row. The cost is n times that of all inverses."""
    n = np.shape(x)[-1]
    each = integers_below(x, n)
    others = np.stack([each[each != i] for i in range(n)]) if n else each
    signs = (-1.0) ** each
    rows = [
        np.linalg.det(x[..., others[i][None, :, None], others[:, None, :]]) * (signs * (-1.0) ** i) for i in range(n)
    ]
    return np.stack(rows, axis=-2) if rows else x


def _det_vjp(ct: Any, v: Any, x: Any) -> Any:
    return ct[..., None, None] * _gradient(v, x)


def _det_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    return np.sum(_gradient(v, x) * tangents[0], axis=(-2, -1))


def _logdet_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Giles 2008, 2.2.2. The logarithm of the absolute value is real even if `x` is complex."""
    return ct[..., None, None] * transposed(inverse(x))


def _logdet_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    return np.sum(real(transposed(inverse(x)) * tangents[0]), axis=(-2, -1))


def _all_of_each(marks: Any, v: Any, x: Any) -> Any:
    """The mask of matrices: all elements of those whose result is marked."""
    return np.broadcast_to(marks[..., None, None], np.shape(x))


DET = matrix_rule("det", "x: np.linalg.det(x)", _det_vjp, jvp=_det_jvp, reach=_all_of_each, function="det")
LOGDET = matrix_rule(
    "logdet",
    "x: np.linalg.slogdet(x)[1]",
    _logdet_vjp,
    jvp=_logdet_jvp,
    reach=_all_of_each,
    function="slogdet",
    is_logarithm=True,
)
