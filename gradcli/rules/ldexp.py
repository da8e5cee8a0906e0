"""The array rule for multiplication by a power of two, without intermediate rounding."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.array_rule import ArrayRule, array_rule


def _ldexp(x: Any, *, exponent: Any) -> Any:
    """The product. Numbers of many digits and symbols are multiplied by integers, which floats would limit."""
    if isinstance(x, float) or (hasattr(x, "dtype") and x.dtype.kind != "O"):
        return np.ldexp(x, exponent)
    whole = np.asarray(exponent, dtype=object)
    return x * 2 ** np.maximum(whole, 0) / 2 ** np.maximum(-whole, 0)


LDEXP: ArrayRule = array_rule(
    "ldexp",
    "x, *, exponent: np.ldexp(x, exponent)",
    lambda ct, v, x, *, exponent: LDEXP(ct, exponent=exponent),
    compute=_ldexp,
    linear=True,
    diagonal=True,
)
