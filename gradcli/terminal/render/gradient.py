"""`gradcli grad`: the value, and one row per number of the point with its derivative."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from gradcli.terminal.render.layout.heading import heading, unshown, value
from gradcli.terminal.render.layout.numbers import aligned, by_component, count, exact
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Row, Stack
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import NAME, RESULT

if TYPE_CHECKING:
    from gradcli.shared.records.derivatives import Gradient
    from gradcli.shared.records.explanations import Explanation

ROWS_ON_A_TERMINAL = 40


def view(record: Gradient, look: Look) -> Stack:
    """The view of a gradient."""
    top = [*heading(record.target, record.reading, record.point, look), *value(record.value, look)]
    return Stack(*top, sheet(record, look), *rest(count(record.gradient), look))


def sheet(record: Gradient | Explanation, look: Look) -> Sheet:
    """One row per number: name, value at the point, and derivative."""
    rows = list(islice(by_component(record.gradient), ROWS_ON_A_TERMINAL if look.terminal else None))
    point = dict(by_component({name: record.point.get(name) for name in record.gradient}))
    return Sheet(
        Column("name", [name for name, _ in rows], NAME),
        Column("point", aligned([exact(point.get(name)) for name, _ in rows]), rank=1),
        Column("gradient", aligned([exact(number) for _, number in rows]), RESULT),
    )


def rest(rows: int, look: Look) -> list[Row]:
    """The line that counts the rows not shown on a terminal."""
    return unshown(rows - ROWS_ON_A_TERMINAL) if look.terminal else []
