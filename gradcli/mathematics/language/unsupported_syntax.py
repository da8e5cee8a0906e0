"""Errors for Python syntax that formulas do not support, each with the text to type instead."""

from __future__ import annotations

import keyword
from collections.abc import Container
from itertools import pairwise

from gradcli.errors import ExpressionError
from gradcli.mathematics.language import vocabulary
from gradcli.mathematics.language.tokens import Token

_NO_TEXT = "Text in quotes is not allowed in formulas.", "Names stand without quotes, and a comment follows #."
_REFUSED: dict[str, tuple[str, str | None]] = {
    "=": ("Formulas have no assignments, and no arguments by name.", "To compare, type ==."),
    ".": ("Attributes are not allowed in formulas.", "A function in a file may have attributes: grad file.py:f."),
    "[": ("Subscripts and lists are not allowed in formulas.", "A function in a file may have them: grad file.py:f."),
    "{": ("Sets and dictionaries are not allowed in formulas.", 'They are given with the point: p={"a": 1}.'),
    ":": ("A colon is not allowed in formulas.", "For a choice type a if c else b."),
    ";": ("One expression at a time.", "Type the first alone."),
    "#": ("Comments are not allowed in formulas.", None),
    "'": _NO_TEXT,
    '"': _NO_TEXT,
}
"""The message and the hint for signs that have a meaning in Python."""
_HINTS = {
    "|": "Type abs(x) for the absolute value, or to join conditions.",
    "!": "Type gamma(x + 1) for the factorial, not for the negation.",
    "&": "Type and.",
    "&&": "Type and.",
    "||": "Type or.",
    "~": "Type not.",
    "<>": "Type !=.",
    ":=": "Type ==.",
    "===": "Type ==.",
    "=>": "Type >=.",
    "=<": "Type <=.",
}
"""The hints for signs that are typed in another way here."""


def unknown_symbol_error(token: Token, tokens: list[Token], index: int, text: str) -> ExpressionError:
    """The error for a symbol that is not in the language; `tokens[index]` is `token`."""
    message, hint = _REFUSED.get(
        token.text, (f"The sign {token.text} is not allowed in formulas.", _HINTS.get(token.text))
    )
    after, end = tokens[index + 1], token.end
    if token.text == "." and after.kind == "name":
        hint, end = _plain_name(after.text) or hint, after.end
    return ExpressionError(message, text, token.start, end, hint=hint)


def _plain_name(name: str) -> str | None:
    """What to type instead of a constant or a function of a module."""
    if name in vocabulary.CONSTANTS:
        return f"Constants go by their plain names: type {name}."
    return f"Functions go by their plain names: type {name}(…)." if vocabulary.canonical(name) else None


def no_index(start: int, end: int, text: str) -> ExpressionError:
    """The error for a subscript at the prompt that is no whole number and no slice of such numbers."""
    hint = "Write other subscripts in a function: def f(x, n): return x[int(n)]."
    return ExpressionError("An index is a whole number or a slice, such as 0, -1 or 1:3.", text, start, end, hint=hint)


def side_by_side(tokens: list[Token], index: int, text: str, functions: Container[str]) -> ExpressionError:
    """The error for two values without an operator between them, the second at `index`: `2x`, `2(x+1)`, `1j`."""
    before, token = tokens[index - 1], tokens[index]
    hint = None
    if len(text) <= 60 and text.isprintable() and not (before.kind == token.kind == "number"):
        hint = f"Type {_with_products(tokens, text, functions)}."
    return ExpressionError("An operator is missing between these.", text, before.start, token.end, hint=hint)


def _with_products(tokens: list[Token], text: str, functions: Container[str]) -> str:
    """The text with `*` wherever two values stand side by side."""
    typed, at = "", 0
    for one, other in pairwise(tokens):
        calls = other.text == "(" and (one.text in functions or vocabulary.canonical(one.text))
        ends_value = one.text in (")", "]") or _is_operand(one)
        if ends_value and (other.text == "(" or _is_operand(other)) and not calls:
            typed, at = f"{typed}{text[at : one.end]}*", other.start
    return (typed + text[at:]).strip()


def _is_operand(token: Token) -> bool:
    return token.kind == "number" or (token.kind == "name" and not keyword.iskeyword(token.text))


def misplaced_symbol_error(token: Token, tokens: list[Token], index: int, text: str) -> ExpressionError:
    """The error for a symbol of the language where a value was expected."""
    before = tokens[index - 1] if index else None
    if token.kind == "end":
        message = "The expression ends where a value is expected."
        return ExpressionError(message, text, token.start, hint="Type a value after the last operator.")
    if token.text == ")" and before is not None and before.text == "(":
        return ExpressionError("There is nothing in these brackets.", text, before.start, token.end)
    return ExpressionError(f"A value is expected before {token.text}.", text, token.start, token.end)


def comma(token: Token, text: str) -> ExpressionError:
    """The error for a comma outside a call."""
    hint = "Type one expression; a decimal point is 1.5, and a maximum max(x, y)."
    return ExpressionError("A comma belongs between the arguments of a function.", text, token.start, hint=hint)
