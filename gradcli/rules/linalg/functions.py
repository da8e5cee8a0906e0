"""The array rule for the exponential of a matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.language.special import missing
from gradcli.rules.linalg.matrices import transposed, whole_matrices
from gradcli.rules.table import ArrayRule, array_rule


def _expm(x: Any) -> Any:
    try:
        from scipy.linalg import expm
    except ImportError:
        raise missing("scipy.linalg.expm") from None
    return expm(x)


def _expm_vjp(ct: Any, v: Any, x: Any) -> Any:
    """The corner of the exponential of a block matrix: Najfeld & Havel, Adv. Appl. Math. 16, 1995, theorem 4.2."""
    n = np.shape(x)[-1]
    turned = transposed(x)
    below = np.concatenate([np.zeros_like(turned), turned], axis=-1)
    block = np.concatenate([np.concatenate([turned, ct], axis=-1), below], axis=-2)
    return EXPM(block)[..., :n, n:]


EXPM: ArrayRule = array_rule("expm", _expm, _expm_vjp, reach=whole_matrices, complex=True)
