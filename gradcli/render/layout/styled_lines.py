"""What everything here returns: lines of styled pieces, which rich can print and which need no rich without colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from gradcli.record_base import Frozen

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

Piece = tuple[str, str]  # a text without line ends, and the name of its style
Line = Sequence[Piece]


class Drawing:
    """Something that draws itself as lines for a width; a renderable of rich."""

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """The lines, for so many columns, in signs of ASCII or not."""
        raise NotImplementedError

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Rich's way in: the lines as segments."""
        from rich.segment import Segment

        for line in self.lines(options.max_width, options.ascii_only):
            for text, style in line:
                yield Segment(text, console.get_style(style, default="") if style else None)
            yield Segment.line()


class Row(Frozen, Drawing):
    """One line, the same for every width: never broken, never cut."""

    pieces: Line = ()

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """The line itself."""
        yield self.pieces


class Stack(Drawing):
    """Drawings one below the other."""

    def __init__(self, *parts: Drawing) -> None:
        self.parts = parts

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """The lines of each part."""
        for part in self.parts:
            yield from part.lines(width, in_ascii)
