"""Terms of C, with their precedence and type."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from gradcli.mathematics.language.formula_text import ATOM, SIGN, SUM

_WORDS = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main assert
    NAN INFINITY
    """
KEYWORDS = frozenset(_WORDS.split())
_MATH = """
    exp expm1 log log2 log10 log1p sqrt cbrt sin cos tan sinh cosh tanh asin acos atan atan2 asinh acosh atanh hypot
    copysign fmod remainder erf erfc lgamma exp2 floor ceil trunc
"""
MATH = {
    **{part: part for part in _MATH.split()},
    **{f"arc{function}": f"a{function}" for function in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")},
    **{
        "gamma": "tgamma",
        "gammaln": "lgamma",
        "fabs": "fabs",
        "rint": "rint",
        "round": "rint",
        "pow": "pow",
        "power": "pow",
    },
}
STOPPING = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
HELPERS = {
    "floor_div": """/* a // b, as Python has it */
static int floor_div(int a, int b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}""",
    "floor_mod": """/* a % b, with the sign of b */
static int floor_mod(int a, int b)
{
    const int r = a % b;
    return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}""",
    "whole": """/* a rounded number as an int */
static int whole(double x)
{
    assert(fabs(x) < 2147483648.0);
    return (int)x;
}""",
    "place": """/* where an index lies that may count from the end */
static int place(int index, int length)
{
    index += index < 0 ? length : 0;
    assert(0 <= index && index < length);
    return index;
}""",
    "modulo": """/* x % y, with the sign of y */
static double modulo(double x, double y)
{
    const double r = fmod(x, y);
    return r != 0.0 && (r < 0.0) != (y < 0.0) ? r + y : r;
}""",
    "floor_quotient": """/* x // y, as Python has it */
static double floor_quotient(double x, double y)
{
    const double r = fmod(x, y);
    return y == 0.0 ? x / y : rint((x - r) / y - (r != 0.0 && (r < 0.0) != (y < 0.0)));
}""",
    **{
        f"stopping_{name}": f"""/* a {symbol} b; FE_INVALID where a judgement is left to the caller */
static int stopping_{name}(double a, double b)
{{
    if (a == b || ((a == 0.0 || b == 0.0) && fabs(a - b) <= 1e-4)) {{
        feraiseexcept(FE_INVALID);
    }}
    return a {symbol} b;
}}"""
        for symbol, name in STOPPING.items()
    },
}
INDEX_NAMES: tuple[str, ...] = (*"ijklmpqr", *(f"{letter}_{n}" for n in range(1, 9) for letter in "ijklmpqr"))
RESERVED = KEYWORDS | frozenset(MATH.values()) | frozenset(HELPERS)


class CTerm(NamedTuple):
    """Part of an expression: its text, its precedence, and its type `double`, `int` or `truth`."""

    text: str
    binding: int = ATOM
    type: str = "double"

    def within(self, binding: int) -> str:
        """The text, in brackets if its precedence is lower than `binding`."""
        return self.text if self.binding >= binding else f"({self.text})"


def infix(symbol: str, left: CTerm, right: CTerm, binding: int, type_: str) -> CTerm:
    """Two terms with a left-associative operator."""
    other = right.within(binding + 1)
    other = f"({other})" if other.startswith("-") else other
    return CTerm(f"{left.within(binding)} {symbol} {other}", binding, type_)


def moved(term: CTerm, by: int) -> CTerm:
    """An integer plus a constant, evaluated if the integer is a literal."""
    if term.text.lstrip("-").isdigit():
        return number(int(term.text) + by)
    if by == 0:
        return term
    return infix("+" if by > 0 else "-", term, number(abs(by)), SUM, "int")


def number(value: float) -> CTerm:
    """A number in C syntax."""
    if isinstance(value, bool):
        return CTerm(str(int(value)), ATOM, "truth")
    if isinstance(value, int):
        small = abs(value) < 2**31
        return CTerm(str(value) if small else f"{value}.0", SIGN if value < 0 else ATOM, "int" if small else "double")
    if math.isnan(value):
        return CTerm("NAN")
    text = repr(float(value)).replace("inf", "INFINITY")
    return CTerm(text, SIGN if text.startswith("-") else ATOM)


def literal(value: Any) -> str:
    """A number, or the numbers of a list or an array, in C syntax."""
    if isinstance(value, (list, tuple, np.ndarray)):
        return "{" + ", ".join(map(literal, value)) + "}"
    return number(value.item() if isinstance(value, np.generic) else value).text
