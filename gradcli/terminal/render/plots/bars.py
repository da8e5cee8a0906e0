"""`gradcli plot --bars`: sensitivities as bars from a common zero, negative ones to the left."""

from __future__ import annotations

import math
from collections.abc import Iterator

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import clean
from gradcli.shared.records.plots import Bars
from gradcli.terminal.render.layout.heading import heading, unshown
from gradcli.terminal.render.layout.numbers import aligned, exact
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Line, Stack, line
from gradcli.terminal.render.layout.theme import NAME, PLAIN, QUIET, RESULT
from gradcli.terminal.render.layout.wrapped_text import width_of

WIDEST = 80
ROWS_ON_A_TERMINAL = 40
BLOCK, ZERO = "█", "│"


def view(record: Bars, look: Look) -> Stack:
    """Bars as they are shown."""
    limit = ROWS_ON_A_TERMINAL if look.terminal else len(record.names)
    shown = record.changed(names=record.names[:limit], sizes=record.sizes[:limit])
    top = heading(record.target, record.reading, record.point, look)
    return Stack(*top, line(), line(("sensitivity", QUIET)), Chart(shown), *unshown(len(record.names) - limit))


class Chart(Frozen, Drawing):
    """A line for each bar."""

    bars: Bars

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        names, sizes = [clean(name) for name in self.bars.names], self.bars.sizes
        numbers = aligned([exact(size) for size in sizes])
        widest, longest = max(map(width_of, names), default=0), max(map(len, numbers), default=0)
        room = max(10, min(width, WIDEST) - widest - longest - 5)
        greatest = max((abs(size) for size in sizes if math.isfinite(size)), default=0.0) or 1.0
        below = any(size < 0 for size in sizes)
        half = room // 2 if below else room
        for name, number, size in zip(names, numbers, sizes, strict=True):
            length = round(half * abs(size) / greatest) if math.isfinite(size) else 0
            block, zero = ("#", "|") if in_ascii else (BLOCK, ZERO)
            left = f"{block * length if size < 0 else '':>{half if below else 0}}"
            right = block * length if size > 0 else ""
            gap = " " * (widest - width_of(name))
            yield [(name + gap, NAME), (f"  {number:<{longest}}  ", PLAIN), (left + zero + right, RESULT)]
