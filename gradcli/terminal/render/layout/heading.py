"""The first lines of every result: the target, the reading of an expression, the point by name, and the value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gradcli.shared.records.result_and_finding import ByName, Structure
from gradcli.terminal.render.layout.numbers import WHOLE_UP_TO, count, few, in_a_line, size
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Row, line
from gradcli.terminal.render.layout.theme import ELLIPSIS, NAME, QUIET, RESULT, TITLE

if TYPE_CHECKING:
    from gradcli.shared.records.plots import Plot  # a command that plots nothing need not import it

LONG = 160  # characters of a point on a terminal, or the width of a pipe: a longer one is rounded, arrays are sizes


def heading(target: str, reading: str | None, point: ByName, look: Look, against: str | None = None) -> list[Row]:
    """The target, the reading if it differs from the typed text, and the point."""
    first = line((target, TITLE), *([(" against ", QUIET), (against, TITLE)] if against else []))
    read = [line(("read as ", QUIET), reading)] if reading and reading != target else []
    return [first, *read, *([at(point, look)] if point else [])]


def at(point: ByName, look: Look, word: str = "at") -> Row:
    """The point by name, in the form in which it can be typed."""
    return line(*at_pieces(point, look, word))


def at_pieces(point: ByName, look: Look, word: str = "at") -> list[str | tuple[str, str]]:
    """The point by name, as pieces of a line."""
    values = [in_a_line(value, look.width is not None) for value in point.values()]
    if look.width and len(", ".join((word, *point, *values))) > (LONG if look.terminal else look.width):
        values = [size(value) if count(value) > WHOLE_UP_TO else few(value) for value in point.values()]
    pieces: list[str | tuple[str, str]] = [(f"{word} ", QUIET)]
    for number, (name, text) in enumerate(zip(point, values, strict=True)):
        pieces += [", " if number else "", (name, NAME), f"={text}"]
    return pieces


def value(structure: Structure, look: Look) -> list[Row]:
    """The value of the target, with empty lines around it."""
    return [line(), line(("value", QUIET), "  ", (in_a_line(structure, look.width is not None), RESULT)), line()]


def after_a_line(rows: Sequence[Row]) -> list[Row]:
    """Rows after an empty line, if there are any."""
    return [line(), *rows] if rows else []


def unshown(count: int) -> list[Row]:
    """The line that counts the rows not shown on a terminal, if there are any."""
    return [line((f"{ELLIPSIS} {count} more (a pipe or --json shows all)", QUIET))] if count > 0 else []


def fixed_inputs(record: Plot) -> str:
    """Which inputs do not vary: `fixed: y = 2.0, the rest of w`; empty where all do.

    Where the step varies, the point: `derivative along x at x = 3.0, y = 2.0`.
    """
    if record.logarithmic:
        point = ", ".join(f"{name} = {few(structure)}" for name, structure in record.point.items())
        return f"derivative along {record.along} at {point}"
    texts = [f"{name} = {few(structure)}" for name, structure in record.fixed.items()]
    if not record.scattered and record.direction is None and record.along not in record.point:
        texts.append(f"the rest of {record.along.partition('[')[0].partition('.')[0]}")
    return f"fixed: {', '.join(texts)}" if texts else ""
