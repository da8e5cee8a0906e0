"""Limits on constants: literals and powers that are too large are refused before anything computes them."""

from __future__ import annotations

import math

from gradcli.errors import ExpressionError
from gradcli.mathematics.language.tokens import Token
from gradcli.shared.frozen_record import Frozen

MOST_DIGITS = 300
MOST_POWER_DIGITS = 1000
LARGEST_EXACT = 2**53

GROWING = frozenset({"pow", "square", "gamma", "exp2"})
"""Functions whose exact results may have very many digits."""


class Magnitude(Frozen):
    """The size of a constant, known without computing it: its value in float64 and its decimal logarithm."""

    value: float
    digits: float


def literal(token: Token, text: str) -> int | float:
    """The value of a numeric literal.

    Raises:
        ExpressionError: it is too large for a float, or an integer with leading zeros.
    """
    digits = token.text.replace("_", "")
    if not digits.isdecimal():
        return _float_or_based(digits, token, text)
    if len(digits.lstrip("0")) > MOST_DIGITS:
        raise _too_large(token, text)
    if digits.startswith("0") and int(digits):
        hint = f"Type {int(digits)}."
        raise ExpressionError("Integers have no leading zeros.", text, token.start, token.end, hint=hint)
    return int(digits)


def _float_or_based(digits: str, token: Token, text: str) -> int | float:
    based = digits[:2].lower() in ("0x", "0b", "0o")
    if based and len(digits) == 2:
        raise ExpressionError(f"{token.text} has no digits.", text, token.start, token.end)
    value = int(digits, 0) if based else float(digits)
    if value >= 10**MOST_DIGITS if based else math.isinf(value):
        raise _too_large(token, text)
    return value


def _too_large(token: Token, text: str) -> ExpressionError:
    message = "This number is too large: floats end near 1.8e308, integers here at 300 digits."
    return ExpressionError(message, text, token.start, token.end, hint="For infinity type inf.")


def as_computed(value: int | float) -> int | float:
    """The number that a program computes with: an integer above 2**53 in float64, as NumPy's have 64 bits at most."""
    return float(value) if value > LARGEST_EXACT else value


def size_of(value: int | float) -> Magnitude:
    """The size of a literal's value."""
    return Magnitude(float(value), math.log10(value) if value else -math.inf)


def combined(function: str, sizes: list[Magnitude | None]) -> Magnitude | None:
    """The size of a function of constants; None if an argument is not constant or the result is not finite."""
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return None
    from gradcli.mathematics.language.float_functions import IEEE

    if function not in IEEE:
        return None
    value = float(IEEE[function](*(size.value for size in known)))
    if math.isfinite(value) and value != 0:
        return Magnitude(value, math.log10(abs(value)))
    digits = _digits(function, known)
    return None if math.isnan(digits) else Magnitude(value, digits)


def _digits(function: str, sizes: list[Magnitude]) -> float:
    """The decimal logarithm of a magnitude that float64 cannot hold, or nan if there is none."""
    first, last = sizes[0], sizes[-1]
    match function:
        case "pow":
            if math.isinf(first.digits):
                return math.nan
            return last.value * first.digits if first.digits else 0.0
        case "square":
            return 2 * first.digits
        case "gamma":
            return _lgamma(first.value) / math.log(10) if first.value > 1 else math.nan
        case "exp2":
            return first.value * math.log10(2)
        case "mul":
            return first.digits + last.digits
        case "div":
            return first.digits - last.digits if last.digits > -math.inf else math.nan
        case "add" | "sub":
            return max(first.digits, last.digits) + 1
        case "neg" | "pos" | "abs":
            return first.digits
    return math.nan


def _lgamma(x: float) -> float:
    from gradcli.mathematics.language.float_functions import IEEE

    return float(IEEE["lgamma"](x))


def refuse_giant(function: str, size: Magnitude | None, text: str, start: int, end: int) -> None:
    """Refuse a constant of more than a thousand digits.

    Raises:
        ExpressionError: the constant in columns `start` to `end` is too large.
    """
    if function in GROWING and size is not None and size.digits > MOST_POWER_DIGITS:
        message = f"This constant has over {MOST_POWER_DIGITS:,} digits; floats end near 1.8e308."
        raise ExpressionError(message, text, start, end, hint="For infinity type inf.")
