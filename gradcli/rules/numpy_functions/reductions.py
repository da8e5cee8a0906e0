"""NumPy's functions that combine the numbers along axes."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from gradcli.rules.elementwise import ROOT
from gradcli.rules.numpy_functions.serving import numeric, refuse, serves
from gradcli.rules.reduction import MAX, MEAN, MIN, PROD, SUM, Axis


def _axis(axis: Any) -> Axis:
    if axis is None:
        return None
    return tuple(map(operator.index, axis)) if isinstance(axis, tuple) else operator.index(axis)


def _reduce(rule: Any, a: Any, axis: Any, keepdims: Any, dtype: Any = None) -> Any:
    return rule(numeric(a, dtype), axis=_axis(axis), keepdims=keepdims is not np._NoValue and bool(keepdims))


@serves("sum")
def sum(  # noqa: PLR0913, PLR0917 - NumPy's signature
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """`numpy.sum`."""
    refuse("sum", out=out, initial=initial, where=where)
    return _reduce(SUM, a, axis, keepdims, dtype)


@serves("mean")
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """`numpy.mean`."""
    refuse("mean", out=out, where=where)
    return _reduce(MEAN, a, axis, keepdims, dtype)


@serves("prod")
def prod(  # noqa: PLR0913, PLR0917 - NumPy's signature
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """`numpy.prod`."""
    refuse("prod", out=out, initial=initial, where=where)
    return _reduce(PROD, a, axis, keepdims, dtype)


@serves("max", "amax")
def max(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    """`numpy.max`; ties share equally."""
    refuse("max", out=out, initial=initial, where=where)
    return _reduce(MAX, a, axis, keepdims)


@serves("min", "amin")
def min(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    """`numpy.min`; ties share equally."""
    refuse("min", out=out, initial=initial, where=where)
    return _reduce(MIN, a, axis, keepdims)


@serves("linalg.norm")
def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """`numpy.linalg.norm` in its plain form, the Euclidean length; its derivative at 0 is 0."""
    axes = np.ndim(x) if axis is None else np.size(axis)
    euclidean = ord is None or (ord == 2 and axes == 1) or (ord == "fro" and axes == 2)
    refuse("linalg.norm", ord=None if euclidean else ord)
    squares = np.square(x) if not np.iscomplexobj(x) else np.square(np.real(x)) + np.square(np.imag(x))
    return ROOT(_reduce(SUM, squares, axis, keepdims))
