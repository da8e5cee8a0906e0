"""Drawings: lines of styled pieces, printed by rich in colour and without rich otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import clean

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Piece = tuple[str, str]  # a text without line breaks, and the name of its style
Line = Sequence[Piece]


class Drawing:
    """An object that draws itself as lines of a given width; rich can render it."""

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        raise NotImplementedError

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """The lines as segments for rich."""
        from rich.segment import Segment

        for line in self.lines(options.max_width, options.ascii_only):
            for text, style in line:
                yield Segment(text, console.get_style(style, default="") if style else None)
            yield Segment.line()


class Row(Frozen, Drawing):
    """One line, which is neither wrapped nor truncated."""

    pieces: Line = ()

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        yield self.pieces


class Stack(Drawing):
    """Drawings below each other."""

    def __init__(self, *parts: Drawing) -> None:
        self.parts = parts

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        for part in self.parts:
            yield from part.lines(width, in_ascii)


def line(*pieces: str | Piece) -> Row:
    """One line of pieces with or without a style."""
    styled = [(piece, "") if isinstance(piece, str) else piece for piece in pieces]
    return Row([(clean(text).replace("\n", " "), style) for text, style in styled if text])


def lines(texts: Iterable[str], indent: str = "", style: str = "") -> list[Row]:
    """Lines in one style."""
    return [line((indent + text, style)) for text in texts]
