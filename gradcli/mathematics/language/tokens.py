"""The tokens of a formula, each with its columns, and the errors that need no grammar."""

from __future__ import annotations

import re
from collections.abc import Collection

from gradcli.errors import ExpressionError
from gradcli.shared.frozen_record import Frozen

MOST_CHARACTERS = 20_000
DEEPEST = 100


class Token(Frozen):
    """One token, of kind `number`, `name`, `operator`, `wrong` or `end`.

    `text` is as typed, except that names are normalised as in Python, and π is pi.
    """

    kind: str
    text: str
    start: int
    end: int


NAME = r"[^\W\d][\w\u0300-\u036f]*"  # letters may have accents of their own
_DIGITS = r"[0-9](?:_?[0-9])*"
_NUMBER = (
    r"0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+"
    rf"|(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?"
)
_DIGIT = frozenset("0123456789")
_GOES_ON = frozenset("._eExXbBoO")  # after digits: a number that needs the pattern, which takes long to compile

_SYMBOLS: dict[str, str] = {
    **dict.fromkeys(("===", "!==", "<>", "=>", "=<", "<<", ">>", ":=", "->", "&&", "||"), "wrong"),
    **dict.fromkeys(("**", "//", "<=", ">=", "==", "!=", *"-+*/%^<>(),@"), "operator"),
}
_LONGEST_SYMBOL = 3


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
    depth, line_break, at = 0, -1, 0
    while at < len(text):
        if (after := _after_space(text, at)) > at:
            line_break = _line_break(text, at, after) if tokens and not depth else -1
            at = after
            continue
        if line_break >= 0:
            message = "The expression continues on another line outside brackets."
            raise ExpressionError(message, text, line_break, hint="Type it on one line, or in brackets.")
        tokens.append(_token(text, at))
        depth = _depth(tokens[-1], depth, text)
        at = tokens[-1].end
    return tokens


def _after_space(text: str, at: int) -> int:
    while text[at : at + 1].isspace():
        at += 1
    return at


def _line_break(text: str, start: int, end: int) -> int:
    return next((at for at in range(start, end) if text[at] in "\n\r"), -1)


def _depth(token: Token, depth: int, text: str) -> int:
    depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.text, 0)
    if depth > DEEPEST:
        raise too_deep(text, token.start)
    return depth


def too_deep(text: str, start: int) -> ExpressionError:
    """The error for a formula that is nested too deeply."""
    hint = "Split it up: write it as a function in a file, with a name for each part."
    return ExpressionError(f"The expression is nested deeper than {DEEPEST}.", text, start, hint=hint)


def _token(text: str, start: int) -> Token:
    for length in range(_LONGEST_SYMBOL, 0, -1):
        symbol = text[start : start + length]
        if kind := _SYMBOLS.get(symbol):
            return Token(kind, symbol, start, start + len(symbol))
    if (end := _end_of_number(text, start)) > start:
        return Token("number", text[start:end], start, end)
    if (end := _end_of_name(text, start)) > start:
        return Token("name", _identifier(text[start:end], text, start), start, end)
    _refuse_unprintable(text[start], text, start)
    return Token("wrong", text[start], start, start + 1)


def _end_of_number(text: str, start: int) -> int:
    end = start
    while text[end : end + 1] in _DIGIT:
        end += 1
    if text[end : end + 1] not in _GOES_ON or (end == start and text[end] != "."):
        return end
    number = re.compile(_NUMBER).match(text, start)
    return number.end() if number else start


def _end_of_name(text: str, start: int) -> int:
    """The end of the letters, digits, underscores and other characters beyond ASCII, except spaces."""
    end = start
    while (sign := text[end : end + 1]).isalnum() or sign == "_" or (sign > "\x7f" and not sign.isspace()):
        end += 1
    return end


def _identifier(word: str, text: str, start: int) -> str:
    if word.isascii():
        return word
    if dot := next((sign for sign in word if sign in _DOTS), None):  # Python takes them for Catalan letters
        _refuse_character(dot, text, start + word.index(dot))
    if not word.isidentifier():
        bad = next(i for i in range(len(word)) if not word[: i + 1].isidentifier())
        _refuse_character(word[bad], text, start + bad)
    return normal_form(word)


def normal_form(name: str) -> str:
    """A name in Python's normal form, with pi for π."""
    plain = normalised(name)
    return "pi" if plain == "π" else plain


def meant(name: str, names: Collection[str]) -> str:
    """The one of `names` that `name` spells, as `pi` spells π; `name` itself if none does."""
    if name in names:
        return name
    return next((other for other in names if normal_form(other) == normal_form(name)), name)


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
