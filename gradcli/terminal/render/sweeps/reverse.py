"""`gradcli explain`: the user's lines, last to first, each followed by the terms that it adds."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.shared.records.explanations import Explanation
from gradcli.terminal.render import gradient
from gradcli.terminal.render.layout.heading import heading, value
from gradcli.terminal.render.layout.numbers import count, few, short
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Row, Stack, line
from gradcli.terminal.render.layout.theme import QUIET, TITLE
from gradcli.terminal.render.layout.wrapped_text import prose
from gradcli.terminal.render.sweeps.opening_example import answer, example
from gradcli.terminal.render.sweeps.outline import Entry, Sweep, outline
from gradcli.terminal.render.sweeps.terminal_lines import explained, listing

FORMATS = {"md": ("markdown_latex", "markdown"), "latex": ("markdown_latex", "latex"), "html": ("html", "page")}
"""The module and function of each format, imported on demand."""

OPENING = "backwards from the result, whose own sensitivity is 1"


def view(
    record: Explanation, look: Look, expand: bool = False, form: str = "text", iteration: Sequence[int] = ()
) -> Stack:
    """The view of an explanation; `expand` shows every iteration and call; `form` is text, md, latex or html."""
    if form != "text":
        return formatted(record, form, expand, iteration)
    entries = [*outline(record, expand, iteration)]
    return Stack(
        *heading(record.target, record.reading, record.point, look),
        *value(record.value, look),
        *prose(example(record), look.width),
        *prose(opening(record), look.width, TITLE),
        listing(entries),
        *legend(record, entries, look),
        line(),
        *(of_one(record, look) if record.of else of_all(record, look)),
    )


def formatted(record: Sweep, form: str, expand: bool, iteration: Sequence[int]) -> Stack:
    """A sweep in a format other than text."""
    from importlib import import_module

    module, function = FORMATS[form]
    drawn: Stack = getattr(import_module(f"gradcli.terminal.render.sweeps.{module}"), function)(
        record, expand, iteration
    )
    return drawn


def opening(record: Explanation) -> str:
    """The title of the listing."""
    if not record.statements:
        return f"nothing that was computed leads from {record.of or 'the inputs'} to the result"
    return f"contributions to the sensitivity to {record.of}, backwards" if record.of else OPENING


def legend(record: Sweep, entries: Sequence[Entry], look: Look) -> list[Row]:
    """The explanation of notation in the entries that is neither the program's nor NumPy's."""
    sentences = list(explained(record, entries))
    return [line(), *(row for text in sentences for row in prose(text, look.width, QUIET))] if sentences else []


def of_all(record: Explanation, look: Look) -> list[Drawing]:
    """The gradient at the end of the sweep."""
    sheet, rest = gradient.sheet(record, look), gradient.rest(count(record.gradient), look)
    return [line(("the gradient", TITLE)), sheet, *rest]


def of_one(record: Explanation, look: Look) -> list[Drawing]:
    """The requested sensitivity and its meaning."""
    (name, number), *_ = record.gradient.items()
    text = few(number) if isinstance(number, (list, tuple)) else short(number)
    return [*prose(f"{name} = {text}", look.width, TITLE), *prose(answer(record, number), look.width)]
