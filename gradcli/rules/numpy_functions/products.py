"""NumPy's functions that multiply arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.rules.numpy_functions.serving import numeric, refuse, serves
from gradcli.rules.products import MATMUL
from gradcli.rules.table import RULES


@serves("dot")
def dot(a: Any, b: Any, out: Any = None) -> Any:
    """`numpy.dot`."""
    refuse("dot", out=out)
    a, b = numeric(a), numeric(b)
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        return RULES["mul"](a, b)
    if np.ndim(b) <= 2:
        return MATMUL(a, b)
    columns = np.moveaxis(b, -2, 0)
    rest = np.shape(columns)[1:]
    flat = np.reshape(columns, (np.shape(columns)[0], int(np.prod(rest))))
    return np.reshape(MATMUL(a, flat), (*np.shape(a)[:-1], *rest))


@serves("inner")
def inner(a: Any, b: Any, /) -> Any:
    """`numpy.inner`."""
    return dot(a, b) if np.ndim(b) < 2 else dot(a, np.swapaxes(b, -1, -2))


@serves("outer")
def outer(a: Any, b: Any, out: Any = None) -> Any:
    """`numpy.outer`."""
    refuse("outer", out=out)
    return RULES["mul"](np.ravel(a)[:, None], np.ravel(b)[None, :])


@serves("vdot")
def vdot(a: Any, b: Any, /) -> Any:
    """`numpy.vdot`."""
    return MATMUL(np.ravel(a), np.ravel(b))


@serves("sinc")
def sinc(x: Any) -> Any:
    """`numpy.sinc`."""
    return RULES["sinc"](numeric(x))
