"""The preview below the prompt: the value and the partial derivatives of the line being typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gradcli import queries
from gradcli.errors import UsageError
from gradcli.queries.live_preview import WithoutValues
from gradcli.shared.records.derivatives import Gradient
from gradcli.terminal.render.layout.numbers import by_component
from gradcli.terminal.repl.input_lines import read
from gradcli.terminal.repl.line_hints import near_commands

if TYPE_CHECKING:
    from gradcli.terminal.repl.session import Session

MOST_PARTIALS = 8
_LAST = re.compile(r"[^\W\d]\w*\Z")
_UP_TO = re.compile(r" is at|[:;]")


def preview(text: str, session: Session) -> str:
    """The preview of a line, such as `= 8.18  ∂x 5.45  ∂y -3.75`; empty if there is none."""
    formula, is_function = formula_of(text, session)
    if not formula:
        return ""
    previewed = queries.preview(session.workspace, formula)
    if previewed is None:
        return ""
    if isinstance(previewed, Gradient):
        return "  ".join((f"= {brief(previewed.value)}", *partials(previewed), *kinks(previewed)))
    if isinstance(previewed, float):
        return f"= {brief(previewed)}"
    if isinstance(previewed, WithoutValues):
        return "" if is_function else previewed.advice(besides=begun(formula, session))
    of_file = getattr(previewed, "name", "")
    whence = "of a file" if of_file in session.workspace.sources else "in Python"
    return f"{of_file} is {whence}, which is not run while you type" if of_file else ""


def formula_of(text: str, session: Session) -> tuple[str, bool]:
    """The formula in an expression or a definition, empty for other lines, and whether it defines a function."""
    try:
        line = read(text, session.commands)
    except UsageError:
        return "", False
    if line.kind == "expression":
        return "" if session.workspace.means_function(line.text) else line.text, False
    head, _, formula = line.text.partition("=")
    return (formula.strip(), "(" in head) if line.kind == "definition" else ("", False)


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


def begun(formula: str, session: Session) -> str:
    """The last word of a formula if it may be the start of another word; otherwise empty."""
    last = _LAST.search(formula)
    word = last[0] if last else ""
    known = (*queries.prompt_functions(), *(definition.name for definition in session.workspace.known()))
    may_become = any(name.startswith(word) for name in known)
    return word if may_become or (formula == word and _may_be_command(word, session)) else ""


def _may_be_command(word: str, session: Session) -> bool:
    return any(command.startswith(word) for command in session.commands) or bool(near_commands(word, session.commands))


def brief(number: Any) -> str:
    """A number with six digits."""
    return f"{number:.6g}" if isinstance(number, float) else str(number)
