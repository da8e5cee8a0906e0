"""`gradcli precision`: the accurate digits, the steps that lose digits, and what to write instead."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.shared.message_wording import clean
from gradcli.shared.records.precision import DigitLoss, NumberAccuracy, Precision
from gradcli.terminal.render.layout.heading import after_a_line, heading, unshown
from gradcli.terminal.render.layout.numbers import aligned, exact, rough
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Row, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import NAME, NOTHING, OPERATION, PARTIAL, QUIET, RESULT, TITLE
from gradcli.terminal.render.layout.wrapped_text import prose
from gradcli.terminal.render.tapes.node_labels import handle, place

COMPONENTS_ON_A_TERMINAL = 20
NODES_ON_A_TERMINAL = 8
LEGEND = "loses: good digits that the result has less than the arguments. of: the part of its own rounding in the error"


def view(record: Precision, look: Look) -> Stack:
    """The view of the accuracy of a result."""
    components = record.gradient[:COMPONENTS_ON_A_TERMINAL] if look.terminal else record.gradient
    nodes = record.nodes[:NODES_ON_A_TERMINAL] if look.terminal else record.nodes
    title = line(("where digits are lost", TITLE))
    whole = "the value, and of the worst derivative" if record.worst else "the value"
    lost: list[Row | Sheet] = [
        line(), title, losses(nodes, record.worst), *prose(f"{LEGEND} of {whole}.", look.width, QUIET)
    ]  # fmt: skip
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        line(),
        numbers(record.value, components),
        *unshown(len(record.gradient) - len(components)),
        *(lost if nodes else []),
        *unshown(len(record.nodes) - len(nodes)),
        *rewrites(nodes, look),
    )


def numbers(value: NumberAccuracy, gradient: Sequence[NumberAccuracy]) -> Sheet:
    """The value and each derivative, with its accurate digits and error bound."""
    rows = [value, *gradient]
    names = ["value", *(f"{PARTIAL}/{PARTIAL}{clean(part.name)}" for part in gradient)]
    return Sheet(
        Column("", names, NAME),
        Column("computed", aligned([exact(row.value) for row in rows]), RESULT),
        Column("good digits", ["unknown" if row.is_unbounded else f"{row.digits:.1f}" for row in rows], right=True),
        Column("error up to", ["no bound" if row.is_unbounded else rough(row.error) for row in rows], right=True),
    )


def losses(nodes: Sequence[DigitLoss], worst: str | None) -> Sheet:
    """A row per node that loses digits, worst first."""
    of_worst = Column(f"of {PARTIAL}{clean(worst or '')}", [percent(node.of_gradient) for node in nodes], right=True)
    return Sheet(
        Column("node", [handle(node.index) for node in nodes], QUIET, right=True),
        Column("operation", [clean(node.expression) for node in nodes], OPERATION),
        Column("loses", [f"{node.lost:.1f}" if node.lost else NOTHING for node in nodes], right=True),
        Column("of value", [percent(node.of_value) for node in nodes], right=True),
        *([of_worst] if worst else []),
        Column("line", [clean(place(node.file, node.line)) for node in nodes], QUIET, rank=1),
        Column("source", [clean((node.source or "").strip()) for node in nodes], QUIET, rank=2),
    )


def percent(part: float) -> str:
    """A fraction of an error in percent; a dash if it is negligible."""
    return f"{100 * part:.0f} %" if part >= 0.005 else NOTHING


def rewrites(nodes: Sequence[DigitLoss], look: Look) -> list[Row]:
    """The suggested rewrites, where known."""
    lines: list[Row] = []
    for node in nodes:
        if node.rewrite:
            good = f", which is good to {node.rewritten:.0f} digits here" if node.rewritten is not None else ""
            lines += prose(f"in place of {clean(node.expression)} write {clean(node.rewrite)}{good}", look.width)
    return after_a_line(lines)
