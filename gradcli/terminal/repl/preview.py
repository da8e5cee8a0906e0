"""The preview below the prompt: the value and the partial derivatives of the line being typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gradcli import queries
from gradcli.errors import UsageError
from gradcli.shared.records.derivatives import Gradient
from gradcli.terminal.render.layout.numbers import by_component
from gradcli.terminal.repl.input_lines import read

if TYPE_CHECKING:
    from gradcli.terminal.repl.session import Session

MOST_PARTIALS = 8
_UP_TO = re.compile(r" is at|[:;]")


def preview(text: str, session: Session) -> str:
    """The preview of a line, such as `= 8.18  ∂x 5.45  ∂y -3.75`; empty if there is none."""
    formula = formula_of(text, session)
    previewed = queries.preview(session.workspace, formula) if formula else None
    if isinstance(previewed, Gradient):
        return "  ".join((f"= {brief(previewed.value)}", *partials(previewed), *kinks(previewed)))
    return f"= {brief(previewed)}" if isinstance(previewed, float) else ""


def formula_of(text: str, session: Session) -> str:
    """The formula in an expression or a definition; empty for other lines."""
    try:
        line = read(text, session.commands)
    except UsageError:
        return ""
    if line.kind == "expression":
        return "" if session.workspace.means_function(line.text) else line.text
    return line.text.partition("=")[2].strip() if line.kind == "definition" else ""


def partials(record: Gradient) -> Iterator[str]:
    """The first partial derivatives, and the number of the others."""
    components = list(by_component(record.gradient))
    yield from (f"∂{name} {brief(number)}" for name, number in components[:MOST_PARTIALS])
    if len(components) > MOST_PARTIALS:
        yield f"… {len(components) - MOST_PARTIALS} more"


def kinks(record: Gradient) -> Iterator[str]:
    """The kink at the current point, if there is one; the partial derivatives are then a convention."""
    if record.findings:
        yield f"at a kink: {_UP_TO.split(record.findings[0].message)[0]}"


def brief(number: Any) -> str:
    """A number with six digits."""
    return f"{number:.6g}" if isinstance(number, float) else str(number)
