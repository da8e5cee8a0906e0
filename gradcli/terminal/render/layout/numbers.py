"""Numbers and nested lists as text: exact where they may be copied, otherwise rounded to a known error."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from gradcli.shared.pytree import as_typed
from gradcli.shared.records.result_and_finding import ByName, Structure
from gradcli.terminal.render.layout.theme import ELLIPSIS, NOTHING, PLUS_MINUS, TIMES

SHOWN_IN_SHORT = 3
WHOLE_UP_TO = 6
MOST_IN_A_LINE = 100  # numbers of a structure that is written in full outside of a terminal
MOST_TIMES = 1000
LONGEST_ARRAY = 12  # characters of an array that is shown in full where there is little room
DIGITS = 6  # significant digits of numbers for reading


def exact(value: Any) -> str:
    """The shortest text that reads back as the same number; a dash for None."""
    if value is None:
        return NOTHING
    if isinstance(value, complex):
        return repr(value).strip("()")
    return repr(value) if isinstance(value, (bool, int, float)) else str(value)


def rough(value: float | None, digits: int = 2) -> str:
    """A number with few digits, for bounds and ratios."""
    return NOTHING if value is None else f"{value:.{digits}g}"


def within_error(value: float | None, error: float | None) -> str:
    """`value ± error`, with the error to two digits and the value to the same place."""
    if value is None:
        return NOTHING
    if error is None or not error > 0 or not (math.isfinite(value) and math.isfinite(error)):
        return exact(value) + (f" {PLUS_MINUS} {rough(error)}" if error is not None else "")
    from decimal import Decimal

    place = Decimal(error).adjusted() - 1
    rounded = round(Decimal(value), -place)
    if not rounded:
        return f"0 {PLUS_MINUS} {rough(error)}"
    if -17 <= place <= 0 and abs(value) < 1e16:
        return f"{rounded:f} {PLUS_MINUS} {rough(error)}"
    return f"{exact(value)} {PLUS_MINUS} {rough(error)}"


def share(part: float | None, whole: float | None) -> str:
    """The ratio of `part` to `whole` as text, such as 0.03, 41 or more than 1000 times."""
    if part is None or whole is None or not whole > 0 or not math.isfinite(part):
        return NOTHING
    ratio = part / whole
    if ratio == 0:
        return "0"
    if ratio < 0.01:
        return f"<0.01{TIMES}"
    if ratio < 10:
        texts = (f"{ratio:.{decimals}f}" for decimals in range(2, 17))  # as many decimals as tell it from 1
        return next(text for text in texts if ratio == 1 or float(text) != 1) + TIMES
    return (f"{ratio:.0f}" if ratio <= MOST_TIMES else f">{MOST_TIMES}") + TIMES


def components(name: str, structure: Structure) -> Iterator[tuple[str, Any]]:
    """Every number of `structure` with its name: `x`, `x[0]`, `w[2,1]`, `params.w[1]`."""
    if isinstance(structure, Mapping):
        for key, item in structure.items():
            yield from components(f"{name}.{key}", item)
    elif isinstance(structure, (list, tuple)):
        for place, item in entries(structure):
            yield from components(f"{name}[{place}]", item)
    else:
        yield name, structure


def entries(structure: Sequence[Structure], place: str = "") -> Iterator[tuple[str, Any]]:
    """Every number of nested lists with its indices: `0`, `2,1`."""
    for index, item in enumerate(structure):
        here = f"{place},{index}" if place else str(index)
        if isinstance(item, (list, tuple)):
            yield from entries(item, here)
        else:
            yield here, item


def by_component(by_name: ByName) -> Iterator[tuple[str, Any]]:
    """Every number of a point or a gradient with its name."""
    for name, structure in by_name.items():
        yield from components(name, structure)


def short(structure: Structure, form: Callable[[Any], str] = exact) -> str:
    """A structure in full if it is small, otherwise its first numbers and size: `[1.0, 2.0, 3.0, … 1000 numbers]`."""
    if not isinstance(structure, (list, tuple)) or count(structure) <= WHOLE_UP_TO:
        return as_typed(structure, form)
    first = [form(number) for _, number in islice(entries(structure), SHOWN_IN_SHORT)]
    depth = max(1, len(shape(structure)))
    return "[" * depth + ", ".join(first) + f", {ELLIPSIS} {size(structure)}" + "]" * depth


def rounded(value: Any, digits: int | None) -> str:
    """A number rounded to some digits, or in full if that is hardly longer."""
    if not isinstance(value, float):
        return exact(value)
    text = exact(value + 0.0)  # without the sign of a zero
    if digits is None or len(text) <= digits + 2:
        return text
    return min(f"{value:.{digits}g}", text, key=len)


def few(structure: Structure, digits: int | None = DIGITS) -> str:
    """A structure as from `short`, with numbers rounded for reading."""
    return short(structure, lambda number: rounded(number, digits))


def brief(structure: Structure) -> str:
    """A number to six digits; a long array by its size, a long mask by the number of its true elements."""
    text = few(structure)
    facts = [item for _, item in entries(structure)] if isinstance(structure, (list, tuple)) else []
    if len(text) > LONGEST_ARRAY and facts and all(isinstance(fact, bool) for fact in facts):
        return f"{sum(facts)} of {len(facts)} true"
    return size(structure) if isinstance(structure, (list, tuple)) and len(text) > LONGEST_ARRAY else text


def in_a_line(structure: Structure, terminal: bool) -> str:
    """A structure in one line: shortened on a terminal; elsewhere in full, unless it is very long."""
    return short(structure) if terminal or count(structure) > MOST_IN_A_LINE else as_typed(structure, exact)


def size(structure: Structure) -> str:
    """The size of an array by its shape: `1000 numbers`, `100 by 3 numbers`; a number itself."""
    if not isinstance(structure, (list, tuple, Mapping)):
        return exact(structure)
    lengths = shape(structure)
    numbers = TIMES.join(map(str, lengths)) if lengths else str(count(structure))
    return f"{numbers} number" + ("" if numbers == "1" else "s")


def count(structure: Structure) -> int:
    """The number of elements in `structure`."""
    if isinstance(structure, Mapping):
        return sum(map(count, structure.values()))
    return sum(map(count, structure)) if isinstance(structure, (list, tuple)) else 1


def shape(structure: Structure) -> tuple[int, ...]:
    """The shape of nested lists; empty for a number and for ragged lists."""
    if not isinstance(structure, (list, tuple)):
        return ()
    inner = {shape(item) for item in structure}
    if len(inner) > 1:
        return ()
    return (len(structure), *(inner.pop() if inner else ()))


def aligned(cells: Sequence[str]) -> list[str]:
    """The cells aligned at their decimal points, unless that makes them much wider."""
    heads = [head(cell) for cell in cells]
    left = max((len(part) for part in heads if part is not None), default=0)
    padded = [
        cell if part is None else " " * (left - len(part)) + cell for cell, part in zip(cells, heads, strict=True)
    ]
    widest, before = (max(map(len, texts), default=0) for texts in (padded, cells))
    return padded if widest <= before + 8 else list(cells)


def head(cell: str) -> str | None:
    """The part before the decimal point, the exponent or the end; None for a cell that is not a number."""
    number, _, _ = cell.partition(f" {PLUS_MINUS} ")
    digits = number.removeprefix("-")
    if not (digits[:1].isdecimal() or digits in {"nan", "inf"}) or " " in number:
        return None
    return number[: next((place for place, sign in enumerate(number) if sign in ".e"), len(number))]
