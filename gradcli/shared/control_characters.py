"""The user's text without control characters, which are written as escapes."""

from __future__ import annotations


def clean(text: str) -> str:
    """`text` with control characters written as escapes; line breaks are kept."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign == "\n" else written_out(sign) for sign in text)


def written_out(sign: str) -> str:
    """A control character as a Python escape; a tab as a space."""
    return " " if sign == "\t" else sign.encode("unicode_escape").decode("ascii")
