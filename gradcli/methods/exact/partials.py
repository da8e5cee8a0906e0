"""SymPy's derivatives of the elementwise rules, on numbers in many digits, independent of gradcli's own partials."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import mpmath

from gradcli.mathematics.language import mpmath_functions, sympy_functions
from gradcli.mathematics.rules.rule_table import Functions
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact import decimals

DEEPEST = 480  # digits for results near 0: sech(300)**2 is 1e-260, written as 1 - tanh(300)**2

Number = Any


class Partial(NamedTuple):
    """The derivative of a rule by one argument.

    Attributes:
        function: the derivative as a function of the arguments.
        constant: the derivative if it is the same everywhere, such as the 1 of a sum; else None.
        on_arrays: whether `function` accepts whole object arrays.
    """

    function: Callable[..., Any]
    constant: Number | None = None
    on_arrays: bool = False


@cache
def partial_of(rule: Elementwise, position: int, exponent: float | None = None) -> Partial:
    """The derivative of `rule` by one argument; `exponent` is that of a power with a constant exponent."""
    if rule.is_power:
        return Partial(_of_power(rule, position, exponent))
    expression, symbols = _expression(rule, position, None)
    if expression.is_Integer:
        return Partial(lambda *arguments: decimals.ONE * int(expression), decimals.ONE * int(expression), True)
    if _is_rational(expression):
        return Partial(_by_decimals(symbols, expression), on_arrays=True)
    by_mpmath = numeric(symbols, expression)
    return Partial(lambda *arguments: _with_more_digits(by_mpmath, arguments))


def _of_power(rule: Elementwise, position: int, exponent: float | None) -> Callable[..., Any]:
    """The partials of a power. A constant exponent is substituted first, so that x**2 gives 2*x at 0 too."""
    if position == 1:
        by_exponent = derivative(rule, 1)

        def by_y(x: Any, y: Any) -> Any:
            if not x:
                return decimals.ZERO if y > 0 else decimals.NAN
            return _with_more_digits(by_exponent, (x, y))

        return by_y
    if exponent is not None and exponent == int(exponent):
        return _by_decimals(*reversed(_expression(rule, 0, exponent)))
    by_base = derivative(rule, 0, exponent)
    return lambda x, y: _with_more_digits(by_base, (x, y))


def _expression(rule: Elementwise, position: int, exponent: float | None) -> tuple[Any, tuple[Any, ...]]:
    import sympy

    symbols = tuple(sympy.Symbol(name, real=True) for name in rule.parameters)
    arguments = symbols if exponent is None else (symbols[0], sympy_functions.number(exponent))
    value = rule.evaluate(symbolic_functions(), arguments)
    partial = sympy_functions.derivative(value, symbols[position])
    return sympy.powsimp(partial) if rule.is_power else partial, symbols


def _is_rational(expression: Any) -> bool:
    """Whether an expression consists of sums, products and integer powers only."""
    import sympy

    kinds = (sympy.Add, sympy.Mul, sympy.Symbol, sympy.Rational)
    return all(
        isinstance(node, kinds) or (node.is_Pow and node.exp.is_Integer)
        for node in sympy.preorder_traversal(expression)
    )


def _by_decimals(symbols: tuple[Any, ...], expression: Any) -> Callable[..., Any]:
    import sympy

    function: Callable[..., Any] = sympy.lambdify(symbols, expression, modules=[{"mpf": decimals.number}, "mpmath"])
    return function


def _with_more_digits(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """A partial by mpmath; with more digits if the result is near 0, because its formula may cancel."""
    partial = real(function, list(map(decimals.to_mpmath, arguments)))
    if abs(partial) < mpmath.eps:
        with decimals.digits(DEEPEST):
            partial = real(function, list(map(decimals.to_mpmath, arguments)))
    return decimals.from_mpmath(partial)


def real(function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """The value of a function of mpmath numbers; nan if it has none."""
    try:
        return mpmath.mpf(function(*arguments))
    except (ArithmeticError, ValueError, TypeError, mpmath.libmp.NoConvergence):
        return mpmath.nan


@cache
def derivative(rule: Elementwise, position: int, exponent: float | None = None) -> Callable[..., Any]:
    """SymPy's derivative of the value of `rule` by one argument, as a function of mpmath numbers.

    A constant exponent is substituted before differentiation, so that `x**2` gives `2*x`, at 0 too.
    """
    expression, symbols = _expression(rule, position, exponent)
    return numeric(symbols, expression)


@cache
def symbolic_functions() -> Functions:
    """SymPy's versions of the functions of the language."""
    import sympy

    return Functions(
        sympy_functions.functions(), sympy_functions.number, {"pi": sympy.pi, "tau": 2 * sympy.pi, "e": sympy.E}
    )


OTHERWISE_NAMED = {  # SymPy's names for functions that have other names in mpmath
    "sinc": mpmath.sinc,  # sin(x) / x
    "airyaiprime": lambda x: mpmath.airyai(x, derivative=1),
    "airybiprime": lambda x: mpmath.airybi(x, derivative=1),
    "assoc_laguerre": mpmath.laguerre,
}


def numeric(symbols: tuple[Any, ...], expression: Any) -> Callable[..., Any]:
    """A SymPy expression as a function of mpmath numbers, with Piecewise evaluated lazily."""
    import sympy

    ours = {**mpmath_functions.functions(), **OTHERWISE_NAMED}
    function: Callable[..., Any] = sympy.lambdify(symbols, expression, modules=[ours, "mpmath"], cse=True)
    return function
