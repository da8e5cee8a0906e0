"""`gradcli grad --cost`: the time of the gradient beside the function and differences."""

from __future__ import annotations

from gradcli.shared.records.derivatives import GradientCost
from gradcli.terminal.render.layout.heading import heading
from gradcli.terminal.render.layout.numbers import rough
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import NAME, NOTHING, QUIET, RESULT
from gradcli.terminal.render.layout.wrapped_text import prose

UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))
BOUND = (
    "A reverse sweep takes at most about 8 times the operations of the function, however many inputs there are "
    "(Speelpenning, 1980); differences take a call per input and one more."
)


def view(record: GradientCost, look: Look) -> Stack:
    """The view of the cost of a gradient."""
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        line(),
        Sheet(
            Column("", [cost.name for cost in record.costs], NAME),
            Column("a call", [duration(cost.seconds) for cost in record.costs], right=True),
            Column("times the function", [rough(cost.ratio, 3) for cost in record.costs], RESULT, right=True),
            Column("beats differences from", [_inputs(cost.break_even) for cost in record.costs], right=True),
        ),
        line(),
        *(prose(f"not compiled: {record.eager}", look.width) if record.eager else []),
        *prose(BOUND, look.width, QUIET),
    )


def duration(seconds: float) -> str:
    """A time in the largest unit of which it has at least one."""
    unit, size = next((unit for unit in UNITS if seconds >= unit[1]), UNITS[-1])
    return f"{rough(seconds / size, 3)} {unit}"


def _inputs(count: int | None) -> str:
    return NOTHING if count is None else f"{count} input{'s' * (count != 1)}"
