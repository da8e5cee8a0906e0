"""Help pages: a title, and parts that are prose, lines to type, terms with their meanings, or a small table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.shared.frozen_record import Frozen
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Row, Stack, line, lines
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import EXAMPLE, NAME, TITLE
from gradcli.terminal.render.layout.wrapped_text import Sentence, prose, width_of, wrapped

READABLE = 80  # the widest line of prose, in columns
INDENT = "  "


class Examples:
    """Lines to type, shown verbatim."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines


class Terms:
    """Terms with their meanings."""

    def __init__(self, *rows: tuple[str, str]) -> None:
        self.rows = rows


class Grid(Frozen):
    """A small table of words; the first column names the rows."""

    titles: Sequence[str]
    rows: Sequence[Sequence[str]]


Part = str | Examples | Terms | Grid


class Page:
    """One page of help."""

    def __init__(self, title: str, *parts: Part) -> None:
        self.title, self.parts = title, parts


def view(page: Page, look: Look) -> Stack:
    """A page as a drawing, with an empty line between its parts."""
    width = min(look.width or READABLE, READABLE)
    drawn: list[Drawing] = [Sentence(line((page.title, TITLE)))]
    for part in page.parts:
        drawn += [line(), *draw(part, width)]
    return Stack(*drawn)


def draw(part: Part, width: int) -> Iterator[Drawing]:
    """One part, as lines and tables."""
    match part:
        case Examples():
            yield from lines(part.lines, INDENT, EXAMPLE)
        case Terms():
            yield from terms(part, width)
        case Grid():
            columns = zip(part.titles, zip(*part.rows, strict=True), strict=True)
            styles = [NAME] + [""] * (len(part.titles) - 1)
            yield Sheet(*[Column(title, cells, style) for (title, cells), style in zip(columns, styles, strict=True)])
        case _:
            yield from prose(part, width)


def terms(part: Terms, width: int) -> Iterator[Row]:
    """The terms, with the meanings in a second column, or below the terms where the width is too small."""
    widest = max(width_of(term) for term, _ in part.rows)
    in_columns = widest <= width // 2
    indent = INDENT + " " * (widest + 2) if in_columns else INDENT * 2
    for term, meaning in part.rows:
        first, *further = wrapped(meaning, width, indent)
        if in_columns:
            yield line(INDENT, (term.ljust(widest), NAME), "  ", first.strip())
        else:
            yield from (line(INDENT, (term, NAME)), line(first))
        yield from lines(further)
