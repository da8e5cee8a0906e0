"""The functions of `numpy.emath` with branch cuts: complex results where real ones do not exist, by an outcome."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.function_registry import numeric, serves


@serves("emath.arcsin", other_steps=True)
def arcsin(x: Any) -> Any:
    """`numpy.emath.arcsin`; beyond 1 on the upper side of the branch cut, by real functions, which have no sides."""
    x = numeric(x)
    beyond = np.abs(x) > 1
    if np.iscomplexobj(x) or not np.any(beyond):
        return np.arcsin(x)
    upwards = np.arccosh(np.where(beyond, np.abs(x), 2.0))
    return np.where(beyond, np.sign(x) * (np.pi / 2) + 1j * upwards, np.arcsin(np.where(beyond, 0.0, x)))


@serves("emath.arccos", other_steps=True)
def arccos(x: Any) -> Any:
    """`numpy.emath.arccos`."""
    x = numeric(x)
    return np.arccos(x) if np.iscomplexobj(x) or not np.any(np.abs(x) > 1) else np.pi / 2 - arcsin(x)
