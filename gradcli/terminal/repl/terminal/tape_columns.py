"""The columns of the tape on the screen: their widths, and numbers rounded to fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gradcli.shared.frozen_record import Frozen
from gradcli.terminal.render.layout.numbers import short, size
from gradcli.terminal.render.layout.theme import ELLIPSIS

GAPS = 8  # spaces between the columns, and the mark of the current row
LONGEST_ARRAY = 12  # characters of an array that is shown in full
LEAST_DIGITS, MOST_DIGITS = 3, 16  # significant digits of a number rounded to fit
LEAST_TEXT = 6  # characters of a truncated name or formula
EASY_NUMBER = 12  # characters of a number that is easy to read
WHOLE = 10**9

# The order in which columns get the room beyond their minimum.
WISHES = (
    ("name", LEAST_TEXT),
    ("formula", LEAST_TEXT),
    ("name", WHOLE),
    ("formula", WHOLE),
    ("value", EASY_NUMBER),
    ("sensitivity", EASY_NUMBER),
    ("value", WHOLE),
    ("sensitivity", WHOLE),
)


class NodeRow(NamedTuple):
    """The full content of one line of the tape; unknown numbers are None."""

    handle: str
    name: str
    value: Any
    sensitivity: Any
    formula: str


class Columns(Frozen):
    """The width of each column: number of the node, name, value, sensitivity and formula."""

    handle: int = 0
    name: int = 0
    value: int = 0
    sensitivity: int = 0
    formula: int = 0

    @property
    def total(self) -> int:
        """The total width, including gaps."""
        return self.handle + self.name + self.value + self.sensitivity + self.formula + GAPS

    def texts(self, row: NodeRow) -> list[str]:
        """A row fitted to the columns: text is truncated with a mark, numbers are rounded and never truncated."""
        texts = (
            row.handle,
            cut(row.name, self.name),
            fitted(row.value, self.value),
            fitted(row.sensitivity, self.sensitivity),
        )
        widths = (self.handle, self.name, self.value, self.sensitivity)
        return [*map(str.ljust, texts, widths), cut(row.formula, self.formula)]

    def titles(self) -> str:
        """The headings of the columns."""
        widths = (self.handle + 1, self.name, self.value, self.sensitivity, self.formula)
        first, *others = (cut(title, width).ljust(width) for title, width in zip(TITLES, widths, strict=True))
        return f"{first} {'  '.join(others)}".rstrip()


TITLES = NodeRow("", "name", "value", "sensitivity", "formula")


class Needs(NamedTuple):
    """The widths that a run needs in full, and those that its numbers need with three digits."""

    whole: Columns
    value: int
    sensitivity: int

    @property
    def least(self) -> int:
        """The minimum width at which all numbers and the start of each name and formula are readable."""
        texts = min(self.whole.name, LEAST_TEXT) + min(self.whole.formula, LEAST_TEXT)
        return self.whole.handle + texts + self.value + self.sensitivity + GAPS

    @property
    def readable(self) -> int:
        """The width at which names and formulas are whole, and numbers have a few digits."""
        numbers = min(max(self.value, EASY_NUMBER), self.whole.value)
        numbers += min(max(self.sensitivity, EASY_NUMBER), self.whole.sensitivity)
        return self.whole.handle + self.whole.name + self.whole.formula + numbers + GAPS

    def within(self, room: int, backwards: bool = False) -> Columns:
        """The columns for a width; number columns stay readable at any width.

        If two number columns do not fit, that of the other sweep is left out, and so is a formula that would be too
        short.
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
    """The widths for some rows, including sensitivities that occur only during the sweep."""
    handle, name, formula = 0, len(TITLES.name), len(TITLES.formula)
    value, sensitivity = (len(TITLES.value), 0), (len(TITLES.sensitivity), 0)
    for row in rows:
        handle, name, formula = max(handle, len(row.handle)), max(name, len(row.name)), max(formula, len(row.formula))
        value, sensitivity = wider(value, row.value), wider(sensitivity, row.sensitivity)
    for number in passing:
        sensitivity = wider(sensitivity, number)
    return Needs(Columns(handle, name, value[0], sensitivity[0], formula), value[1], sensitivity[1])


def wider(widths: tuple[int, int], number: Any) -> tuple[int, int]:
    """The full and the minimum width of a column, extended to hold another number."""
    whole = in_brief(number)
    return max(widths[0], len(whole)), max(widths[1], min(len(whole), len(rounded(number, LEAST_DIGITS))))


def fitted(number: Any, width: int) -> str:
    """A number within a width: in full, rounded to as many digits as fit, or `…`."""
    text = in_brief(number)
    digits = MOST_DIGITS
    while len(text) > width and digits >= LEAST_DIGITS:
        text, digits = rounded(number, digits), digits - 1
    return text if len(text) <= width else ELLIPSIS[:width]


def rounded(number: Any, digits: int) -> str:
    """A number rounded to significant digits; an array as its shape."""
    if number is None:
        return ""
    return f"{number:.{digits}g}" if isinstance(number, (int, float, complex)) else shape(number)


def in_brief(number: Any) -> str:
    """A number in full, a long array as its shape, such as `[4]`; empty for an unknown value."""
    text = "" if number is None else short(number)
    return text if not isinstance(number, (list, tuple)) or len(text) <= LONGEST_ARRAY else shape(number)


def shape(array: Sequence[Any]) -> str:
    """An array as its shape: `[4]`."""
    return f"[{size(array).rpartition(' ')[0]}]"


def cut(text: str, width: int) -> str:
    """A text truncated to a width, with a mark."""
    return text if len(text) <= width else text[: max(0, width - 1)] + ELLIPSIS[: max(0, width)]
