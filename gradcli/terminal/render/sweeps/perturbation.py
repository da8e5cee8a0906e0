"""`gradcli explain --perturb`: a quantity is changed slightly, and the result compared with its sensitivity."""

from __future__ import annotations

from gradcli.shared.message_wording import clean
from gradcli.shared.records.explanations import Perturbation
from gradcli.terminal.render.layout.heading import heading, value
from gradcli.terminal.render.layout.numbers import aligned, exact, rough, short
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import PLUS_MINUS, RESULT, TITLE
from gradcli.terminal.render.layout.wrapped_text import prose
from gradcli.terminal.render.sweeps.aligned_sums import Headline, Listing
from gradcli.terminal.render.tapes.node_labels import place

LEGEND = (
    "slope: (result at + minus result at -) / (2 ε), which tends to the sensitivity as ε gets small, until rounding "
    "takes over. Everything after the quantity is computed again; nothing before it is."
)
ANOTHER_WAY = "A dash: there the program would take another path."


def view(record: Perturbation, look: Look) -> Stack:
    """The view of the test of a sensitivity."""
    headline = Headline("", place(record.file, record.line), clean(record.source or record.name), short(record.at))
    another_way = prose(ANOTHER_WAY, look.width) if any(push.slope is None for push in record.pushes) else []
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        *value(record.value, look),
        Listing([headline]),
        line("its sensitivity says ", (exact(record.sensitivity), RESULT)),
        line(),
        line((f"{record.name} {PLUS_MINUS} ε", TITLE)),
        sheet(record),
        *prose(LEGEND, look.width),
        *another_way,
    )


def sheet(record: Perturbation) -> Sheet:
    """A row per step, the largest first."""
    pushes = record.pushes
    distances = [None if push.slope is None else abs(push.slope - record.sensitivity) for push in pushes]
    return Sheet(
        Column("ε", [rough(push.step, 3) for push in pushes], right=True),
        Column("result at -", aligned([exact(push.less) for push in pushes]), rank=1),
        Column("result at +", aligned([exact(push.more) for push in pushes]), rank=1),
        Column("slope", aligned([exact(push.slope) for push in pushes]), RESULT),
        Column("off by", [rough(distance) for distance in distances], right=True),
    )
