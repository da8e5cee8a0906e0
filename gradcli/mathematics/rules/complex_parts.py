"""Array rules between complex and real numbers, such as real, imag and conj, which are linear over the reals only.

A cotangent `ct` pairs with a tangent `t` as Re(ct * t). The vector-Jacobian products are transposes in this pairing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.mathematics.rules.array_rule import array_rule


def _direction_vjp(ct: Any, v: Any, x: Any) -> Any:
    """Only the component of a change perpendicular to the direction rotates it."""
    return np.where(x == 0, 0, (ct - np.real(ct * v) * np.conj(v)) / np.abs(x))


def _direction_jvp(tangents: dict[int, Any], v: Any, x: Any) -> Any:
    tangent = tangents[0]
    return np.where(x == 0, 0, (tangent - np.real(tangent * np.conj(v)) * v) / np.abs(x))


def _scalar(x: Any) -> Any:
    """The element of a 0-d array; other arrays and plain numbers unchanged."""
    return x[()] if hasattr(x, "dtype") else x


REAL = array_rule(
    "real", "x: np.real(x)", lambda ct, v, x: ct, compute=lambda x: _scalar(np.real(x)), linear=True, part=True
)
IMAG = array_rule(
    "imag", "x: np.imag(x)", lambda ct, v, x: ct * -1j, compute=lambda x: _scalar(np.imag(x)), linear=True, part=True
)
CONJ = array_rule("conj", "x: np.conj(x)", lambda ct, v, x: np.conj(ct), compute=np.conj, linear=True, part=True)
# `x / abs(x)`, and 0 at 0
DIRECTION = array_rule("direction", "x: np.sign(x)", _direction_vjp, jvp=_direction_jvp, complex=True)


def conjugated(x: Any) -> Any:
    """Convert between a cotangent and the sensitivity: the conjugate of a complex one."""
    if (dtype := getattr(x, "dtype", None)) is not None:
        return np.conj(x) if dtype.kind == "c" else x
    return x.conjugate() if isinstance(x, complex) else x
