"""`gradcli explain`: the user's lines, last to first with the terms that they add, or in order with `--forward`."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.shared.records.explanations import Explanation, ForwardSweep
from gradcli.terminal.render import gradient
from gradcli.terminal.render.layout.heading import after_a_line, at, heading, value
from gradcli.terminal.render.layout.numbers import count, exact, few, short
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Row, Stack, line
from gradcli.terminal.render.layout.theme import QUIET, RESULT, TITLE
from gradcli.terminal.render.layout.wrapped_text import prose
from gradcli.terminal.render.sweeps.opening_example import answer, example
from gradcli.terminal.render.sweeps.outline import Entry, Sweep, outline
from gradcli.terminal.render.sweeps.terminal_lines import explained, listing

OPENING = "backwards from the result, whose own sensitivity is 1"
FORWARD = "forwards from the inputs"


def view(record: Sweep, look: Look, expand: bool = False, form: str = "text", iteration: Sequence[int] = ()) -> Stack:
    """The view of a sweep; `expand` shows every iteration and call; `form` is text, md, latex or html."""
    if form != "text":
        return formatted(record, form, expand, iteration)
    entries = [*outline(record, expand, iteration)]
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        *([at(record.along, look, "along")] if isinstance(record, ForwardSweep) else []),
        *value(record.value, look),
        *prose(example(record), look.width),
        *prose(opening(record), look.width, TITLE),
        listing(entries),
        *legend(record, entries, look),
        line(),
        *outcome(record, look),
    )


def formatted(record: Sweep, form: str, expand: bool, iteration: Sequence[int]) -> Stack:
    """A sweep in a format other than text."""
    from gradcli.terminal.render.sweeps import html, markdown_latex

    page = {"md": markdown_latex.markdown, "latex": markdown_latex.latex, "html": html.page}[form]
    return page(record, expand, iteration)


def opening(record: Sweep) -> str:
    """The title of the listing."""
    if isinstance(record, ForwardSweep):
        return FORWARD if record.statements else "nothing moves the result in this direction"
    if not record.statements:
        return f"nothing that was computed leads from {record.of or 'the inputs'} to the result"
    return f"contributions to the sensitivity to {record.of}, backwards" if record.of else OPENING


def legend(record: Sweep, entries: Sequence[Entry], look: Look) -> list[Row]:
    """The explanation of notation in the entries that is neither the program's nor NumPy's."""
    return after_a_line([row for text in explained(record, entries) for row in prose(text, look.width, QUIET)])


def outcome(record: Sweep, look: Look) -> list[Drawing]:
    """What the sweep arrives at: the derivative along its direction, the one sensitivity asked for, or the gradient."""
    if isinstance(record, ForwardSweep):
        return [line("the derivative in this direction  ", (exact(record.derivative), RESULT))]
    if record.of:
        return of_one(record, look)
    sheet, rest = gradient.sheet(record, look), gradient.rest(count(record.gradient), look)
    return [line(("the gradient", TITLE)), sheet, *rest]


def of_one(record: Explanation, look: Look) -> list[Drawing]:
    """The requested sensitivity and its meaning."""
    (name, number), *_ = record.gradient.items()
    text = few(number) if isinstance(number, (list, tuple)) else short(number)
    return [*prose(f"{name} = {text}", look.width, TITLE), *prose(answer(record, number), look.width)]
