"""NumPy's functions that ignore nan. Which elements are nan is an outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.function_registry import apply_plainly, is_given, numeric, plain_value, serves
from gradcli.mathematics.rules.numpy import reductions, statistics
from gradcli.shared.devices import on_device


def _present(a: Any, where: Any = True) -> Any:
    """The mask of the elements that take part."""
    present = ~np.isnan(numeric(a))
    return present if where is True or where is np._NoValue else present & where


@serves("nanmean", other_steps=True)
def nanmean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """`numpy.nanmean`."""
    a = numeric(a)
    return reductions.mean(a, axis, dtype, None, keepdims, where=_present(a, where))


def _serve_spread(name: str, spread: Callable[..., Any]) -> None:
    """Register a variance or standard deviation that ignores nan; it is nan where too few elements remain."""

    @serves(name, other_steps=True)
    def of_present(  # noqa: PLR0913 - NumPy's signature
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
        a = numeric(a)
        present = _present(a, where)
        result = spread(a, axis, dtype, None, ddof, keepdims, where=present, mean=mean, correction=correction)
        used = correction if is_given(correction) else ddof
        freedom = reductions.element_count(a, present, axis, keepdims) - used
        return np.where(freedom > 0, result, np.nan) if np.any(freedom <= 0) else result


_serve_spread("nanvar", statistics.var)
_serve_spread("nanstd", statistics.std)


def _serve_extreme(name: str, extreme: Callable[..., Any], of_nan: Callable[..., Any], neutral: float) -> None:
    """Register an extreme that ignores nan. Where no element remains, the result is NumPy's nan, with its warning."""

    @serves(name)
    def of_present(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
    ) -> Any:
        a = numeric(a)
        options = {"axis": axis, "keepdims": is_given(keepdims) and bool(keepdims)}
        if is_given(initial):
            options["initial"] = initial
        present = _present(a, where)
        result = extreme(np.where(present, a, neutral), **options)
        if on_device(plain_value(a)):
            lost = ~np.any(present, axis=axis, keepdims=options["keepdims"]) & (not is_given(initial))
        else:
            lost = apply_plainly(call_of(_is_lost, of_nan, **options), a, where)
        return np.where(lost, np.nan, result) if np.any(lost) else result


def _is_lost(a: Any, where: Any, of_nan: Callable[..., Any], **options: Any) -> Any:
    """Where no element remains."""
    return np.isnan(of_nan(a, **options) if where is True else of_nan(a, where=where, **options))


_serve_extreme("nanmax", np.max, np.nanmax, -np.inf)
_serve_extreme("nanmin", np.min, np.nanmin, np.inf)


@serves("nan_to_num")
def nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    """`numpy.nan_to_num`. A replacement value carries its derivative if it is recorded."""
    x = numeric(x)
    result = (
        _finite(np.real(x), nan, posinf, neginf) + 1j * _finite(np.imag(x), nan, posinf, neginf)
        if np.iscomplexobj(x)  # NumPy writes into the parts, which a recorded number has none of
        else _finite(x, nan, posinf, neginf)
    )
    if copy or np.ndim(x) == 0:
        return result
    x[...] = result
    return x


def _finite(x: Any, nan: Any, posinf: Any, neginf: Any) -> Any:
    """Real numbers with replacements for those that are not finite."""
    posinf = np.finfo(x.dtype).max if posinf is None else posinf
    neginf = np.finfo(x.dtype).min if neginf is None else neginf
    return np.where(np.isnan(x), nan, np.where(np.isposinf(x), posinf, np.where(np.isneginf(x), neginf, x)))
