"""Errors for Python syntax that formulas do not support, each with the text to type instead."""

from __future__ import annotations

import keyword
import re
from collections.abc import Container
from itertools import pairwise

from gradcli.errors import ExpressionError
from gradcli.mathematics.language import vocabulary
from gradcli.mathematics.language.tokens import Token

ATTRIBUTES = "Attributes are not allowed in formulas."
_OF_COMPLEX = {"real": "{} alone", "conj": "{} alone", "conjugate": "{} alone", "imag": "0"}
_IN_A_FILE = "A function in a file may have {}: grad file.py:f."
_INSTEAD = {
    "===": "==",
    "!==": "!=",
    "<>": "!=",
    "=>": ">=",
    "=<": "<=",
    "&&": "and",
    "||": "or",
    "&": "and",
    ":=": "==",
    "`": "the name alone",
}
_NO_PLACE = {
    "'": "Text in quotes is not allowed in formulas.",
    '"': "Text in quotes is not allowed in formulas.",
    "{": "Sets and dictionaries are not allowed in formulas.",
    "}": "No bracket { is open here, and formulas have none.",
    "]": "No bracket [ is open here, and formulas have none.",
    "<<": "Formulas have no shifts.",
    ">>": "Formulas have no shifts.",
    ":": "A colon is not allowed in formulas.",
    ";": "One expression at a time.",
    "#": "Comments are not allowed in formulas.",
}
_HINTS = {
    "<<": "Type x * 2^n.",
    ">>": "Type floor(x / 2^n).",
    ";": "Type the first alone.",
    **dict.fromkeys("'\"", "Names stand without quotes, and a comment follows #."),
    "{": 'Dictionaries are given with the point: p={"a": 1}.',
    ":": "For a choice type a if c else b.",
}


def unknown_symbol_error(token: Token, tokens: list[Token], index: int, text: str) -> ExpressionError:
    """The error for a symbol that is not in the language; `tokens[index]` is `token`."""
    before = tokens[index - 1] if index else None
    message, hint, end = _described(token, before, tokens[index + 1], text)
    return ExpressionError(message, text, token.start, end, hint=hint)


def _described(token: Token, before: Token | None, after: Token, text: str) -> tuple[str, str | None, int]:
    """The message, the hint, and the column where the carets end."""
    sign = token.text
    value_before = before is not None and (before.kind in ("name", "number") or before.text in (")", "]"))
    match sign:
        case "=":
            return *_equals(before, text), token.end
        case ".":
            owner = before.text if before is not None and before.kind == "name" else ""
            return (
                ATTRIBUTES,
                attribute_hint(owner, after.text),
                max(token.end, after.end if after.kind == "name" else 0),
            )
        case "[":
            return *_square_bracket(value_before), token.end
        case "!":
            return *_exclamation(before, value_before, text), token.end
        case "|":
            hint = "To join conditions type or." if value_before else "For the absolute value type abs(x)."
            return "The sign | is not allowed in formulas.", hint, token.end
        case "~":
            return "The sign ~ is not allowed in formulas.", "Type not.", token.end
    if sign in _INSTEAD:
        return f"The sign {sign} is not allowed in formulas.", f"Type {_INSTEAD[sign]}.", token.end
    return _NO_PLACE.get(sign, f"The sign {sign} is not allowed in formulas."), _HINTS.get(sign), token.end


def _equals(before: Token | None, text: str) -> tuple[str, str]:
    opened = before is not None and before.kind == "name" and text[: before.start].rstrip().endswith(("(", ","))
    if opened:
        return "Arguments go by position, not by name.", "Leave the name and = out; to compare, type ==."
    return "Formulas have no assignments.", "To compare, type ==."


def attribute_hint(owner: str, name: str) -> str:
    """What to type instead of the attribute `name` of `owner`, which is empty if it is no name."""
    if name in vocabulary.CONSTANTS:
        return f"Constants go by their plain names: type {name}."
    if vocabulary.canonical(name):
        argument = "…" if owner in vocabulary.MODULES else owner or "…"
        return f"Functions go by their plain names: type {name}({argument})."
    if name in _OF_COMPLEX and owner:
        return f"Numbers in formulas are real: type {_OF_COMPLEX[name].format(owner)}."
    return f"Type plain names, such as x or sin(x). {_IN_A_FILE.format('attributes')}"


def _square_bracket(value_before: bool) -> tuple[str, str]:
    if value_before:
        hint = f"Give the element a name of its own, such as x1. {_IN_A_FILE.format('subscripts')}"
        return "Subscripts are not allowed in formulas.", hint
    return "Lists are not allowed in formulas.", "For grouping type ( and ); vectors are given with the point."


def no_index(start: int, end: int, text: str) -> ExpressionError:
    """The error for a subscript at the prompt that is no whole number and no slice of such numbers."""
    hint = "Write other subscripts in a function: def f(x, n): return x[int(n)]."
    return ExpressionError("An index is a whole number or a slice, such as 0, -1 or 1:3.", text, start, end, hint=hint)


def _exclamation(before: Token | None, value_before: bool, text: str) -> tuple[str, str]:
    if value_before and before is not None and before.kind in ("name", "number"):
        return "Formulas have no factorial sign.", f"Type gamma({text[before.start : before.end]} + 1)."
    if value_before:
        return "Formulas have no factorial sign.", "Type gamma(… + 1)."
    return "The sign ! is not allowed in formulas.", "Type not."


def side_by_side(tokens: list[Token], index: int, text: str, functions: Container[str]) -> ExpressionError:
    """The error for two values without an operator between them, the second at `index`: `2x`, `2(x+1)`, `1j`."""
    before, token = tokens[index - 1], tokens[index]
    span = before.start, token.end
    if before.kind == "number" and token.text in ("j", "J") and before.end == token.start:
        hint = f"For a product type {before.text}*{token.text}."
        return ExpressionError("Formulas have no complex numbers.", text, *span, hint=hint)
    if token.kind == "number" and before.kind == "number":
        message = "An operator is missing between these two numbers."
        return ExpressionError(message, text, *span)
    if len(text) > 60 or not text.isprintable():
        part = f"{text[before.start : before.end][-20:]}*{text[token.start : token.end][:20]}"
    else:
        part = _with_products(tokens, text, functions)
    hint = f"Type {part}."
    return ExpressionError("An operator is missing between these.", text, *span, hint=hint)


def _with_products(tokens: list[Token], text: str, functions: Container[str]) -> str:
    """The text with `*` wherever two values stand side by side."""
    typed, at = "", 0
    for one, other in pairwise(tokens):
        calls = other.text == "(" and (one.text in functions or vocabulary.canonical(one.text))
        if _ends_value(one) and _begins_value(other) and not calls:
            typed, at = f"{typed}{text[at : one.end]}*", other.start
    return (typed + text[at:]).strip()


def _ends_value(token: Token) -> bool:
    return token.text in (")", "]") or _is_operand(token)


def _begins_value(token: Token) -> bool:
    return token.text == "(" or _is_operand(token)


def _is_operand(token: Token) -> bool:
    return token.kind == "number" or (token.kind == "name" and not keyword.iskeyword(token.text))


def misplaced_symbol_error(token: Token, tokens: list[Token], index: int, text: str) -> ExpressionError:
    """The error for a symbol of the language where a value was expected."""
    before = tokens[index - 1] if index else None
    if token.kind == "end":
        message = "The expression ends where a value is expected."
        return ExpressionError(message, text, token.start, hint="Type a value after the last operator.")
    if token.text in ("*", "**") and (before is None or before.text in ("(", ",")):
        message = "Starred arguments are not allowed in formulas."
        return ExpressionError(message, text, token.start, token.end, hint="Type every argument by itself.")
    if token.text == ")" and before is not None and before.text == "(":
        return ExpressionError("There is nothing in these brackets.", text, before.start, token.end)
    return ExpressionError(f"A value is expected before {token.text}.", text, token.start, token.end)


def comma(token: Token, before: Token, after: Token, text: str, opened: Token | None) -> ExpressionError:
    """The error for a comma outside a call; `opened` is the bracket around it where lists are allowed."""
    if opened is not None and (inside := re.match(r"\(([^()]+)\)", text[opened.start :])):
        hint = f"Type [{inside[1]}] for a list."
    elif before.kind == after.kind == "number" and before.text.isdecimal() and after.text.isdecimal():
        hint = f"For a decimal number type {before.text}.{after.text}."
    else:
        hint = "Type one expression; for a maximum, max(x, y)."
    return ExpressionError("A comma belongs between the arguments of a function.", text, token.start, hint=hint)
