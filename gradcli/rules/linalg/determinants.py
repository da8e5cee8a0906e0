"""Array rules for determinants and the logarithms of their size."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.linalg.failures import attempted
from gradcli.rules.linalg.inverses import inverse
from gradcli.rules.linalg.matrices import places, plain, transposed
from gradcli.rules.table import array_rule


def _det_vjp(ct: Any, v: Any, x: Any) -> Any:
    """The cofactors: Giles 2008, 2.2.2, where there is an inverse; where there is none, determinants of the minors."""
    if np.all(plain(v) != 0):
        return (ct * v)[..., None, None] * transposed(inverse(x))
    return ct[..., None, None] * _cofactors(x)


def _cofactors(x: Any) -> Any:
    """The cofactor of every number, row by row; it costs n times as much as all the inverses would."""
    n = np.shape(x)[-1]
    each = places(x, n)
    others = np.stack([each[each != i] for i in range(n)]) if n else each
    signs = (-1.0) ** each
    rows = [
        np.linalg.det(x[..., others[i][None, :, None], others[:, None, :]]) * (signs * (-1.0) ** i) for i in range(n)
    ]
    return np.stack(rows, axis=-2) if rows else x


def _logdet_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Giles 2008, 2.2.2; the logarithm of the absolute value is real, whatever `x` is."""
    return ct[..., None, None] * transposed(inverse(x))


def _all_of_each(marks: Any, v: Any, x: Any) -> Any:
    """The marks of matrices: all numbers of those whose result is marked."""
    return np.broadcast_to(marks[..., None, None], np.shape(x))


DET = array_rule("det", lambda x: attempted("det", np.linalg.det, x), _det_vjp, reach=_all_of_each, complex=True)
LOGDET = array_rule(
    "logdet", lambda x: attempted("slogdet", np.linalg.slogdet, x)[1], _logdet_vjp, reach=_all_of_each, complex=True
)
