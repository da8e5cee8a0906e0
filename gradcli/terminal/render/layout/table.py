"""Tables that never truncate a cell: numbers are rounded, texts wrapped or columns left out, and a line says which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import zip_longest

from gradcli.shared.frozen_record import Frozen
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Piece
from gradcli.terminal.render.layout.theme import ASCII, PLAIN, QUIET, RULE
from gradcli.terminal.render.layout.wrapped_text import width_of, wrapped

GAP = 2
EASY = 28  # characters in a line of a wrapped text for which other columns are left out
LEAST = 14  # characters in a line of a wrapped text, at least
INDENT = "  "  # of the further lines of a wrapped text


class Column(Frozen):
    """A column of a table.

    Args:
        title: its heading, also used in the line on omitted columns.
        cells: one text per row; line breaks are those of a wrapped column.
        style: one style for all cells, or one per cell.
        right: whether the cells are right-aligned.
        rank: the priority of omission: rank 0 is never left out, the highest rank first.
        brief: shorter cells, used if the full ones do not fit.
        wraps: whether the cells are wrapped if they do not fit.
    """

    title: str
    cells: Sequence[str]
    style: str | Sequence[str] = PLAIN
    right: bool = False
    rank: int = 0
    brief: Sequence[str] | None = None
    wraps: bool = False

    @cached_property
    def width(self) -> int:
        """The width of the widest cell or the title."""
        return max(
            width_of(self.title), max((width_of(part) for cell in self.cells for part in cell.split("\n")), default=0)
        )

    @property
    def least(self) -> int:
        """The width that the column needs if it may be wrapped."""
        return min(self.width, EASY) if self.wraps else self.width

    def style_of(self, row: int) -> str:
        return self.style if isinstance(self.style, str) else self.style[row]

    def in_ascii(self) -> Column:
        """The column in ASCII characters, those without a replacement escaped: the width counts what is written."""
        cells, brief = (list(map(_in_ascii, texts or ())) for texts in (self.cells, self.brief))
        return self.changed(title=_in_ascii(self.title), cells=cells, brief=brief if self.brief else None)

    def in_brief(self) -> Column:
        """The column with its brief cells, if it has any."""
        return self.changed(cells=self.brief, brief=None) if self.brief else self

    def within(self, width: int) -> Column:
        texts = (
            wrapped(cell, max(1, width - len(INDENT))) if width_of(cell) > width else [cell] for cell in self.cells
        )
        return self.changed(cells=[f"\n{INDENT}".join(text) for text in texts])

    def padded(self, text: str) -> str:
        space = " " * (self.width - width_of(text))
        return space + text if self.right else text + space


class Sheet(Drawing):
    """Columns of equal length, without empty ones; if not even rank 0 fits, each row is a block of lines.

    Args:
        columns: the columns.
        brief_as: what the brief cells show.
        brief_first: whether brief cells are used before any column is left out; otherwise only if rank 0 does not fit.
    """

    def __init__(self, *columns: Column, brief_as: str = "arrays by their size", brief_first: bool = True) -> None:
        self.columns, self.brief_as, self.brief_first = columns, brief_as, brief_first

    def fits(self, width: int) -> bool:
        return total_width(self.columns) <= width

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        columns = [column for column in self.columns if any(column.cells) or not column.cells]
        if in_ascii:
            columns = [column.in_ascii() for column in columns]
        needed = total_width(columns)
        least = needed if self.brief_first else total_width([column for column in columns if not column.rank])
        is_brief = least > width and any(column.brief for column in columns)
        shown = [column.in_brief() for column in columns] if is_brief else columns
        kept = fitting(shown, width)
        if total_width(kept) > width:
            yield from blocks(columns, width)
            return
        yield from table(kept)
        changed = [self.brief_as] if is_brief else []
        titles = {column.title for column in kept}
        left_out = ", ".join(column.title for column in shown if column.title not in titles)
        changed += [f"left out: {left_out}"] if left_out else []
        if changed:
            remark = f"at width {width} {'; '.join(changed)} (--width {needed} or a pipe shows all)"
            yield from ([(part, QUIET)] for part in wrapped(remark, width))


def _in_ascii(text: str) -> str:
    return text.translate(ASCII).encode("ascii", "backslashreplace").decode("ascii")


def total_width(columns: Sequence[Column]) -> int:
    """The total width of columns with the gaps between them."""
    return sum(column.width for column in columns) + GAP * (len(columns) - 1)


def fitting(columns: Sequence[Column], width: int) -> list[Column]:
    """The columns of rank 0, wrapped if they have to be, and of the others, in order of rank, those that still fit."""
    kept = [column for column in columns if not column.rank]
    for column in sorted(columns, key=lambda column: column.rank):
        if column.rank and sum(shown.least for shown in (*kept, column)) + GAP * len(kept) <= width:
            kept.append(column)
    shown = [column for column in columns if column in kept]
    room = width - total_width([column for column in shown if not column.wraps]) - GAP * sum(x.wraps for x in shown)
    return [column.within(room) if column.wraps and column.width > room >= LEAST else column for column in shown]


def table(columns: Sequence[Column]) -> Iterator[Line]:
    """A line of titles, a rule under each, and one line per row."""
    yield spaced([(column.padded(column.title), QUIET) for column in columns])
    yield spaced([(RULE * column.width, QUIET) for column in columns])
    for row in range(len(columns[0].cells)):
        for texts in zip_longest(*(column.cells[row].split("\n") for column in columns), fillvalue=""):
            styled = zip(columns, texts, strict=True)
            yield spaced([(column.padded(text), column.style_of(row)) for column, text in styled])


def spaced(pieces: Sequence[Piece]) -> Line:
    """One line of padded pieces, without trailing spaces."""
    *others, (last, style) = pieces
    gaps = [("", PLAIN), *[(" " * GAP, PLAIN)] * len(others)]
    return [piece for pair in zip(gaps, [*others, (last.rstrip(" "), style)], strict=True) for piece in pair]


def blocks(columns: Sequence[Column], width: int) -> Iterator[Line]:
    """Every row as lines of `title  cell`, wrapped between words, with an empty line between rows."""
    titles = max(width_of(column.title) for column in columns)
    room = width - titles - GAP
    for row in range(len(columns[0].cells)):
        if row:
            yield []
        for column in columns:
            gap = " " * (titles - width_of(column.title) + GAP)
            first, *further = wrapped(column.cells[row].strip(" "), room if room >= LEAST else None)
            if first:
                yield [(column.title + gap, QUIET), (first, column.style_of(row))]
                yield from ([(" " * (titles + GAP) + part, column.style_of(row))] for part in further)
