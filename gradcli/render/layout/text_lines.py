"""Lines of text for a terminal: styled, indented, or wrapped between words."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.render.layout.control_characters import clean
from gradcli.render.layout.styled_lines import Piece, Row


def line(*pieces: str | Piece) -> Row:
    """One line of pieces with or without a style."""
    styled = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
    return Row([(clean(text).replace("\n", " "), style) for text, style in styled if text])


def lines(texts: Iterable[str], indent: str = "", style: str = "") -> list[Row]:
    """Lines in one style."""
    return [line((indent + text, style)) for text in texts]


def wrapped(text: str, width: int | None, indent: str = "") -> list[str]:
    """`text` wrapped between words and indented; not wrapped without a width."""
    if not width:
        return [indent + part for part in text.split("\n")]
    import textwrap

    wrapper = textwrap.TextWrapper(
        max(width, len(indent) + 1),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [piece for part in text.split("\n") for piece in wrapper.wrap(part) or [""]]


def prose(text: str, width: int | None, style: str = "", indent: str = "") -> list[Row]:
    """Sentences as lines of at most `width` columns."""
    return lines(wrapped(clean(text), width, indent), style=style)
