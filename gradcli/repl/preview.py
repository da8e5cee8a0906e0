"""The line below the prompt: what the line being typed comes to; nothing where that is not known at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gradcli import queries
from gradcli.errors import UsageError
from gradcli.records import Gradient
from gradcli.render.numbers import by_component
from gradcli.repl.lines import read

if TYPE_CHECKING:
    from gradcli.repl.session import Session

MOST_PARTIALS = 8


def preview(text: str, session: Session) -> str:
    """`= 8.18  ∂x 5.45  ∂y -3.75`, or nothing."""
    formula = formula_of(text, session)
    if not formula:
        return ""
    found = queries.preview(session.workspace, formula)
    if found is None:
        return ""
    if isinstance(found, Gradient):
        return "  ".join((f"= {brief(found.value)}", *partials(found)))
    if isinstance(found, float):
        return f"= {brief(found)}"
    of_file = getattr(found, "name", "")
    whence = "of a file" if of_file in session.workspace.sources else "in Python"
    return f"{of_file} is {whence}, which is not run while you type" if of_file else ""


def formula_of(text: str, session: Session) -> str:
    """The formula in a line that is an expression or a definition; empty for other lines."""
    try:
        line = read(text, session.commands)
    except UsageError:
        return ""
    if line.kind == "expression":
        return "" if session.workspace.means_function(line.text) else line.text
    return line.text.partition("=")[2].strip() if line.kind == "definition" else ""


def partials(record: Gradient) -> Iterator[str]:
    """The first partials, and how many more there are."""
    found = list(by_component(record.gradient))
    yield from (f"∂{name} {brief(number)}" for name, number in found[:MOST_PARTIALS])
    if len(found) > MOST_PARTIALS:
        yield f"… {len(found) - MOST_PARTIALS} more"


def brief(number: Any) -> str:
    """A number to six digits."""
    return f"{number:.6g}" if isinstance(number, float) else str(number)
