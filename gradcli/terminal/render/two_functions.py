"""`gradcli compare`: one row for the value and each derivative, and the verdict in words."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.shared.message_wording import clean
from gradcli.shared.records.component_blocks import top_rows
from gradcli.shared.records.function_comparisons import Agreement, ComparedNumber
from gradcli.terminal.render.check import more
from gradcli.terminal.render.layout.heading import heading
from gradcli.terminal.render.layout.numbers import aligned, exact, rough
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import BAD, DOT, DOUBT, GOOD, NAME, QUIET, RESULT
from gradcli.terminal.render.layout.wrapped_text import Sentence

STYLES = {"differ": BAD, "nonfinite": BAD, "inconclusive": DOUBT, "roundoff": DOUBT, "kink": DOUBT, "equal": GOOD}
"""The style of each verdict, worst first."""
TOLD = {
    "equal": "values and gradients are equal within rounding",
    "differ": "the functions differ",
    "inconclusive": "the difference may be rounding, or a convention at a kink",
    "nonfinite": "neither function has a finite value there",
}


def view(record: Agreement, look: Look, *, every: bool = False) -> Stack:
    """The view of a comparison of two functions: all rows if there are few or `every` is set, otherwise blocks too."""
    order = tuple(STYLES)
    worst_first = sorted(record.numbers, key=lambda row: row.name != "value" and 1 + order.index(row.verdict))
    rows = record.numbers if every else top_rows(worst_first)
    return Stack(
        *heading(record.target, record.reading, record.point, look, record.other),
        *([line(("this point was drawn at random", QUIET))] if record.drawn else []),
        line(),
        sheet(record, rows),
        *more(worst_first, len(rows), look, order=order),
        line(),
        Sentence(overall(record)),
    )


def sheet(record: Agreement, rows: Sequence[ComparedNumber]) -> Sheet:
    """One row for the value and each derivative: both functions' numbers and their distance."""
    return Sheet(
        Column("", [row.verdict for row in rows], [STYLES[row.verdict] for row in rows]),
        Column("number", [clean(title(row.name)) for row in rows], NAME),
        Column(clean(record.target), aligned([exact(row.first) for row in rows]), RESULT),
        Column(clean(record.other), aligned([exact(row.second) for row in rows]), RESULT),
        Column("ulps apart", [rough(row.ulps) for row in rows], right=True, rank=1),
        Column("allowed", [rough(row.tolerance) for row in rows], right=True, rank=2),
    )


def title(name: str) -> str:
    """The title of a row: the value, or a derivative."""
    return name if name == "value" else f"by {name}"


def overall(record: Agreement) -> Row:
    """The last line: `differ · the functions differ · at 3 of 21 points · exit 1`."""
    of = f"{record.differing} of {record.points}" if record.differing else f"{record.points}"
    counted = [f"at {of} point{'s' * (record.points != 1)}"] if record.points else []
    without = [f"{record.without_value} more without a value"] if record.without_value and record.points else []
    parts = "".join(f" {DOT} {part}" for part in (TOLD[record.verdict], *counted, *without, f"exit {int(record.exit)}"))
    return line((record.verdict, STYLES[record.verdict]), parts)
