"""The width of text in columns, and text that wraps between words at the width of a terminal, but not in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import clean
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Piece, Row, lines
from gradcli.terminal.render.layout.theme import ELLIPSIS

INDENT = "  "


def width_of(text: str) -> int:
    """The width of `text` on a terminal, in columns."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def cut(text: str, longest: int) -> str:
    """A text, shortened with an ellipsis if it is too long."""
    if width_of(text) <= longest:
        return text
    return text[: max(0, longest - 1)].rstrip() + ELLIPSIS[: max(0, longest)]


class Sentence(Frozen, Drawing):
    """A row that wraps between words, with continuation lines indented; words are never split."""

    row: Row

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        if columns(self.row.pieces) <= width:
            yield self.row.pieces
            return
        whole = "".join(text for text, _ in self.row.pieces)
        indent = " " * (len(whole) - len(whole.lstrip(" ")))
        first, *further = words(self.row.pieces)
        line = [(indent, ""), *first]
        for word in further:
            if columns(line) + 1 + columns(word) > width:
                yield line
                line = [(indent + INDENT, ""), *word]
            else:
                line += [(" ", ""), *word]
        yield line


def columns(pieces: Iterable[Piece]) -> int:
    """The width of pieces, in columns."""
    return sum(width_of(text) for text, _ in pieces)


def words(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The pieces of each word, because the style may change within a word."""
    by_word: list[list[Piece]] = [[]]
    for text, style in pieces:
        first, *further = text.split(" ")
        by_word[-1].append((first, style))
        by_word += [[(word, style)] for word in further]
    return [[piece for piece in word if piece[0]] for word in by_word if any(text for text, _ in word)]


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


def prose(text: str, width: int | None, style: str = "") -> list[Row]:
    """Sentences as lines of at most `width` columns."""
    return lines(wrapped(clean(text), width), style=style)
