"""Sums one below the other, `s_b += t_cd * s_bcd   24.0 = 0.0 + 24.0`: names, terms and numbers each in a column.

No number is cut: where a line has no room beside a term, its numbers stand in the next line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.record_base import Frozen
from gradcli.records import Structure
from gradcli.render.layout.numbers import DIGITS, aligned, components, few, short
from gradcli.render.layout.styled_lines import Drawing, Line, Row
from gradcli.render.layout.table import width_of
from gradcli.render.layout.terminal_text import wrapped
from gradcli.render.layout.theme import NAME, OPERATION, QUIET, RESULT, TITLE
from gradcli.render.layout.wrapped_text import Sentence

LONGEST_ARRAYS = 48  # characters of the three arrays of a sum
CANCELLED = 1e-2  # what is left of a sum that is told with all digits


class Headline(Frozen):
    """A line of the user's, with its place before it and the values that it gave behind it; or a remark."""

    indent: str
    place: str
    text: str
    values: str = ""
    remark: str = ""

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """One line, or two where it is too long; the values only where there is room."""
        if self.remark:
            yield from ([(text, QUIET)] for text in wrapped(self.remark, width, self.indent))
            return
        place = self.place + "  " if self.place else ""
        room = width - width_of(self.indent + place + self.text)
        values = f"  → {self.values}" if self.values and room >= width_of(self.values) + 4 else ""
        if room >= 0 or not place:
            yield [(self.indent + place, QUIET), (self.text, TITLE), (values, QUIET)]
        else:
            yield [(self.indent + place, QUIET)]
            yield [(self.indent + self.text, TITLE)]


class Sum(Frozen):
    """One addition: `name += term`, and the numbers `after = before + amount`."""

    indent: str
    name: str
    term: str
    after: Structure
    before: Structure
    amount: Structure

    @property
    def numbers(self) -> tuple[str, str, str]:
        """After, before and amount, its sign left out; only what came out where nothing was there before.

        Of arrays only what came out, where the whole is long.  Where numbers cancel, all of their digits are shown.
        """
        digits = None if cancels(self) else DIGITS
        texts = few(self.after, digits), few(self.before, digits), few(self.amount, digits).removeprefix("-")
        is_array = isinstance(self.after, (list, tuple))
        is_first = all(number == 0 for _, number in components("", self.before))
        alone = is_first or (is_array and sum(map(len, texts)) > LONGEST_ARRAYS)
        return (texts[0], "", "") if alone else texts

    @property
    def sign(self) -> str:
        """How the amount is added."""
        return "-" if short(self.amount).startswith("-") else "+"


def cancels(part: Sum) -> bool:
    """Whether a sum loses so many digits that rounded numbers would not add up."""
    numbers = [part.after, part.before, part.amount]
    if not all(isinstance(number, float) for number in numbers):
        return False
    after, before, amount = map(abs, numbers)
    return bool(0 < after < CANCELLED * max(before, amount))


class Listing(Frozen, Drawing):
    """Headlines, sums and other lines; the numbers of all sums stand in one column, where they have room."""

    parts: Sequence[Row | Headline | Sum]

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """Every part, as wide as there is room."""
        sums = [part for part in self.parts if isinstance(part, Sum)]
        numbers = in_columns(sums)
        names = iter(names_of(self.parts))
        lefts = [
            width_of(each.indent + each.name.ljust(name) + PLUS + each.term)
            for each, name in zip(sums, names_of(self.parts), strict=True)
        ]
        widest = max(map(len, numbers), default=0) + len(GAP)
        room = min(max((left for left in lefts if left <= WIDEST), default=LEAST), width - widest)
        told = iter(numbers)
        for part in self.parts:
            if isinstance(part, Sum):
                yield from written(part, next(names), next(told), room, width)
            else:
                yield from part.lines(width, in_ascii)


PLUS = " += "
GAP = "  "
WIDEST = 44  # columns of `name += term`; numbers beside a longer one stand in the next line
LEAST = 10  # where there are not so many, all numbers stand in lines of their own


def names_of(parts: Sequence[Row | Headline | Sum]) -> list[int]:
    """For each sum how wide the names are that stand below the same headline."""
    blocks: list[list[Sum]] = [[]]
    for part in parts:
        if isinstance(part, Sum):
            blocks[-1].append(part)
        else:
            blocks.append([])
    return [
        width for block in blocks for width in [max((width_of(each.name) for each in block), default=0)] * len(block)
    ]


def in_columns(sums: Sequence[Sum]) -> list[str]:
    """The numbers of each sum, below those of the others."""
    columns = [aligned(column) for column in zip(*(each.numbers for each in sums), strict=True)] or [[], [], []]
    whole = [(a, b) for a, b in zip(columns[0], columns[1], strict=True) if b]
    left, right = (max((len(pair[n]) for pair in whole), default=0) for n in (0, 1))
    return [
        f"{a.ljust(left)} = {b.ljust(right)} {each.sign} {c}" if b else a
        for each, a, b, c in zip(sums, *columns, strict=True)
    ]


def written(part: Sum, name: int, numbers: str, room: int, width: int) -> Iterator[Line]:
    """One sum as a line, or as two where the term leaves no room for the numbers; long ones break between numbers."""
    head = [(part.indent + part.name.ljust(name), NAME), (PLUS, QUIET), (part.term, OPERATION)]
    left = sum(width_of(text) for text, _ in head)
    if left <= room:
        yield [*head, (" " * (room - left) + GAP, ""), (numbers, RESULT)]
    elif room >= LEAST:
        yield from Sentence(Row(head)).lines(width, False)
        yield [(" " * room + GAP, ""), (numbers, RESULT)]
    else:
        yield from Sentence(Row(head)).lines(width, False)
        for text in wrapped(" ".join(numbers.split()), width, part.indent + GAP):
            yield [(text, RESULT)]
