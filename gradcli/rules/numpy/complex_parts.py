"""NumPy's functions of complex numbers and their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.function_registry import numeric, serves
from gradcli.rules.rule_table import RULES


@serves("angle")
def angle(z: Any, deg: bool = False) -> Any:
    """`numpy.angle`."""
    z = numeric(z)
    turned = RULES["atan2"](np.imag(z), np.real(z))
    return turned * (180 / np.pi) if deg else turned


@serves("real_if_close")
def real_if_close(a: Any, tol: float = 100) -> Any:
    """`numpy.real_if_close`. Whether the imaginary parts are small enough is an outcome."""
    if not np.iscomplexobj(a):
        return a
    a = numeric(a)
    limit = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return np.real(a) if np.all(np.abs(np.imag(a)) < limit) else a
