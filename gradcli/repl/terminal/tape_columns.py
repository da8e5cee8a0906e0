"""The columns of the tape on the screen: what each needs, what the screen has for it, and numbers that fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gradcli.record_base import Frozen
from gradcli.render.layout.numbers import short, size
from gradcli.render.layout.theme import ELLIPSIS

GAPS = 8  # spaces between the columns, and the sign at the current row
LONGEST_ARRAY = 12  # characters of an array that is written out
LEAST_DIGITS, MOST_DIGITS = 3, 16  # significant digits of a number that is rounded to fit
LEAST_TEXT = 6  # characters of a name or a formula that is cut
EASY_NUMBER = 12  # characters of a number beyond which a formula has more need of them
WHOLE = 10**9

# What the room beyond the least goes to, in turn.
WISHES = (
    ("name", LEAST_TEXT),
    ("formula", LEAST_TEXT),
    ("value", EASY_NUMBER),
    ("sensitivity", EASY_NUMBER),
    ("name", WHOLE),
    ("formula", WHOLE),
    ("value", WHOLE),
    ("sensitivity", WHOLE),
)


class NodeRow(NamedTuple):
    """What one line of the tape would show if there were room; a number that is not known is None."""

    handle: str
    name: str
    value: Any
    sensitivity: Any
    formula: str


class Columns(Frozen):
    """Characters of each column: the node's number, its name, its value, its sensitivity, its formula."""

    handle: int = 0
    name: int = 0
    value: int = 0
    sensitivity: int = 0
    formula: int = 0

    @property
    def total(self) -> int:
        """What they take with the gaps between them."""
        return self.handle + self.name + self.value + self.sensitivity + self.formula + GAPS

    def texts(self, row: NodeRow) -> list[str]:
        """A row in these columns: text is cut with a mark, a number is rounded and never cut."""
        texts = (
            row.handle,
            cut(row.name, self.name),
            fitted(row.value, self.value),
            fitted(row.sensitivity, self.sensitivity),
        )
        widths = (self.handle, self.name, self.value, self.sensitivity)
        return [*map(str.ljust, texts, widths), cut(row.formula, self.formula)]

    def titles(self) -> str:
        """What the columns are, spaced as a row is."""
        widths = (self.handle + 1, self.name, self.value, self.sensitivity, self.formula)
        first, *others = (cut(title, width).ljust(width) for title, width in zip(TITLES, widths, strict=True))
        return f"{first} {'  '.join(others)}".rstrip()


TITLES = NodeRow("", "name", "value", "sensitivity", "formula")


class Needs(NamedTuple):
    """What the columns of a run take when nothing is shortened, and what its numbers take to three digits."""

    whole: Columns
    value: int
    sensitivity: int

    @property
    def least(self) -> int:
        """The characters in which every number can be read, beside the first of the names and the formulas."""
        texts = min(self.whole.name, LEAST_TEXT) + min(self.whole.formula, LEAST_TEXT)
        return self.whole.handle + texts + self.value + self.sensitivity + GAPS

    def within(self, room: int, backwards: bool = False) -> Columns:
        """The columns that fit in so many characters; those of the numbers can be read whatever the room.

        Where two columns of numbers do not fit, that of the other sweep is left out, and a formula of which too little
        would be left.
        """
        widths = {"name": 0, "value": self.value, "sensitivity": self.sensitivity, "formula": 0}
        left = room - GAPS - self.whole.handle - sum(widths.values())
        if left < 0:
            other = "value" if backwards else "sensitivity"
            left, widths[other] = left + widths[other], 0
        shown = [wish for wish in WISHES if wish[0] not in ("value", "sensitivity") or widths[wish[0]]]
        for column, wish in shown:
            whole = getattr(self.whole, column)
            more = max(0, min(left, min(wish, whole) - widths[column]))
            if column == "formula" and more + widths[column] < min(LEAST_TEXT, whole):
                continue
            widths[column] += more
            left -= more
        return Columns(self.whole.handle, **widths)


def needs_of(rows: Iterable[NodeRow], passing: Iterable[Any] = ()) -> Needs:
    """What some rows need, the sensitivities that are only passed through on the way among them."""
    handle, name, formula = 0, len(TITLES.name), len(TITLES.formula)
    value, sensitivity = (len(TITLES.value), 0), (len(TITLES.sensitivity), 0)
    for row in rows:
        handle, name, formula = max(handle, len(row.handle)), max(name, len(row.name)), max(formula, len(row.formula))
        value, sensitivity = wider(value, row.value), wider(sensitivity, row.sensitivity)
    for number in passing:
        sensitivity = wider(sensitivity, number)
    return Needs(Columns(handle, name, value[0], sensitivity[0], formula), value[1], sensitivity[1])


def wider(widths: tuple[int, int], number: Any) -> tuple[int, int]:
    """The widths, whole and least, of a column that has to hold a number too."""
    whole = in_brief(number)
    return max(widths[0], len(whole)), max(widths[1], min(len(whole), len(rounded(number, LEAST_DIGITS))))


def fitted(number: Any, width: int) -> str:
    """A number in so many characters: whole, or to as many significant digits as fit, or not at all: `…`."""
    text = in_brief(number)
    digits = MOST_DIGITS
    while len(text) > width and digits >= LEAST_DIGITS:
        text, digits = rounded(number, digits), digits - 1
    return text if len(text) <= width else ELLIPSIS[:width]


def rounded(number: Any, digits: int) -> str:
    """A number to so many significant digits; an array by its shape."""
    if number is None:
        return ""
    return f"{number:.{digits}g}" if isinstance(number, (int, float, complex)) else shape(number)


def in_brief(number: Any) -> str:
    """A number whole; an array by its shape where it is long: `[4]`; nothing for what is not known."""
    text = "" if number is None else short(number)
    return text if not isinstance(number, (list, tuple)) or len(text) <= LONGEST_ARRAY else shape(number)


def shape(array: Sequence[Any]) -> str:
    """An array by its lengths alone: `[4]`."""
    return f"[{size(array).rpartition(' ')[0]}]"


def cut(text: str, width: int) -> str:
    """A text in so many characters, with a mark where something is left out."""
    return text if len(text) <= width else text[: max(0, width - 1)] + ELLIPSIS[: max(0, width)]
