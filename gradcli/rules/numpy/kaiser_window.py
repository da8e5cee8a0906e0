"""NumPy's Kaiser window, which has a parameter, and the Bessel function it is made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import numeric, plain_value, serves
from gradcli.rules.numpy.rearranging_helpers import integers_like
from gradcli.rules.rule_table import RULES


@serves("i0", other_steps=True)
def i0(x: Any) -> Any:
    """`numpy.i0`, the modified Bessel function of order 0."""
    x = numeric(x)
    return numeric(RULES["i0"](x), x.dtype)


@serves("kaiser", other_steps=True)
def kaiser(M: Any, beta: Any) -> Any:
    """`numpy.kaiser`, differentiable by `beta`."""
    beta = numeric(beta)
    if M == 1:
        return np.ones_like(beta, shape=1)
    middle = (M - 1) / 2
    places = (integers_like(plain_value(beta), M) - middle) / middle
    return i0(beta * np.sqrt(1 - places * places)) / i0(beta)
