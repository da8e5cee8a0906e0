"""The columns of the tape on the screen: their widths, and numbers rounded to fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from gradcli.shared.frozen_record import Frozen
from gradcli.terminal.render.layout.numbers import short, size
from gradcli.terminal.render.layout.theme import ELLIPSIS
from gradcli.terminal.render.layout.wrapped_text import cut

GAPS = 8  # spaces between the columns, and the mark of the current row
NUMBER = 12  # characters of a number; a longer one is rounded
LONGEST_NAME = 24
LEAST_TEXT = 6  # characters of a truncated formula
LEAST_DIGITS, MOST_DIGITS = 3, 16  # significant digits of a number rounded to fit


class NodeRow(NamedTuple):
    """The full content of one line of the tape; unknown numbers are None."""

    handle: str
    name: str
    value: Any
    sensitivity: Any
    formula: str


TITLES = NodeRow("", "name", "value", "sensitivity", "formula")


class Columns(Frozen):
    """The width of each column: number of the node, name, value, sensitivity and formula."""

    handle: int
    name: int
    value: int
    sensitivity: int
    formula: int

    @property
    def total(self) -> int:
        return self.handle + self.name + self.value + self.sensitivity + self.formula + GAPS

    def within(self, room: int) -> Columns:
        """The columns for a width: the formula gives way, then the name; the columns of numbers stay."""
        formula = min(self.formula, room - self.total + self.formula)
        if formula >= min(LEAST_TEXT, self.formula):
            return self.changed(formula=formula)
        return self.changed(formula=0, name=max(0, min(self.name, room - self.total + self.formula + self.name)))

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
        widths = (self.handle + 1, self.name, self.value, self.sensitivity, self.formula)
        first, *others = (cut(title, width).ljust(width) for title, width in zip(TITLES, widths, strict=True))
        return f"{first} {'  '.join(others)}".rstrip()


def columns_of(rows: Iterable[NodeRow]) -> Columns:
    """The columns of some rows where there is room; sensitivities change during the sweep."""
    handle, name, value, formula = 0, len(TITLES.name), len(TITLES.value), len(TITLES.formula)
    for row in rows:
        handle, name, formula = max(handle, len(row.handle)), max(name, len(row.name)), max(formula, len(row.formula))
        value = max(value, len(in_brief(row.value)))
    return Columns(handle, min(name, LONGEST_NAME), min(value, NUMBER), NUMBER, formula)


def fitted(number: Any, width: int) -> str:
    """A number within a width: in full, rounded to as many digits as fit, or `…`."""
    text = in_brief(number)
    digits = MOST_DIGITS
    while len(text) > width and digits >= LEAST_DIGITS:
        text, digits = rounded(number, digits), digits - 1
    return text if len(text) <= width else ELLIPSIS[:width]


def rounded(number: Any, digits: int) -> str:
    """A number rounded to significant digits; an array as its shape."""
    return f"{number:.{digits}g}" if isinstance(number, (int, float, complex)) else shape(number)


def in_brief(number: Any) -> str:
    """A number in full, a long array as its shape, such as `[4]`; empty for an unknown value."""
    text = "" if number is None else short(number)
    return text if not isinstance(number, (list, tuple)) or len(text) <= NUMBER else shape(number)


def shape(array: Sequence[Any]) -> str:
    """An array as its shape: `[4]`."""
    return f"[{size(array).rpartition(' ')[0]}]"
