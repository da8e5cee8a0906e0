"""The functions of the formula language for SymPy's real expressions, with plain formulas as derivatives.

SymPy's own `Max`, `sign` and `floor` differentiate to Heaviside and Dirac deltas or not at all. The versions here have
the derivatives that hold everywhere except at kinks; at a kink they follow the conventions: abs'(0) = 0, and ties of a
maximum share equally.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

from gradcli.mathematics.language import mpmath_functions, special_functions

Function = Callable[..., Any]

LARGEST_EXPONENT = 10_000
"""A larger exponent becomes a symbolic constant, because SymPy would compute the power to the last digit."""

FINEST_FRACTION = 64
"""A float that is not a multiple of 1/64 becomes a symbolic constant.

A ratio of integers would be exact too, but SymPy takes roots of such ratios by factoring, which may never end.
"""


def number(value: int | float) -> Any:
    """The exact value: a small fraction, a constant that prints like the float, an infinity or nan."""
    import sympy

    if not isinstance(value, float):
        return sympy.Integer(int(value))
    if not math.isfinite(value):
        return sympy.nan if math.isnan(value) else sympy.oo if value > 0 else -sympy.oo
    if (value * FINEST_FRACTION).is_integer() and abs(value) <= LARGEST_EXPONENT:
        return sympy.Rational(*value.as_integer_ratio())
    return constant()(float(value)) if value > 0 else -constant()(-float(value))


def derivative(expression: Any, symbol: Any) -> Any:
    """The derivative, also of expressions in which SymPy created `Abs` or `sign` itself."""
    return tame(expression).diff(symbol)


def tame(expression: Any) -> Any:
    """Replace SymPy's `Abs` and `sign` in an expression by the versions of this module."""
    import sympy

    theirs = {sympy.Abs: absolute(), sympy.sign: sign()}
    return expression.replace(lambda node: node.func in theirs, lambda node: theirs[node.func](*node.args))


@cache
def functions() -> dict[str, Function]:
    """The functions of SymPy's real expressions, by canonical name."""
    on_numbers = {
        **_arithmetic(),
        **_relations(),
        **_elementary(),
        **_steps(),
        **special_functions.of_sympy(),
        **{name: opaque(name) for name in _OPAQUE},
        "abs": absolute(),
        "sign": sign(),
        "fmax": opaque("maximum"),
        "fmin": opaque("minimum"),
        "clip": lambda x, low, high: opaque("minimum")(opaque("maximum")(x, low), high),
    }
    return {**{name: _of_numbers(function) for name, function in on_numbers.items()}, **_logic()}


def _of_numbers(function: Function) -> Function:
    """`function`, with conditions among its arguments converted to 1 and 0."""
    return lambda *arguments: function(*map(_as_number, arguments))


def _as_number(argument: Any) -> Any:
    import sympy

    argument = sympy.sympify(argument)
    return argument if isinstance(argument, sympy.Expr) else sympy.Piecewise((1, argument), (0, True))


def _condition(argument: Any) -> Any:
    import sympy

    argument = sympy.sympify(argument)
    return sympy.Ne(argument, 0) if isinstance(argument, sympy.Expr) else argument


def _logic() -> dict[str, Function]:
    import sympy

    def where(condition: Any, x: Any, y: Any) -> Any:
        return sympy.Piecewise((_as_number(x), _condition(condition)), (_as_number(y), True))

    return {
        "where": where,
        "logical_and": lambda x, y: sympy.And(_condition(x), _condition(y)),
        "logical_or": lambda x, y: sympy.Or(_condition(x), _condition(y)),
        "logical_not": lambda x: sympy.Not(_condition(x)),
    }


def _relations() -> dict[str, Function]:
    import sympy

    relations = {"lt": "Lt", "le": "Le", "gt": "Gt", "ge": "Ge", "eq": "Eq", "ne": "Ne"}
    return {name: getattr(sympy, theirs) for name, theirs in relations.items()}


def _power(x: Any, y: Any) -> Any:
    if y.is_Integer and abs(y) > LARGEST_EXPONENT:
        y = constant()(int(y)) if y > 0 else -constant()(-int(y))
    return tame(x**y)


def _arithmetic() -> dict[str, Function]:
    return {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "dot": lambda x, y: x * y,
        "div": lambda x, y: x / y,
        "pow": _power,
        "neg": lambda x: -x,
        "pos": lambda x: x,
        "square": lambda x: x**2,
        "reciprocal": lambda x: 1 / x,
        **dict.fromkeys(("sum", "mean", "prod"), lambda x: x),
    }


def _elementary() -> dict[str, Function]:
    import sympy

    two = sympy.Integer(2)
    names = "exp sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf erfc"
    return {
        **{name: getattr(sympy, name) for name in names.split()},
        "exp2": lambda x: _power(two, x),
        "expm1": lambda x: sympy.exp(x) - 1,
        "log": sympy.log,
        "log2": lambda x: sympy.log(x) / sympy.log(2),
        "log10": lambda x: sympy.log(x) / sympy.log(10),
        "log1p": lambda x: sympy.log(1 + x),
        "logaddexp": lambda x, y: sympy.log(sympy.exp(x) + sympy.exp(y)),
        "logaddexp2": lambda x, y: sympy.log(_power(two, x) + _power(two, y)) / sympy.log(2),
        "sqrt": lambda x: tame(sympy.sqrt(x)),
        "cbrt": lambda x: sign()(x) * absolute()(x) ** sympy.Rational(1, 3),
        "hypot": lambda x, y: tame(sympy.sqrt(x**2 + y**2)),
        "degrees": lambda x: 180 * x / sympy.pi,
        "radians": lambda x: sympy.pi * x / 180,
        "copysign": lambda x, y: absolute()(x) * sympy.Piecewise((1, y >= 0), (-1, True)),
        "heaviside": lambda x, middle: sympy.Piecewise((0, x < 0), (1, x > 0), (middle, True)),
        "sinc": lambda x: sympy.sinc(sympy.pi * x),
    }


def _steps() -> dict[str, Function]:
    import sympy

    floor, ceiling, nearest = step("floor"), step("ceiling"), opaque("round")

    def trunc(x: Any) -> Any:
        return sympy.Piecewise((floor(x), x >= 0), (ceiling(x), True))

    return {
        "floor": floor,
        "ceil": ceiling,
        "trunc": trunc,
        "floordiv": lambda x, y: floor(x / y),
        "mod": lambda x, y: x - y * floor(x / y),
        "fmod": lambda x, y: x - y * trunc(x / y),
        "remainder": lambda x, y: x - y * nearest(x / y),
    }


# Function classes that SymPy lacks or differentiates as distributions


@cache
def absolute() -> Any:
    """The absolute value, whose derivative is this module's `sign`."""
    import sympy

    def evaluated(cls: Any, x: Any) -> Any:
        if x.is_extended_nonnegative:
            return x
        if x.is_extended_nonpositive:
            return -x
        factor, rest = x.as_coeff_Mul()
        return None if factor is sympy.S.One else abs(factor) * cls(rest)

    def slope(self: Any, symbol: Any) -> Any:
        return sign()(self.args[0]) * self.args[0].diff(symbol)

    return type("Abs", (sympy.Abs,), {"eval": classmethod(evaluated), "_eval_derivative": slope})


@cache
def sign() -> Any:
    """The sign, with derivative 0."""
    import sympy

    def slope(self: Any, symbol: Any) -> Any:
        return sympy.S.Zero

    return type("sign", (sympy.sign,), {"_eval_derivative": slope, "doit": lambda self, **hints: self})


@cache
def constant() -> Any:
    """The class of positive numbers that SymPy must not decompose. They are exact and print like Python's numbers."""
    import sympy
    from mpmath import libmp

    def new(cls: Any, value: int | float) -> Any:
        self = sympy.AtomicExpr.__new__(cls)
        self.value = value
        return self

    def as_mpf(self: Any, precision: int) -> Any:
        exact_value = libmp.from_int(self.value) if isinstance(self.value, int) else libmp.from_float(self.value)
        return libmp.mpf_pos(exact_value, precision, "n")

    def interval(self: Any, number_class: Any) -> Any:
        below = math.floor(self.value)
        return sympy.Integer(below), sympy.Integer(below + 1)

    def latex(self: Any, printer: Any) -> str:
        return str(self.value) if isinstance(self.value, int) else str(printer.doprint(sympy.Float(self.value)))

    members = {
        "__slots__": ("value",),
        "__new__": new,
        "__eq__": lambda self, other: type(other) is type(self) and other.value == self.value,
        "__hash__": sympy.NumberSymbol.__hash__,
        "_hashable_content": lambda self: (self.value,),
        "_as_mpf_val": as_mpf,
        "approximation_interval": interval,
        "_sympystr": lambda self, printer: repr(self.value),
        "_latex": latex,
        "is_positive": True,
        "is_number": True,
    }
    return type("Constant", (sympy.NumberSymbol,), members)


@cache
def step(name: str) -> Any:
    """SymPy's `floor` or `ceiling`, with derivative 0."""
    import sympy

    def fdiff(self: Any, argument: int = 1) -> Any:
        return sympy.S.Zero

    return type(name, (getattr(sympy, name),), {"fdiff": fdiff})


@cache
def opaque(name: str) -> Any:
    """The class of an opaque function."""
    import sympy

    slopes = _OPAQUE[name]

    def fdiff(self: Any, argument: int = 1) -> Any:
        return slopes[argument - 1](*self.args)

    def evaluated(cls: Any, *arguments: Any) -> Any:
        if sympy.nan in arguments:
            return sympy.nan
        if name in _CHOOSING and all(argument.is_comparable for argument in arguments):
            return _chosen(name, *arguments)
        return None

    def evalf(self: Any, precision: int) -> Any:
        return _by_mpmath(name, self.args, precision)

    def latex(self: Any, printer: Any, exp: str | None = None) -> str:
        head = _LATEX.get(name, rf"\operatorname{{{name}}}") + (f"^{{{exp}}}" if exp else "")
        return rf"{head}\left({', '.join(map(printer.doprint, self.args))}\right)"

    members = {"fdiff": fdiff, "eval": classmethod(evaluated), "_eval_evalf": evalf, "_latex": latex}
    return type(name, (sympy.Function,), {**members, "nargs": len(slopes), "is_extended_real": True})


def _greater(x: Any, y: Any) -> Any:
    return (1 + sign()(x - y)) / 2


def _zero(*arguments: Any) -> Any:
    import sympy

    return sympy.S.Zero


_OPAQUE: dict[str, tuple[Function, ...]] = {
    "maximum": (_greater, lambda x, y: _greater(y, x)),
    "minimum": (lambda x, y: _greater(y, x), _greater),
    "gamma": (lambda x: opaque("gamma")(x) * opaque("digamma")(x),),
    "lgamma": (lambda x: opaque("digamma")(x),),  # noqa: PLW0108 - the class is created on first use
    "digamma": (lambda x: opaque("polygamma")(1, x),),
    "polygamma": (_zero, lambda n, x: opaque("polygamma")(n + 1, x)),
    "round": (_zero,),
}
"""Opaque functions with their partial derivatives. Their values are computed by mpmath."""

_LATEX = {"maximum": r"\max", "minimum": r"\min", "gamma": r"\Gamma", "lgamma": r"\log\Gamma", "digamma": r"\psi"}

_CHOOSING = frozenset({"maximum", "minimum", "round"})
"""Opaque functions whose values at exact numbers are exact."""


def _chosen(name: str, x: Any, y: Any = None) -> Any:
    if name == "round":
        return _half_to_even(x)
    return x if bool(x >= y) == (name == "maximum") else y


def _half_to_even(x: Any) -> Any:
    import sympy

    if x.is_infinite:
        return x
    up = sympy.floor(x + sympy.S.Half)
    return up - 1 if up - x == sympy.S.Half and up % 2 else up


def _by_mpmath(name: str, arguments: tuple[Any, ...], precision: int) -> Any:
    import mpmath
    import sympy

    with mpmath.workprec(precision + 10):
        values = [argument._to_mpmath(precision + 10) for argument in arguments]
        return sympy.Expr._from_mpmath(mpmath_functions.functions()[name](*values), precision)
