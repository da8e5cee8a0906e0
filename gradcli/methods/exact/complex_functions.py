"""The elementwise rules, and SymPy's derivatives of them, on complex numbers in many digits.

A holomorphic function has one complex derivative, from SymPy; an absolute value depends on both parts. A cotangent `ct`
pairs with a tangent `t` as Re(ct * t), so a holomorphic step needs no conjugate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import mpmath

from gradcli.mathematics.language import mpmath_functions, special_functions, sympy_functions
from gradcli.mathematics.rules.rule_table import Functions
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact import decimals
from gradcli.methods.exact.complex_decimals import ComplexDecimal
from gradcli.methods.exact.partials import OTHERWISE_NAMED, symbolic_functions

Function = Callable[..., Any]

UNDEFINED = (ArithmeticError, ValueError, TypeError, mpmath.libmp.NoConvergence)


@cache
def functions() -> Functions:
    """The functions of the language on these numbers."""
    names = "exp expm1 log log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc"
    by_mpmath: dict[str, Function] = {
        **special_functions.of_mpmath(),
        **{name: getattr(mpmath, name) for name in names.split()},
        "exp2": lambda x: mpmath.mpf(2) ** x,
        "log2": lambda x: mpmath.log(x) / mpmath.log(2),
        "log10": lambda x: mpmath.log(x) / mpmath.log(10),
        "pow": lambda x, y: x**y,
        "sinc": mpmath.sincpi,
    }
    through = {name: continued(function) for name, function in by_mpmath.items()}
    ours: dict[str, Function] = {"abs": abs, "pow": power, "where": mpmath_functions.functions()["where"]}
    return Functions({**through, **decimals.ARITHMETIC, **ours}, decimals.number, decimals.functions().constants)


def continued(function: Function) -> Function:
    """Adapt a function of mpmath numbers to decimals; nan where it has no value.

    For a number below the branch cut, whose imaginary part is -0, the result is the conjugate of that above.
    """

    def compute(*arguments: Any) -> Any:
        parts = [x.imag for x in arguments if isinstance(x, ComplexDecimal)]
        below = bool(parts) and all(x.is_zero() and x.is_signed() for x in parts)
        try:
            value = decimals.from_mpmath(function(*map(decimals.to_mpmath, arguments)))
        except UNDEFINED:
            return decimals.NAN
        return value.conjugate() if below else value

    return compute


def power(x: Any, y: Any) -> Any:
    """The power x**y, by products if y is an integer."""
    if not isinstance(y, ComplexDecimal) and y == y.to_integral_value() and abs(y) < decimals.MODERATE:
        return x ** int(y)
    return continued(lambda base, exponent: base**exponent)(x, y)


def function_of(rule: Elementwise) -> Function:
    """The value of an elementwise rule on these numbers."""
    return lambda *arguments: rule.evaluate(functions(), arguments)


def argument_cotangent(
    rule: Elementwise, position: int, ct: Any, arguments: Sequence[Any], exponent: float | None
) -> Any:
    """The cotangent of one argument if that of the result is `ct`."""
    if pullback := NOT_HOLOMORPHIC.get(rule.name):
        return pullback(ct.real, *arguments)
    return ct * derivative(rule, position, exponent)(*arguments)


def _of_size(ct: Any, z: Any) -> Any:
    """For sqrt(re**2 + im**2) with partials re / v and im / v; a displacement i*t pairs as Re(ct * i*t)."""
    v = abs(z)
    return ct * z.conjugate() / v if v else decimals.ZERO


NOT_HOLOMORPHIC: Mapping[str, Function] = {"modulus": _of_size}
"""Cotangents of functions without a complex derivative, by the name of the rule."""


@cache
def derivative(rule: Elementwise, position: int, exponent: float | None = None) -> Function:
    """SymPy's derivative of the value of `rule` by one argument, on complex symbols."""
    import sympy

    symbols = tuple(map(sympy.Symbol, rule.parameters))
    arguments = symbols if exponent is None else (symbols[0], sympy_functions.number(exponent))
    formula = sympy.diff(rule.evaluate(symbolic_functions(), arguments), symbols[position])
    formula = sympy.powsimp(formula) if exponent is not None else formula
    return continued(sympy.lambdify(symbols, formula, modules=[OTHERWISE_NAMED, "mpmath"]))
