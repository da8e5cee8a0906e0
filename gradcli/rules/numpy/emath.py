"""The functions of `numpy.emath`: complex results where real ones do not exist. The choice is an outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.rules.function_registry import numeric, serves


def _wide_enough(x: Any, lies_outside: Callable[[Any], Any]) -> Any:
    """`x`, as complex numbers if any real one is outside the domain."""
    x = numeric(x)
    if np.iscomplexobj(x) or not np.any(lies_outside(x)):
        return x
    return x.astype(np.result_type(x.dtype, np.complex64))


def _family(names: str, lies_outside: Callable[[Any], Any]) -> None:
    for name in names.split():
        original = getattr(np, name)

        @serves(f"emath.{name}", other_steps=True)
        def function(x: Any, original: Any = original) -> Any:
            return original(_wide_enough(x, lies_outside))


_family("sqrt log log2 log10", lambda x: x < 0)
_family("arctanh", lambda x: np.abs(x) > 1)


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


@serves("emath.logn", other_steps=True)
def logn(n: Any, x: Any) -> Any:
    """`numpy.emath.logn`."""
    return np.log(_wide_enough(x, lambda x: x < 0)) / np.log(_wide_enough(n, lambda n: n < 0))


@serves("emath.power", other_steps=True)
def power(x: Any, p: Any) -> Any:
    """`numpy.emath.power`."""
    p = numeric(p) if hasattr(p, "apply_rule") else np.asarray(p)[()]  # NumPy uses a plain number's own dtype
    return np.power(_wide_enough(x, lambda x: x < 0), p)
