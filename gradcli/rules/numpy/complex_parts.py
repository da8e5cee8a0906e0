"""NumPy's functions of complex numbers and their parts."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.complex_parts import IMAG, REAL
from gradcli.rules.function_registry import numeric, serves
from gradcli.rules.rule_table import RULES


@serves("real")
def real(val: Any) -> Any:
    """`numpy.real`."""
    return REAL(val) if np.iscomplexobj(val) else val


@serves("imag")
def imag(val: Any) -> Any:
    """`numpy.imag`; plain zeros for real numbers."""
    return IMAG(val) if np.iscomplexobj(val) else np.zeros_like(val)[()]


@serves("angle")
def angle(z: Any, deg: bool = False) -> Any:
    """`numpy.angle`."""
    z = numeric(z)
    turned = RULES["atan2"](imag(z), real(z))
    return turned * (180 / np.pi) if deg else turned


@serves("real_if_close")
def real_if_close(a: Any, tol: float = 100) -> Any:
    """`numpy.real_if_close`. Whether the imaginary parts are small enough is an outcome."""
    if not np.iscomplexobj(a):
        return a
    a = numeric(a)
    limit = tol * np.finfo(a.dtype).eps if tol > 1 else tol
    return real(a) if np.all(np.abs(np.imag(a)) < limit) else a
