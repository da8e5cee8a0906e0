"""`gradcli explain --forward`: the user's lines in order, each followed by the terms of its tangent."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.shared.records.explanations import ForwardSweep
from gradcli.terminal.render.layout.heading import at, heading, value
from gradcli.terminal.render.layout.numbers import exact
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Stack, line
from gradcli.terminal.render.layout.theme import RESULT, TITLE
from gradcli.terminal.render.layout.wrapped_text import prose
from gradcli.terminal.render.sweeps.opening_example import example
from gradcli.terminal.render.sweeps.outline import outline
from gradcli.terminal.render.sweeps.reverse import formatted, legend
from gradcli.terminal.render.sweeps.terminal_lines import listing

OPENING = "forwards from the inputs"


def view(
    record: ForwardSweep, look: Look, expand: bool = False, form: str = "text", iteration: Sequence[int] = ()
) -> Stack:
    """The view of a forward sweep; `expand` shows every iteration and call; `form` is text, md, latex or html."""
    if form != "text":
        return formatted(record, form, expand, iteration)
    entries = [*outline(record, expand, iteration)]
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        at(record.along, look, "along"),
        *value(record.value, look),
        *prose(example(record), look.width),
        line((OPENING if record.statements else "nothing moves the result in this direction", TITLE)),
        listing(entries),
        *legend(record, entries, look),
        line(),
        line("the derivative in this direction  ", (exact(record.derivative), RESULT)),
    )
