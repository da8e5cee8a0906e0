"""NumPy's functions that multiply arrays, and those that choose numbers."""

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


@serves("where")
def where(condition: Any, *branches: Any) -> Any:
    """`numpy.where`."""
    if not branches:
        return np.nonzero(condition)
    return RULES["where"](*map(numeric, (condition, *branches)))


@serves("clip")
def clip(  # noqa: PLR0913 - NumPy's signature
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = None,
    max: Any = None,
    where: Any = True,
    dtype: Any = None,
) -> Any:
    """`numpy.clip`."""
    refuse("clip", out=out, where=where, dtype=dtype)
    low = next((bound for bound in (a_min, min) if bound is not None and bound is not np._NoValue), None)
    high = next((bound for bound in (a_max, max) if bound is not None and bound is not np._NoValue), None)
    if low is None or high is None:
        a = a if low is None else np.maximum(a, low)
        return a if high is None else np.minimum(a, high)
    return RULES["clip"](*map(numeric, (a, low, high)))


@serves("sinc")
def sinc(x: Any) -> Any:
    """`numpy.sinc`."""
    return RULES["sinc"](numeric(x))
