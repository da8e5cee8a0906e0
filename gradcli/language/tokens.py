"""The tokens of a formula, each with its columns, and the errors that need no grammar."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal

from gradcli.errors import ExpressionError
from gradcli.frozen_record import Frozen

MOST_CHARACTERS = 20_000
DEEPEST = 100

Kind = Literal["number", "name", "operator", "wrong", "end"]


class Token(Frozen):
    """One token: `text` as typed, except that names are normalised as in Python, and π is pi."""

    kind: Kind
    text: str
    start: int
    end: int


_DIGITS = r"[0-9](?:_?[0-9])*"


@cache
def _pattern() -> re.Pattern[str]:
    """The pattern of tokens, compiled on first use to keep start-up fast."""
    return re.compile(
        rf"""
          (?P<space>\s+)
        | (?P<number>0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+
            |(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?)
        | (?P<name>(?:\w|[^\x00-\x7f\s])+)
        | (?P<wrong>===|!==|<>|=>|=<|<<|>>|:=|->|&&|\|\|)
        | (?P<operator>\*\*|//|<=|>=|==|!=|[-+*/%^<>(),])
        | (?P<other>.)
        """,
        re.VERBOSE | re.DOTALL,
    )


_LOOKALIKES = {
    **dict.fromkeys("−–—‐‑﹣", "-"),  # noqa: RUF001 - lookalikes on purpose
    **dict.fromkeys("×·\u0387⋅∗•✕", "*"),  # noqa: RUF001 - lookalikes on purpose
    **dict.fromkeys("÷∕⁄", "/"),  # noqa: RUF001 - lookalikes on purpose
    **{"≤": "<=", "≥": ">=", "≠": "!=", "√": "sqrt(x)", "∞": "inf", "（": "(", "）": ")", "，": ","},  # noqa: RUF001 - lookalikes on purpose
    **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", (f"^{digit}" for digit in range(10)), strict=True)),
}


_DOTS = "\u00b7\u0387"


def tokenize(text: str) -> list[Token]:
    """The tokens of `text`, followed by one of kind `end`.

    Raises:
        ExpressionError: the text is empty, too long or too deeply nested, or contains a character or line break that
            formulas do not allow.
    """
    if len(text) > MOST_CHARACTERS:
        message = f"An expression of {len(text):,} characters is too long; at most {MOST_CHARACTERS:,} are read."
        raise ExpressionError(message, text, MOST_CHARACTERS, hint="Write it as a function in a file: file.py:f.")
    if not text.strip():
        raise ExpressionError("The expression is empty.", text, hint="Type one, such as 2*x + sin(y).")
    tokens = _words(text)
    last = tokens[-1].end
    return [*tokens, Token("end", "", last, last)]


def _words(text: str) -> list[Token]:
    tokens: list[Token] = []
    depth, line_break = 0, -1
    for found in _pattern().finditer(text):
        if found.lastgroup == "space":
            line_break = _line_break(found) if tokens and not depth else -1
            continue
        if line_break >= 0:
            message = "The expression continues on another line outside brackets."
            raise ExpressionError(message, text, line_break, hint="Type it on one line, or in brackets.")
        tokens.append(_token(found, text))
        depth = _depth(tokens[-1], depth, text)
    return tokens


def _line_break(space: re.Match[str]) -> int:
    return next((space.start() + i for i, c in enumerate(space[0]) if c in "\n\r"), -1)


def _depth(token: Token, depth: int, text: str) -> int:
    depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0)
    if depth > DEEPEST:
        raise too_deep(text, token.start)
    return depth


def too_deep(text: str, start: int) -> ExpressionError:
    """The error for a formula that is nested too deeply."""
    hint = "Split it up: write it as a function in a file, with a name for each part."
    return ExpressionError(f"The expression is nested deeper than {DEEPEST}.", text, start, hint=hint)


def _token(found: re.Match[str], text: str) -> Token:
    start, end = found.span()
    match found.lastgroup:
        case "name":
            return Token("name", _identifier(found[0], text, start), start, end)
        case "number" | "operator" | "wrong" as kind:
            return Token(kind, found[0], start, end)
        case _:
            _refuse_unprintable(found[0], text, start)
            return Token("wrong", found[0], start, end)


def _identifier(word: str, text: str, start: int) -> str:
    if word.isascii():
        return word
    if dot := next((sign for sign in word if sign in _DOTS), None):  # Python takes them for Catalan letters
        _refuse_character(dot, text, start + word.index(dot))
    if not word.isidentifier():
        bad = next(i for i in range(len(word)) if not word[: i + 1].isidentifier())
        _refuse_character(word[bad], text, start + bad)
    return spelled(word)


def spelled(name: str) -> str:
    """A name in Python's normal form, with pi for π."""
    plain = normalised(name)
    return "pi" if plain == "π" else plain


def normalised(name: str) -> str:
    """A name in Python's normal form (NFKC)."""
    if name.isascii():
        return name
    import unicodedata

    return unicodedata.normalize("NFKC", name)


def _refuse_character(character: str, text: str, start: int) -> None:
    _refuse_unprintable(character, text, start)
    typed = _LOOKALIKES.get(character)
    hint = f"Type {typed} instead." if typed else None
    raise ExpressionError(f"The character {character} has no meaning in a formula.", text, start, hint=hint)


def _refuse_unprintable(character: str, text: str, start: int) -> None:
    if not character.isprintable():
        message = f"The unprintable character U+{ord(character):04X} has no meaning in a formula."
        raise ExpressionError(message, text, start, hint="Delete it.")
