"""Functions of `math` and `statistics` that also accept recorded numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache
from types import ModuleType
from typing import Any

from gradcli.engine.tape.pullbacks import operation
from gradcli.engine.tape.value import Value, outcome, plain_value, record
from gradcli.engine.tape.values.number_operators import CLASSES, float_function
from gradcli.engine.tape.values.scalar import Scalar, as_number
from gradcli.mathematics.rules.comparable_calls import call_of
from gradcli.mathematics.rules.rule_types import Elementwise, elementwise_rule

# The functions of `math` with one argument. Apart from `fabs`, their rules have the same names.
_UNARY = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "degrees", "erf", "erfc", "exp", "exp2",
    "expm1", "fabs", "gamma", "lgamma", "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_BINARY = ("atan2", "copysign", "fmod", "remainder", "pow")
HYPOT = elementwise_rule("hypot")


def any_recorded(arguments: Iterable[Any]) -> bool:
    """Whether any argument is recorded."""
    return any(issubclass(type(x), Value) for x in arguments)


def _unary(name: str) -> Callable[[Any], Any]:
    original: Callable[[Any], Any] = getattr(math, name)
    rule = elementwise_rule("abs" if name == "fabs" else name)
    assert isinstance(rule, Elementwise)

    done, new = operation(rule, (0,), arrays=False), type.__call__.__get__(Scalar)
    of_numpy: dict[type, Callable[[Any], Any]] = {}

    def function(x: Any, /) -> Any:
        if type(x) is not Scalar:
            return of_others(x)
        number, tape, handle = x._value, x.tape, new()  # as compiled operators do
        handle.tape = tape
        handle.index = len(tape.rows)
        handle._value = value = original(number)
        tape.rows.append((done, value, x.index, number))
        return handle

    def of_others(x: Any) -> Any:
        kind = type(x)
        if not issubclass(kind, Value):
            return original(x)
        if kind not in CLASSES:
            return function(as_number(x))
        if kind not in of_numpy:
            of_numpy[kind] = float_function(CLASSES[kind], rule)
        return of_numpy[kind](x)

    return function


def _binary(name: str) -> Callable[[Any, Any], Any]:
    original: Callable[[Any, Any], Any] = getattr(math, name)
    rule = elementwise_rule(name)

    def function(x: Any, y: Any, /) -> Any:
        if any_recorded((x, y)):
            return record(rule, (as_number(x), as_number(y)), {}, compute=original)
        return original(x, y)

    return function


def fact(original: Any) -> Callable[..., Any]:
    """A function whose result is an outcome where an argument is recorded."""

    def function(*arguments: Any, **options: Any) -> Any:
        if any_recorded(arguments):
            return outcome(original.__name__, call_of(original, **options), *arguments)
        return original(*arguments, **options)

    return function


def _log(x: Any, base: Any = None, /) -> Any:
    if not any_recorded((x, base)):
        return math.log(x) if base is None else math.log(x, base)
    logarithm = (
        record(elementwise_rule("log"), (as_number(x),), {}, compute=math.log) if any_recorded((x,)) else math.log(x)
    )
    return logarithm if base is None else logarithm / _log(base)


def _hypot(*coordinates: Any) -> Any:
    if not any_recorded(coordinates):
        return math.hypot(*coordinates)
    numbers = [as_number(x) for x in coordinates]
    length = numbers[0] if len(numbers) > 1 else abs(numbers[0])
    for number in numbers[1:]:
        recorded = any_recorded((length, number))
        length = record(HYPOT, (length, number), {}, compute=math.hypot) if recorded else math.hypot(length, number)
    return length


def _dist(p: Any, q: Any, /) -> Any:
    if not any_recorded((*p, *q)):
        return math.dist(p, q)
    return _hypot(*(as_number(x) - as_number(y) for x, y in zip(p, q, strict=True)))


def _fsum(numbers: Iterable[Any], /) -> Any:
    numbers = list(map(as_number, numbers))
    plain = list(map(plain_value, numbers))
    if not any_recorded(numbers):
        return math.fsum(plain)
    total: Any = sum(numbers)
    total.restate(math.fsum(plain))
    return total


def _prod(numbers: Iterable[Any], /, *, start: Any = 1) -> Any:
    numbers = list(numbers)
    if not any_recorded((*numbers, start)):
        return math.prod(numbers, start=start)
    for number in numbers:
        start = start * number
    return start


def _ldexp(x: Any, exponent: int, /) -> Any:
    return as_number(x) * 2.0**exponent if any_recorded((x,)) else math.ldexp(x, exponent)


def _whole_part(x: float) -> float:
    return math.modf(x)[1]


def _exponent(x: float) -> int:
    return math.frexp(x)[1]


def _step_towards(x: float, y: float, **options: Any) -> float:
    return math.nextafter(x, y, **options) - x


def _modf(x: Any, /) -> Any:
    if not any_recorded((x,)):
        return math.modf(x)
    whole = outcome("trunc", _whole_part, x)
    return as_number(x) - whole, whole


def _frexp(x: Any, /) -> Any:
    if not any_recorded((x,)):
        return math.frexp(x)
    exponent = outcome("frexp", _exponent, x)
    return as_number(x) * 2.0**-exponent, exponent


def _nextafter(x: Any, y: Any, /, **options: Any) -> Any:
    if not any_recorded((x, y)):
        return math.nextafter(x, y, **options)
    step = outcome("nextafter", call_of(_step_towards, **options), x, y)
    return as_number(x) + step


def _sumprod(p: Iterable[Any], q: Iterable[Any], /) -> Any:
    p, q = list(p), list(q)
    if not any_recorded((*p, *q)):
        return math.sumprod(p, q)  # type: ignore[attr-defined,unused-ignore]
    return sum(as_number(x) * as_number(y) for x, y in zip(p, q, strict=True))


def _fma(x: Any, y: Any, z: Any, /) -> Any:
    if not any_recorded((x, y, z)):
        return math.fma(x, y, z)  # type: ignore[attr-defined,unused-ignore]
    return as_number(x) * as_number(y) + as_number(z)


_SPECIAL = {
    "log": _log, "hypot": _hypot, "dist": _dist, "fsum": _fsum, "prod": _prod, "ldexp": _ldexp, "modf": _modf,
    "frexp": _frexp, "nextafter": _nextafter, "sumprod": _sumprod, "fma": _fma,
    **{name: fact(getattr(math, name)) for name in ("isnan", "isinf", "isfinite", "isclose", "ulp")},
}  # fmt: skip


@cache
def math_function(name: str) -> Any:
    """The replacement of a function of `math`."""
    original = getattr(math, name)
    for names, maker in ((_UNARY, _unary), (_BINARY, _binary), (_SPECIAL, _SPECIAL.get)):
        if name in names:
            return named(maker(name), original)
    return original


def attribute(_: ModuleType, name: str) -> Any:
    """The replacement of an attribute of `math`."""
    return math_function(name)


def named(function: Any, original: Any) -> Any:
    """Give a replacement the name and docstring of the original."""
    for attribute in ("__module__", "__name__", "__qualname__", "__doc__"):
        setattr(function, attribute, getattr(original, attribute))
    return function


# Functions of `statistics`, which compute with exact fractions, by the same formulas in floats.
def _mean(data: Iterable[Any]) -> Any:
    numbers = [as_number(x) for x in data]
    return sum(numbers) / len(numbers)


def _fmean(data: Iterable[Any], weights: Iterable[Any] | None = None) -> Any:
    if weights is None:
        return _mean(data)
    numbers, factors = list(data), list(weights)
    return _sumprod(numbers, factors) / _fsum(factors)


def _pvariance(data: Iterable[Any], mu: Any = None) -> Any:
    numbers = [as_number(x) for x in data]
    center = _mean(numbers) if mu is None else mu
    return _mean((x - center) * (x - center) for x in numbers)


def _variance(data: Iterable[Any], xbar: Any = None) -> Any:
    numbers = list(data)
    return _pvariance(numbers, xbar) * len(numbers) / (len(numbers) - 1)


def _harmonic_mean(data: Iterable[Any], weights: Iterable[Any] | None = None) -> Any:
    return 1 / _fmean((1 / as_number(x) for x in data), weights)


_STATISTICS = {
    "mean": _mean, "fmean": _fmean, "pvariance": _pvariance, "variance": _variance, "harmonic_mean": _harmonic_mean,
    "pstdev": lambda *data: math_function("sqrt")(_pvariance(*data)),
    "stdev": lambda *data: math_function("sqrt")(_variance(*data)),
}  # fmt: skip


def statistics_attribute(module: ModuleType, name: str) -> Any:
    """The replacement of a function of `statistics`; any other attribute itself."""
    original, shim = getattr(module, name), _STATISTICS.get(name)
    if shim is None:
        return original

    def function(data: Iterable[Any], *more: Any, **options: Any) -> Any:
        numbers = list(data)
        recorded = any_recorded((*numbers, *more, *options.values()))
        return shim(numbers, *more, *options.values()) if recorded else original(numbers, *more, **options)

    return named(function, original)
