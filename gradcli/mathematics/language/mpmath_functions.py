"""The functions of the formula language for mpmath's numbers, at mpmath's precision at the time of the call.

Real numbers only: a function is nan where it is not defined in the real numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from gradcli.mathematics.language import special_functions
from gradcli.mathematics.language.polygamma import HIGHEST_ORDER

Function = Callable[..., Any]


def number(value: int | float) -> Any:
    """The exact value as an mpmath number. It is rounded to the working precision when it is used."""
    import mpmath

    exact_value = mpmath.libmp.from_float(value) if isinstance(value, float) else mpmath.libmp.from_int(int(value))
    return mpmath.mp.make_mpf(exact_value)


@cache
def functions() -> dict[str, Function]:
    """The functions of mpmath's real numbers, by canonical name."""
    return {
        **_arithmetic(),
        **_comparisons(),
        **_choices(),
        **_roundings(),
        **_roots_and_logarithms(),
        **_circular(),
        **_special(),
        **{name: _real(function) for name, function in special_functions.of_mpmath().items()},
        "sum": _itself,
        "mean": _itself,
        "prod": _itself,
    }


def _mp() -> Any:
    import mpmath

    return mpmath.mp


def _itself(x: Any) -> Any:
    return x


LARGEST_MAGNITUDE = 10_000
"""Binary digits before the point. Larger numbers count as infinite, because mpmath would compute every digit."""


def _bounded(x: Any) -> Any:
    mp = _mp()
    return mp.inf * mp.sign(x) if mp.isfinite(x) and x and mp.mag(x) > LARGEST_MAGNITUDE else x


def _real(function: Function) -> Function:
    """`function` with nan where its result is complex or mpmath finds no value."""
    mp = _mp()

    def real(*arguments: Any) -> Any:
        try:
            result = function(*map(_bounded, arguments))
        except (ValueError, ArithmeticError, mp.NoConvergence):
            return mp.nan
        if isinstance(result, mp.mpc):
            return result.real if result.imag == 0 else mp.nan
        return result

    return real


def _arithmetic() -> dict[str, Function]:
    return {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "dot": lambda x, y: x * y,
        "div": _div,
        "floordiv": _real(lambda x, y: _round((x - x % y) / y) if y else _div(x, y)),
        "mod": _real(lambda x, y: x % y),
        "pow": _real(_power),
        "neg": lambda x: -x,
        "pos": lambda x: +x,
        "abs": abs,
        "square": lambda x: x * x,
        "reciprocal": lambda x: _div(_mp().one, x),
        "hypot": lambda x, y: _mp().hypot(x, y),
        "fmod": _real(lambda x, y: _mp().sign(x) * (abs(x) % abs(y))),
        "remainder": _real(_remainder),
        "degrees": lambda x: x * 180 / _mp().pi,
        "radians": lambda x: x * _mp().pi / 180,
    }


def _div(x: Any, y: Any) -> Any:
    mp = _mp()
    if y:
        return x / y
    return mp.nan if mp.isnan(x) or not x else mp.inf * mp.sign(x)


def _remainder(x: Any, y: Any) -> Any:
    """The difference between x and the nearest multiple of y, by the remainder of 2y, which tells odd from even."""
    size = abs(y)
    rest = abs(x) % (2 * size)
    if 2 * rest > size:
        rest -= size
        rest -= size if 2 * rest >= size else 0
    return _mp().sign(x) * rest


def _power(x: Any, y: Any) -> Any:
    mp = _mp()
    if x == 0 and y < 0:
        return mp.inf
    return x**y


def _comparisons() -> dict[str, Function]:
    import operator

    return {
        **{name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
        "logical_and": lambda x, y: bool(x) and bool(y),
        "logical_or": lambda x, y: bool(x) or bool(y),
        "logical_not": lambda x: not x,
        "where": lambda condition, x, y: x if condition else y,
    }


def _choices() -> dict[str, Function]:
    from gradcli.mathematics.language import float_functions

    mp = _mp()
    return {
        **{name: float_functions.IEEE[name] for name in ("maximum", "minimum", "fmax", "fmin", "clip")},
        "sign": mp.sign,
        "copysign": lambda x, y: abs(x) if y >= 0 else -abs(x),
        "heaviside": lambda x, middle: mp.zero if x < 0 else mp.one if x > 0 else middle if x == 0 else x,
    }


def _finite_only(function: Function) -> Function:
    """A rounding function that keeps infinities and nan."""
    return lambda x: function(x) if _mp().isfinite(x) else x


def _floor(x: Any) -> Any:
    return _finite_only(_mp().floor)(x)


def _round(x: Any) -> Any:
    """The nearest integer; halves go to the even one."""
    return _finite_only(_mp().nint)(x)


def _trunc(x: Any) -> Any:
    mp = _mp()
    return _finite_only(mp.floor if x >= 0 else mp.ceil)(x)


def _roundings() -> dict[str, Function]:
    return {"floor": _floor, "ceil": _finite_only(_mp().ceil), "round": _round, "trunc": _trunc}


def _log(x: Any, base: Any = None) -> Any:
    mp = _mp()
    logarithm = -mp.inf if x == 0 else mp.log(x)
    return logarithm if base is None else _div(logarithm, mp.log(base))


def _log1p(x: Any) -> Any:
    return -_mp().inf if x == -1 else _mp().log1p(x)


def _cbrt(x: Any) -> Any:
    return _mp().cbrt(x) if x >= 0 else -_mp().cbrt(-x)


def _log_of_sum(x: Any, y: Any, base: int | None) -> Any:
    """log(base**x + base**y), with the larger term factored out."""
    mp = _mp()
    scale = mp.one if base is None else mp.log(base)
    larger, distance = max(x, y), abs(x - y)
    return larger + mp.log1p(mp.exp(-distance * scale)) / scale if x != y else x + mp.log(2) / scale


def _roots_and_logarithms() -> dict[str, Function]:
    mp = _mp()
    return {
        "exp": _real(mp.exp),
        "exp2": _real(lambda x: mp.mpf(2) ** x),
        "expm1": _real(mp.expm1),
        "log": _real(_log),
        "log2": _real(lambda x: _log(x, mp.mpf(2))),
        "log10": _real(lambda x: _log(x, mp.mpf(10))),
        "log1p": _real(_log1p),
        "sqrt": _real(mp.sqrt),
        "cbrt": _cbrt,
        "logaddexp": lambda x, y: _log_of_sum(x, y, None),
        "logaddexp2": lambda x, y: _log_of_sum(x, y, 2),
    }


def _atanh(x: Any) -> Any:
    return _mp().inf * x if abs(x) == 1 else _mp().atanh(x)


def _circular() -> dict[str, Function]:
    mp = _mp()
    names = "sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh"
    return {
        **{name: _real(getattr(mp, name)) for name in names.split()},
        "atanh": _real(_atanh),
        "sinc": _real(mp.sincpi),
    }


def _erfc(x: Any) -> Any:
    """The complement of erf; 0 where mpmath raises because the result is too small."""
    return _mp().zero if x > 1e100 else _mp().erfc(x)


def _gamma(x: Any) -> Any:
    return _mp().inf if x == 0 else _mp().gamma(x)


def _log_gamma(x: Any) -> Any:
    """log(abs(gamma(x))), the real part of the complex logarithm."""
    mp = _mp()
    return mp.inf if x <= 0 and mp.isint(x) else mp.re(mp.loggamma(x))


def _polygamma(order: Any, x: Any) -> Any:
    if not 0 <= order <= HIGHEST_ORDER or order != int(order):
        return _mp().nan
    return _mp().psi(int(order), x)


def _special() -> dict[str, Function]:
    mp = _mp()
    return {
        "erf": _real(mp.erf),
        "erfc": _real(_erfc),
        "gamma": _real(_gamma),
        "lgamma": _real(_log_gamma),
        "digamma": _real(mp.digamma),
        "polygamma": _real(_polygamma),
    }
