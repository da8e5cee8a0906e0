"""Sums aligned below each other, such as `s_b += t_cd * s_bcd   24.0 = 0.0 + 24.0`, in columns.

Numbers are never truncated: if a term leaves no room, its numbers go to the next line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import Structure
from gradcli.terminal.render.layout.numbers import DIGITS, aligned, components, few, short
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Row
from gradcli.terminal.render.layout.theme import NAME, OPERATION, QUIET, RESULT, TITLE
from gradcli.terminal.render.layout.wrapped_text import Sentence, width_of, wrapped

LONGEST_ARRAYS = 48  # characters of the three arrays of a sum
CANCELLED = 1e-2  # ratio below which a sum cancels and is shown with all digits


class Headline(Frozen):
    """A line of the user with its place and its values; or a remark."""

    indent: str
    place: str
    text: str
    values: str = ""
    remark: str = ""

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """One line, or two if it is too long; the values are shown only if there is room."""
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
    """One addition: `name += term`, with the numbers `after = before + amount`."""

    indent: str
    name: str
    term: str
    after: Structure
    before: Structure
    amount: Structure

    @property
    def numbers(self) -> tuple[str, str, str]:
        """After, before and the absolute amount; only `after` if the sum starts at zero.

        Long arrays show only `after`. If the numbers cancel, all digits are shown.
        """
        digits = None if cancels(self) else DIGITS
        texts = few(self.after, digits), few(self.before, digits), few(self.amount, digits).removeprefix("-")
        is_array = isinstance(self.after, (list, tuple))
        is_first = all(number == 0 for _, number in components("", self.before))
        alone = is_first or (is_array and sum(map(len, texts)) > LONGEST_ARRAYS)
        return (texts[0], "", "") if alone else texts

    @property
    def sign(self) -> str:
        return "-" if short(self.amount).startswith("-") else "+"


def cancels(part: Sum) -> bool:
    """Whether a sum cancels so much that rounded numbers would not add up."""
    numbers = [part.after, part.before, part.amount]
    if not all(isinstance(number, float) for number in numbers):
        return False
    after, before, amount = map(abs, numbers)
    return bool(0 < after < CANCELLED * max(before, amount))


class Listing(Frozen, Drawing):
    """Headlines, sums and other lines, with the numbers of all sums aligned if there is room."""

    parts: Sequence[Row | Headline | Sum]

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """The lines of every part."""
        sums = [part for part in self.parts if isinstance(part, Sum)]
        numbers = in_columns(sums)
        names = iter(names_of(self.parts))
        lefts = [
            width_of(sum_.indent + sum_.name.ljust(name) + PLUS + sum_.term)
            for sum_, name in zip(sums, names_of(self.parts), strict=True)
        ]
        widest = max(map(len, numbers), default=0) + len(GAP)
        room = min(max((left for left in lefts if left <= WIDEST), default=LEAST), width - widest)
        texts = iter(numbers)
        for part in self.parts:
            if isinstance(part, Sum):
                yield from written(part, next(names), next(texts), room, width)
            else:
                yield from part.lines(width, in_ascii)


PLUS = " += "
GAP = "  "
WIDEST = 44  # columns of `name += term`; the numbers of a longer one go to the next line
LEAST = 10  # columns; with fewer, all numbers go to lines of their own


def names_of(parts: Sequence[Row | Headline | Sum]) -> list[int]:
    """For each sum, the width of the names under the same headline."""
    blocks: list[list[Sum]] = [[]]
    for part in parts:
        if isinstance(part, Sum):
            blocks[-1].append(part)
        else:
            blocks.append([])
    return [
        width for block in blocks for width in [max((width_of(line.name) for line in block), default=0)] * len(block)
    ]


def in_columns(sums: Sequence[Sum]) -> list[str]:
    """The numbers of each sum, aligned with those of the others."""
    columns = [aligned(column) for column in zip(*(sum_.numbers for sum_ in sums), strict=True)] or [[], [], []]
    whole = [(a, b) for a, b in zip(columns[0], columns[1], strict=True) if b]
    left, right = (max((len(pair[n]) for pair in whole), default=0) for n in (0, 1))
    return [
        f"{a.ljust(left)} = {b.ljust(right)} {sum_.sign} {c}" if b else a
        for sum_, a, b, c in zip(sums, *columns, strict=True)
    ]


def written(part: Sum, name: int, numbers: str, room: int, width: int) -> Iterator[Line]:
    """A sum as one line, or as two if the term leaves no room; long ones wrap between numbers."""
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
