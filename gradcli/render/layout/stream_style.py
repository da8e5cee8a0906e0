"""How a stream wants its text: how wide, in colour or not, with which signs; and a drawing as that text."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import TextIO

from gradcli.record_base import Frozen
from gradcli.render.layout.styled_lines import Drawing
from gradcli.render.layout.theme import ASCII, STYLES

UNLIMITED = 1_000_000_000
DEFAULT_WIDTH = 80


class Look(Frozen):
    """What a stream can show.

    Args:
        width: columns; None where nothing limits a line, as in a pipe.
        coloured: whether styles are written.
        unicode: whether the stream can hold the signs of `theme`.
        terminal: whether a person watches: long lists are then shortened.
    """

    width: int | None = None
    coloured: bool = False
    unicode: bool = True
    terminal: bool = False


def look_of(stream: TextIO | None, width: int | None = None, environ: Mapping[str, str] = os.environ) -> Look:
    """The look of `stream`: `width` wins over COLUMNS, and COLUMNS over the size of the terminal."""
    terminal = is_terminal(stream)
    return Look(
        width=width or columns(environ) or (terminal_width(stream) if terminal else None),
        coloured=in_colour(terminal, environ),
        unicode=holds_signs(stream),
        terminal=terminal,
    )


def is_terminal(stream: TextIO | None) -> bool:
    """Whether a person watches `stream`; a closed or missing stream is no terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def columns(environ: Mapping[str, str]) -> int | None:
    """The width that COLUMNS asks for, if it is a positive number."""
    text = environ.get("COLUMNS", "")
    return int(text) or None if text.isdecimal() else None


def terminal_width(stream: TextIO | None) -> int:
    """The width of the terminal behind `stream`, 80 where it does not tell."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH if stream else DEFAULT_WIDTH
    except (OSError, ValueError):
        return DEFAULT_WIDTH


def in_colour(terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether to write styles: NO_COLOR forbids, FORCE_COLOR commands, else a terminal that is not dumb has them."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return terminal and environ.get("TERM") not in {"dumb", "unknown"}


def holds_signs(stream: TextIO | None) -> bool:
    """Whether the encoding of `stream` has the signs of `theme`."""
    try:
        "─…±×—·∂→≤".encode(getattr(stream, "encoding", None) or "utf-8")  # noqa: RUF001 - the signs themselves
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def as_text(drawing: Drawing, look: Look) -> str:
    """`drawing` as `look` asks, every line ended, none with spaces at its end."""
    text = coloured(drawing, look) if look.coloured else plain(drawing, look)
    return text if look.unicode else text.translate(ASCII)


def plain(drawing: Drawing, look: Look) -> str:
    """The text of a drawing, without its styles."""
    drawn = drawing.lines(look.width or UNLIMITED, not look.unicode)
    return "".join("".join(text for text, _ in line).rstrip(" ") + "\n" for line in drawn)


def coloured(drawing: Drawing, look: Look) -> str:
    """The text of a drawing with escape sequences for its styles."""
    from rich.console import Console
    from rich.theme import Theme

    paper = _Paper("utf-8" if look.unicode else "ascii")
    console = Console(
        file=paper,
        theme=Theme(STYLES, inherit=False),
        width=look.width or UNLIMITED,
        height=UNLIMITED,  # with a width alone, rich draws 80 columns where TERM is dumb
        force_terminal=True,
        color_system="standard",
        no_color=False,
        legacy_windows=False,
    )
    console.print(drawing, crop=False)
    return "".join(line.rstrip(" ") + "\n" for line in paper.getvalue().splitlines())


class _Paper(io.StringIO):
    """A text in memory that says which encoding it will be written in: rich asks the file for it."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding
