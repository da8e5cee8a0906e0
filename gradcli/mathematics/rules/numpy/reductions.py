"""NumPy's reductions along axes, and cumulative sums and products."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.mathematics.rules.cumulative import CUMPROD, CUMSUM
from gradcli.mathematics.rules.function_registry import axes_of, is_given, numeric, plain_value, serves
from gradcli.mathematics.rules.library_values import with_value_of
from gradcli.mathematics.rules.reduction import MAX, MEAN, MIN, PROD, SUM, Axis
from gradcli.mathematics.rules.rule_table import RULES


def _axis(axis: Any) -> Axis:
    if axis is None:
        return None
    return tuple(map(operator.index, axis)) if isinstance(axis, (tuple, list)) else operator.index(axis)


def _reduce(rule: Any, a: Any, axis: Any, keepdims: Any, dtype: Any = None) -> Any:
    a = numeric(a, dtype)
    along = axis if axis is None or type(axis) is int else _axis(axis)
    options = {"axis": along, "keepdims": keepdims is not False and is_given(keepdims) and bool(keepdims)}
    return a.apply_rule(rule, (a,), options) if hasattr(type(a), "apply_rule") else rule(a, **options)


def lanes(a: Any, where: Any, neutral: float) -> Any:
    """`a` with a neutral number for the elements excluded by `where`."""
    return a if where is True else RULES["where"](np.broadcast_to(where, np.shape(a)), numeric(a), neutral)


def squared_size(x: Any) -> Any:
    """The squared absolute values."""
    return np.square(np.real(x)) + np.square(np.imag(x)) if np.iscomplexobj(x) else np.square(x)


def element_count(a: Any, where: Any, axis: Any, keepdims: Any) -> Any:
    """The number of elements combined into each result: a single number if it is the same for all."""
    if where is True:
        return math.prod(np.shape(a)[n] for n in axes_of(a, axis))
    mask = np.broadcast_to(where, np.shape(a))
    return np.sum(mask, axis=_axis(axis), keepdims=is_given(keepdims) and bool(keepdims))


def divided_by_count(total: Any, count: Any) -> Any:
    """A total divided by a count, in the dtype of the total."""
    if np.ndim(count) == 0:
        return total / float(count)
    quotient = total / count
    return quotient if quotient.dtype == total.dtype else quotient.astype(total.dtype)


def _serve_total(name: str, rule: Any, neutral: float, combine: Callable[[Any, Any], Any]) -> Any:
    """Register a sum or product; `combine` combines two numbers."""

    def over_some(  # noqa: PLR0913, PLR0917 - as below
        a: Any, axis: Any, dtype: Any, out: Any, keepdims: Any, initial: Any, where: Any
    ) -> Any:
        reduced = _reduce(rule, lanes(a, where, neutral), axis, keepdims, dtype)
        return combine(reduced, initial) if is_given(initial) else reduced

    restricted = with_value_of(name, over_some)

    @serves(name)
    def total(  # noqa: PLR0913, PLR0917 - NumPy's signature
        a: Any,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = False,
        initial: Any = None,
        where: Any = True,
    ) -> Any:
        if where is True and initial is None:
            return _reduce(rule, a, axis, keepdims, dtype)
        if where is np._NoValue or initial is np._NoValue:
            initial, where = None if initial is np._NoValue else initial, where is np._NoValue or where
            return total(a, axis, dtype, None, keepdims, initial, where)
        return restricted(a, axis, dtype, None, keepdims, np._NoValue if initial is None else initial, where)

    return total


sum = _serve_total("sum", SUM, 0.0, operator.add)
_serve_total("prod", PROD, 1.0, operator.mul)


@serves("mean")
def mean(
    a: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> Any:
    """`numpy.mean`."""
    if where is True or where is np._NoValue:
        return _reduce(MEAN, a, axis, keepdims, dtype)
    return divided_by_count(sum(a, axis, dtype, None, keepdims, None, where), element_count(a, where, axis, keepdims))


def _serve_extreme(names: tuple[str, ...], rule: Any, between: Any, function: Any, neutral: float) -> Any:
    """Register an extreme `function`; `between` is the extreme of two numbers."""

    @serves(*names)
    def extreme(
        a: Any, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = None, where: Any = True
    ) -> Any:
        """The extreme; ties share equally."""
        if initial is None or initial is np._NoValue:
            if where is not True:
                function(plain_value(a), axis=_axis(axis), where=where)  # raises NumPy's error that asks for `initial=`
            return _reduce(rule, a, axis, keepdims)
        a = lanes(numeric(a), where, neutral)
        options = {"axis": _axis(axis), "keepdims": is_given(keepdims) and bool(keepdims)}
        if np.size(a) == 0:
            return between(function(plain_value(a), initial=neutral, **options), initial)
        return between(rule(a, **options), initial)

    return extreme


_max = _serve_extreme(("max", "amax"), MAX, RULES["maximum"], np.max, -np.inf)
_min = _serve_extreme(("min", "amin"), MIN, RULES["minimum"], np.min, np.inf)


def _cumulated(rule: Any, a: Any, axis: Any, dtype: Any) -> Any:
    a = np.ravel(numeric(a, dtype)) if axis is None or np.ndim(a) == 0 else numeric(a, dtype)
    return rule(a, axis=0 if axis is None else operator.index(axis))


@serves("cumsum")
def cumsum(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.cumsum`."""
    return _cumulated(CUMSUM, a, axis, dtype)


@serves("cumprod")
def cumprod(a: Any, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
    """`numpy.cumprod`."""
    return _cumulated(CUMPROD, a, axis, dtype)
