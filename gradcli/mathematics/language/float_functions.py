"""The functions of the formula language for Python floats, with Python's exceptions or by IEEE 754.

`PLAIN` raises where Python raises. `IEEE` never raises for floats: its infinities, nans and signed zeros are those of
NumPy's float64.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from math import copysign, inf, isnan, nan
from typing import Any

Function = Callable[..., Any]


def _guarded(function: Function, invalid: Function, overflow: Function | None = None) -> Function:
    """`function` of one float, with the IEEE 754 result where Python raises."""
    too_large = overflow or invalid

    def guarded(x: float) -> float:
        try:
            return function(x)  # type: ignore[no-any-return]
        except ValueError:
            return invalid(x)  # type: ignore[no-any-return]
        except OverflowError:
            return too_large(x)  # type: ignore[no-any-return]

    return guarded


def _nan(x: float, y: float = 0.0) -> float:
    return nan


def _inf(x: float) -> float:
    return inf


def _signed_inf(x: float) -> float:
    return copysign(inf, x)


def div(x: float, y: float) -> float:
    """The quotient x / y."""
    try:
        return x / y
    except ZeroDivisionError:
        return x * copysign(inf, y)


def floordiv(x: float, y: float) -> float:
    """The floor of x / y."""
    try:
        return x // y
    except ZeroDivisionError:
        return div(x, y)


def mod(x: float, y: float) -> float:
    """The remainder with the sign of y."""
    try:
        return x % y
    except ZeroDivisionError:
        return nan


def fmod(x: float, y: float) -> float:
    """The remainder with the sign of x."""
    try:
        return math.fmod(x, y)
    except ValueError:
        return nan


def remainder(x: float, y: float) -> float:
    """The difference between x and the nearest multiple of y."""
    try:
        return math.remainder(x, y)
    except ValueError:
        return nan


def power(x: float, y: float) -> float:
    """The power x**y; nan if the result would be complex."""
    try:
        return math.pow(x, y)
    except OverflowError:
        return -inf if x < 0 and y % 2 == 1 else inf
    except ValueError:
        if x:
            return nan
        return copysign(inf, x) if y % 2 == 1 else inf


def _atanh_pole(x: float) -> float:
    return copysign(inf, x) if abs(x) == 1 else nan


def _gamma_pole(x: float) -> float:
    return nan if x else copysign(inf, x)


def _logarithm(function: Function, pole: float = 0.0) -> Function:
    return _guarded(function, lambda x: -inf if x == pole else nan)


_ln: Callable[[float], float] = _logarithm(math.log)


def log(x: float, base: float | None = None) -> float:
    """The logarithm, natural or to the given base."""
    return _ln(x) if base is None else div(_ln(x), _ln(base))


def sign(x: float) -> float:
    """-1, 0 or 1; nan of nan."""
    return 1.0 if x > 0 else -1.0 if x < 0 else x + 0.0


def maximum(x: float, y: float) -> float:
    """The larger argument; nan if either is nan."""
    return x if x > y else y if y >= x else x + y


def minimum(x: float, y: float) -> float:
    """The smaller argument; nan if either is nan."""
    return x if x < y else y if y <= x else x + y


def fmax(x: float, y: float) -> float:
    """The larger argument; if one is nan, the other."""
    return x if x >= y else y if y > x or isnan(x) else x


def fmin(x: float, y: float) -> float:
    """The smaller argument; if one is nan, the other."""
    return x if x <= y else y if y < x or isnan(x) else x


def clip(x: float, low: float, high: float) -> float:
    """The value of x, limited to the bounds."""
    return minimum(maximum(x, low), high)


def where(condition: object, x: Any, y: Any) -> Any:
    """The second argument if the condition holds, else the third."""
    return x if condition else y


def square(x: float) -> float:
    """The square of x."""
    return x * x


def reciprocal(x: float) -> float:
    """1 / x."""
    return 1 / x if x else copysign(inf, x)


def sinc(x: float) -> float:
    """sin(pi x) / (pi x), and 1 at 0."""
    y = math.pi * x
    if y == 0:
        return 1.0
    return math.sin(y) / y if math.isfinite(y) else nan


def heaviside(x: float, middle: float) -> float:
    """0 for negative x, 1 for positive x, `middle` at 0."""
    return 0.0 if x < 0 else 1.0 if x > 0 else middle if x == 0 else x


def logaddexp(x: float, y: float) -> float:
    """log(exp(x) + exp(y)) without overflow."""
    if x == y:
        return x + math.log(2)
    return maximum(x, y) + math.log1p(math.exp(-abs(x - y)))


def logaddexp2(x: float, y: float) -> float:
    """log2(2**x + 2**y) without overflow."""
    if x == y:
        return x + 1
    return maximum(x, y) + math.log1p(math.exp2(-abs(x - y))) / math.log(2)


def _whole(function: Function) -> Function:
    """A rounding function that returns floats: it keeps infinities, nan, and the sign of a zero."""

    def whole(x: float) -> float:
        try:
            return copysign(function(x), x)
        except (ValueError, OverflowError):
            return x

    return whole


def _itself(x: Any) -> Any:
    return x


def _digamma(x: float) -> float:
    from gradcli.mathematics.language.polygamma import digamma  # rare, and long to import

    return digamma(x)


def _polygamma(order: float, x: float) -> float:
    from gradcli.mathematics.language.polygamma import polygamma

    return polygamma(order, x)


def _both(x: object, y: object) -> bool:
    return bool(x) and bool(y)


def _either(x: object, y: object) -> bool:
    return bool(x) or bool(y)


_OPERATORS = "add sub mul neg pos lt le gt ge eq ne"
_SAME_IN_MATH = "cbrt atan atan2 tanh asinh hypot erf erfc copysign degrees radians"

_SHARED: dict[str, Function] = {
    **{name: getattr(operator, name) for name in _OPERATORS.split()},
    **{name: getattr(math, name) for name in _SAME_IN_MATH.split()},
    "logical_not": operator.not_,
    "where": where,
    "clip": clip,
    "abs": abs,
    "sign": sign,
    "maximum": maximum,
    "minimum": minimum,
    "fmax": fmax,
    "fmin": fmin,
    "square": square,
    "digamma": _digamma,
    "polygamma": _polygamma,
    "sinc": sinc,
    "logaddexp": logaddexp,
    "logaddexp2": logaddexp2,
    "heaviside": heaviside,
    # A single number is a vector with one element.
    **dict.fromkeys(("sum", "mean", "prod"), _itself),
    "dot": operator.mul,
}

_FROM_MATH = (
    "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan asin acos sinh cosh acosh atanh gamma lgamma"
    " fmod remainder floor ceil trunc"
)

PLAIN: dict[str, Function] = {
    **_SHARED,
    **{name: getattr(math, name) for name in _FROM_MATH.split()},
    "div": operator.truediv,
    "floordiv": operator.floordiv,
    "mod": operator.mod,
    "pow": operator.pow,
    "logical_and": lambda x, y: x and y,
    "logical_or": lambda x, y: x or y,
    "reciprocal": lambda x: 1 / x,
    "round": round,
}
"""Python's own functions, by canonical name."""

IEEE: dict[str, Function] = {
    **_SHARED,
    **{name: _guarded(getattr(math, name), _nan) for name in ("sin", "cos", "tan", "asin", "acos", "acosh", "sqrt")},
    **{name: _guarded(getattr(math, name), _nan, _inf) for name in ("exp", "exp2", "expm1", "cosh")},
    **{name: _whole(getattr(math, name)) for name in ("floor", "ceil", "trunc")},
    "log": log,
    "log2": _logarithm(math.log2),
    "log10": _logarithm(math.log10),
    "log1p": _logarithm(math.log1p, -1.0),
    "sinh": _guarded(math.sinh, _nan, _signed_inf),
    "atanh": _guarded(math.atanh, _atanh_pole),
    "gamma": _guarded(math.gamma, _gamma_pole, _signed_inf),
    "lgamma": _guarded(math.lgamma, _inf),
    "div": div,
    "floordiv": floordiv,
    "mod": mod,
    "pow": power,
    "logical_and": _both,
    "logical_or": _either,
    "fmod": fmod,
    "remainder": remainder,
    "reciprocal": reciprocal,
    "round": _whole(round),
}
"""Functions of Python floats that never raise, by canonical name."""
