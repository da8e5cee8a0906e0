"""`gradcli watch`: a gradient compared with the previous one, with changed rows marked; a check as it is now."""

from __future__ import annotations

from typing import cast

from gradcli.shared.message_wording import clean
from gradcli.shared.records.checks import Comparison
from gradcli.shared.records.derivatives import Gradient
from gradcli.shared.records.result_and_finding import Result
from gradcli.terminal.render import check
from gradcli.terminal.render.gradient import sheet
from gradcli.terminal.render.layout.numbers import aligned, by_component, exact
from gradcli.terminal.render.layout.stream_style import Look
from gradcli.terminal.render.layout.styled_lines import Drawing, Stack, line
from gradcli.terminal.render.layout.table import Column, Sheet
from gradcli.terminal.render.layout.theme import QUIET, RESULT, TITLE, WARNING

MARK = "*"
UNCHANGED = line(("nothing has changed", QUIET))


def view(before: Result, after: Result, saved: str, look: Look) -> Stack:
    """The changes after a file was saved.

    Args:
        before, after: the gradients, or the checks, before and after the change.
        saved: the names of the files.
        look: the look of the stream.
    """
    changes: list[Drawing] = [UNCHANGED]
    if isinstance(before, Gradient) and isinstance(after, Gradient):
        changes = what_changed(before, after, look)
    elif before != after:
        changes = [check.view(cast("Comparison", after), look)]
    return Stack(line(), line((clean(saved), TITLE), " saved"), *changes)


def what_changed(before: Gradient, after: Gradient, look: Look) -> list[Drawing]:
    """The value, and every row with its previous number."""
    old, new = dict(by_component(before.gradient)), dict(by_component(after.gradient))
    earlier_value, value = exact(before.value), exact(after.value)
    names = list(new)
    if value == earlier_value and list(old) == names and not any(changed(old, new, name) for name in names):
        return [UNCHANGED]
    was = [] if value == earlier_value else [(f"  was {earlier_value}", QUIET)]
    drawn = sheet(after, look)
    shown = names[: len(drawn.columns[0].cells)]
    marks = Column("", [MARK if changed(old, new, name) else "" for name in shown], WARNING)
    earlier = aligned([exact(old.get(name)) for name in shown])
    previous = [text if changed(old, new, name) else "" for name, text in zip(shown, earlier, strict=True)]
    first = line(("value", QUIET), "  ", (value, RESULT), *was)
    return [first, line(), Sheet(marks, *drawn.columns, Column("before", previous, QUIET))]


def changed(old: dict[str, float], new: dict[str, float], name: str) -> bool:
    """Whether a row is new or its number changed; nan equals nan."""
    return exact(old.get(name)) != exact(new[name])
