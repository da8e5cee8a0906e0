"""Numbers in many digits: Python's decimals, whose sums, products and quotients run in C, and mpmath for the rest.

They follow IEEE 754 with more digits: nothing raises, division by zero gives an infinity, and undefined results are
nan.
"""

from __future__ import annotations

import decimal
import operator
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from functools import cache
from typing import Any

import mpmath
import numpy as np
from mpmath import libmp

from gradcli.mathematics.language import mpmath_functions
from gradcli.mathematics.language.syntax import Apply, Name
from gradcli.mathematics.rules.rule_table import Functions
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact.complex_decimals import ComplexDecimal

NAN: Any
ZERO: Any
ONE: Any
NAN, ZERO, ONE = Decimal("nan"), Decimal(0), Decimal(1)
HALF = Decimal("0.5")
MODERATE = 400  # decimal places around the point within which a number is a ratio of small integers


@contextmanager
def digits(count: int) -> Iterator[None]:
    """A context in which decimals and mpmath compute with `count` digits."""
    context = decimal.Context(
        prec=count, Emin=decimal.MIN_EMIN, Emax=decimal.MAX_EMAX, rounding=decimal.ROUND_HALF_EVEN, traps=[]
    )
    with decimal.localcontext(context), mpmath.workdps(count):
        yield


def count() -> int:
    """The current number of digits."""
    return decimal.getcontext().prec


def is_exact() -> bool:
    """Whether no result in the current context was rounded."""
    return not decimal.getcontext().flags[decimal.Inexact]


def number(value: int | float) -> Decimal:
    """The decimal that equals the binary value exactly."""
    return Decimal(float(value) if isinstance(value, float) else int(value))


def to_decimals(value: Any) -> Any:
    """Convert a plain number or array to decimals.

    Raises:
        TypeError: the array is not numeric.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind == "c":
        return np.frompyfunc(to_decimals, 1, 1)(value.astype(complex))
    if np.iscomplexobj(value):
        return ComplexDecimal(value.real, value.imag)
    if not isinstance(value, np.ndarray):
        return Decimal(int(value) if isinstance(value, (int, np.integer, np.bool_)) else float(value))
    lifted = np.empty(value.shape, dtype=object)
    if value.dtype.kind not in "fiub":
        raise TypeError(f"an array of {value.dtype} has no decimals")
    plain = value.astype(float if value.dtype.kind == "f" else int)
    lifted.ravel()[:] = list(map(Decimal, plain.ravel().tolist()))
    return lifted if value.ndim else lifted.item()


def from_mpmath(x: Any) -> Any:
    """Convert an mpmath number or a float to a decimal; booleans are unchanged. An mpmath number counts as rounded."""
    if isinstance(x, (mpmath.mpc, complex)):
        return ComplexDecimal(from_mpmath(x.real), from_mpmath(x.imag))
    if not isinstance(x, mpmath.mpf):
        return Decimal(x) if isinstance(x, float) else x
    decimal.getcontext().flags[decimal.Inexact] = True
    sign, mantissa, exponent, _ = x._mpf_
    if not mantissa:
        return NAN if exponent == libmp.fnan[2] else Decimal("inf") if x > 0 else Decimal("-inf") if x < 0 else ZERO
    whole = Decimal(-int(mantissa) if sign else int(mantissa))
    return whole * Decimal(2) ** exponent


def to_mpmath(x: Any) -> Any:
    """Convert a decimal to an mpmath number, with mpmath's current precision."""
    if isinstance(x, ComplexDecimal):
        return mpmath.mpc(to_mpmath(x.real), to_mpmath(x.imag))
    if not isinstance(x, Decimal):
        return mpmath.mpf(x) if isinstance(x, (int, float, mpmath.mpf)) else x
    if not x.is_finite():
        return mpmath.nan if x.is_nan() else mpmath.inf if x > 0 else -mpmath.inf
    if abs(x.adjusted()) > MODERATE:
        return mpmath.mpf(str(x))
    top, bottom = x.as_integer_ratio()
    return mpmath.mp.make_mpf(libmp.from_rational(top, bottom, mpmath.mp.prec, "n"))


def text(x: Decimal, count: int) -> str:
    """A decimal with some digits, as mpmath writes it."""
    with mpmath.workdps(2 * count):
        return str(mpmath.nstr(to_mpmath(x), count))


class _Constants(Mapping[str, Any]):
    """The constants of the language, in the current precision."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {"pi": mpmath.pi, "tau": mpmath.pi, "e": mpmath.e}

    def __getitem__(self, name: str) -> Any:
        return from_mpmath(+self.known[name]) * (2 if name == "tau" else 1)

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


@cache
def functions() -> Functions:
    """The functions of the language on these numbers."""
    by_mpmath = {name: through_mpmath(function) for name, function in mpmath_functions.functions().items()}
    return Functions({**by_mpmath, **_ours()}, number, _Constants())


def through_mpmath(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adapt a function of mpmath numbers to decimals."""
    return lambda *arguments: from_mpmath(function(*map(to_mpmath, arguments)))


def tolerant(function: Callable[..., Any], arguments: list[Any], static: Mapping[str, Any]) -> Any:
    """Call a function on arrays of decimals, or of mpmath numbers if it combines them with floats; the result decimals.

    Raises:
        TypeError: the function accepts neither.
    """
    try:
        result = function(*arguments, **static)
    except TypeError:
        result = function(*(_each(to_mpmath, x) for x in arguments), **static)
    return _each(from_mpmath, result)


def _each(convert: Callable[..., Any], x: Any) -> Any:
    return np.frompyfunc(convert, 1, 1)(x) if isinstance(x, np.ndarray) and x.dtype.kind == "O" else convert(x)


# Functions written for mpmath that accept decimals as well.
AS_THEY_ARE = (
    "lt", "le", "gt", "ge", "eq", "ne", "logical_and", "logical_or", "logical_not", "where",
    "sum", "mean", "prod", "maximum", "minimum", "fmax", "fmin", "clip",
)  # fmt: skip


def _ours() -> dict[str, Callable[..., Any]]:
    theirs = mpmath_functions.functions()
    return {
        **{name: theirs[name] for name in AS_THEY_ARE},
        **ARITHMETIC,
        "dot": operator.mul,
        "pow": power,
        "abs": abs,
        "sqrt": lambda x: Decimal(x).sqrt(),
        "copysign": lambda x, y: abs(x) if y >= 0 else -abs(x),
    }


ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "pos": operator.pos,
    "square": lambda x: x * x,
    "reciprocal": lambda x: ONE / x,
}
"""Operations that act on whole object arrays of these numbers as on single ones."""


def power(x: Any, y: Any) -> Any:
    """The power x**y, by products if y is an integer and by a root if it is half an integer."""
    x, y = Decimal(x), Decimal(y)
    if y.is_finite() and y == y.to_integral_value():
        return x ** int(y) if y else ONE
    if y.is_finite() and x > 0 and 2 * y == (2 * y).to_integral_value():
        return x ** int(y - HALF) * x.sqrt()
    return through_mpmath(mpmath_functions.functions()["pow"])(x, y)


def _takes_all(tree: Apply, rule: Elementwise) -> bool:
    return [x.id if isinstance(x, Name) else "" for x in tree.arguments] == [*rule.parameters]


@cache
def function_of(rule: Elementwise) -> Callable[..., Any]:
    """The value of an elementwise rule on these numbers."""
    tree = rule.value_tree
    if isinstance(tree, Apply) and tree.function in functions() and _takes_all(tree, rule):
        return functions()[tree.function]
    return lambda *arguments: rule.evaluate(functions(), arguments)
