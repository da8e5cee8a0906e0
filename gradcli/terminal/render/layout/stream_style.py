"""The look of a stream: its width, colours and characters; and drawings as text for it."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from typing import TextIO

from gradcli.shared.frozen_record import Frozen
from gradcli.terminal.render.layout.styled_lines import Drawing
from gradcli.terminal.render.layout.theme import ASCII, STYLES

UNLIMITED = 1_000_000_000
DEFAULT_WIDTH = 80


class Look(Frozen):
    """The capabilities of a stream.

    Args:
        width: the width in columns; None for unlimited, as in a pipe.
        coloured: whether to write styles.
        unicode: whether the stream can encode the symbols of `theme`.
        terminal: whether the stream is a terminal, on which long lists are shortened.
    """

    width: int | None = None
    coloured: bool = False
    unicode: bool = True
    terminal: bool = False


def look_of(stream: TextIO | None, width: int | None = None, environ: Mapping[str, str] = os.environ) -> Look:
    """The look of `stream`; the width comes from `width`, COLUMNS or the terminal, in this order."""
    terminal = is_terminal(stream)
    return Look(
        width=width or columns(environ) or (terminal_width(stream) if terminal else None),
        coloured=in_colour(terminal, environ),
        unicode=holds_signs(stream),
        terminal=terminal,
    )


def is_terminal(stream: TextIO | None) -> bool:
    """Whether `stream` is a terminal; False for a closed or missing stream."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def columns(environ: Mapping[str, str]) -> int | None:
    """The width in COLUMNS, if it is a positive integer."""
    text = environ.get("COLUMNS", "")
    return int(text) or None if text.isdecimal() else None


def terminal_width(stream: TextIO | None) -> int:
    """The width of the terminal behind `stream`; 80 if unknown."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or DEFAULT_WIDTH if stream else DEFAULT_WIDTH
    except (OSError, ValueError):
        return DEFAULT_WIDTH


def in_colour(terminal: bool, environ: Mapping[str, str]) -> bool:
    """Whether to write styles: never with NO_COLOR, always with FORCE_COLOR, otherwise on capable terminals."""
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in {"", "0"}:
        return True
    return terminal and environ.get("TERM") not in {"dumb", "unknown"}


def holds_signs(stream: TextIO | None) -> bool:
    """Whether the encoding of `stream` includes the symbols of `theme`."""
    try:
        "─…±×—·∂→≤".encode(getattr(stream, "encoding", None) or "utf-8")  # noqa: RUF001 - the signs themselves
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def as_text(drawing: Drawing, look: Look) -> str:
    """`drawing` as text for a look, without trailing spaces."""
    text = coloured(drawing, look) if look.coloured else plain(drawing, look)
    return text if look.unicode else text.translate(ASCII)


def plain(drawing: Drawing, look: Look) -> str:
    """The text of a drawing without styles."""
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
        height=UNLIMITED,  # given a width only, rich draws 80 columns if TERM is dumb
        force_terminal=True,
        color_system="standard",
        no_color=False,
        legacy_windows=False,
    )
    console.print(drawing, crop=False)
    return "".join(line.rstrip(" ") + "\n" for line in paper.getvalue().splitlines())


class _Paper(io.StringIO):
    """A text buffer that reports the encoding of the target stream to rich."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding
