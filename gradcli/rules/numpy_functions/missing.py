"""NumPy's functions that leave nan out; which numbers are nan is an outcome."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.arrays import on_device
from gradcli.rules.elementwise import ROOT
from gradcli.rules.numpy_functions import reductions, statistics
from gradcli.rules.numpy_functions.serving import bare, given, numeric, serves


def _present(a: Any, where: Any = True) -> Any:
    """Where the numbers are that take part."""
    present = ~np.isnan(a)
    return present if where is True or where is np._NoValue else present & where


@serves("nansum")
def nansum(  # noqa: PLR0913, PLR0917 - NumPy's signature
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """`numpy.nansum`."""
    a = numeric(a)
    return reductions.sum(a, axis, dtype, None, keepdims, initial, _present(a, where))


@serves("nanprod")
def nanprod(  # noqa: PLR0913, PLR0917 - NumPy's signature
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = None,
    where: Any = True,
) -> Any:
    """`numpy.nanprod`."""
    a = numeric(a)
    return reductions.prod(a, axis, dtype, None, keepdims, initial, _present(a, where))


@serves("nanmean")
def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """`numpy.nanmean`."""
    a = numeric(a)
    return reductions.mean(a, axis, dtype, None, keepdims, where=_present(a, where))


@serves("nanvar")
def nanvar(  # noqa: PLR0913 - NumPy's signature
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """`numpy.nanvar`; nan where too few numbers are left."""
    a = numeric(a)
    present = _present(a, where)
    options = {"where": present, "mean": mean, "correction": correction}
    found = statistics.var(a, axis, dtype, None, ddof, keepdims, **options)
    freedom = reductions.counted(a, present, axis, keepdims) - (correction if given(correction) else ddof)
    return np.where(freedom > 0, found, np.nan) if np.any(freedom <= 0) else found


@serves("nanstd")
def nanstd(  # noqa: PLR0913 - NumPy's signature
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """`numpy.nanstd`."""
    return ROOT(nanvar(a, axis, dtype, None, ddof, keepdims, where=where, mean=mean, correction=correction))


@serves("nanmax")
def nanmax(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    """`numpy.nanmax`; ties share equally."""
    return _extreme("max", -np.inf, a, axis, keepdims, initial, where)


@serves("nanmin")
def nanmin(
    a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
) -> Any:
    """`numpy.nanmin`; ties share equally."""
    return _extreme("min", np.inf, a, axis, keepdims, initial, where)


def _extreme(  # noqa: PLR0913, PLR0917 - the options of two functions
    name: str, neutral: float, a: Any, axis: Any, keepdims: Any, initial: Any, where: Any
) -> Any:
    """Where no number is left, NumPy's own nan, with its warning."""
    a = numeric(a)
    options = {"axis": axis, "keepdims": given(keepdims) and bool(keepdims)}
    if given(initial):
        options["initial"] = initial
    present = _present(a, where)
    found = getattr(np, name)(np.where(present, a, neutral), **options)
    if on_device(bare(a)):
        lost = ~np.any(present, axis=axis, keepdims=options["keepdims"]) & (not given(initial))
    else:
        lost = np.isnan(getattr(np, f"nan{name}")(bare(a), **options, **({} if where is True else {"where": where})))
    return np.where(lost, np.nan, found) if np.any(lost) else found


@serves("nancumsum")
def nancumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.nancumsum`."""
    a = numeric(a)
    return np.cumsum(np.where(_present(a), a, 0.0), axis, dtype)


@serves("nancumprod")
def nancumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.nancumprod`."""
    a = numeric(a)
    return np.cumprod(np.where(_present(a), a, 1.0), axis, dtype)


@serves("nan_to_num")
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """`numpy.nan_to_num`: what is put in the place of a number carries the derivative, if it has one."""
    x = numeric(x)
    if np.iscomplexobj(x):
        result = _finite(np.real(x), nan, posinf, neginf) + 1j * _finite(np.imag(x), nan, posinf, neginf)
    else:
        result = _finite(x, nan, posinf, neginf)
    if copy or np.ndim(x) == 0:
        return result
    x[...] = result
    return x


def _finite(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    """Real numbers, with others in the place of those that are not finite."""
    largest = np.finfo(x.dtype)
    result = np.where(np.isnan(x), nan, x)
    result = np.where(np.isposinf(x), largest.max if posinf is None else posinf, result)
    return np.where(np.isneginf(x), largest.min if neginf is None else neginf, result)
