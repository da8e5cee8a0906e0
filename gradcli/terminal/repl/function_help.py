"""Descriptions of names: the source of a function, and the commands that apply to it."""

from __future__ import annotations

from gradcli import queries
from gradcli.queries.session_workspace import Workspace

MOST_LINES = 40  # lines shown of a function


def source(name: str, workspace: Workspace) -> str:
    """The source of a Python function, shortened if it is long; empty for other names."""
    lines = workspace.source(name).splitlines()
    more = len(lines) - MOST_LINES
    if more > 0:
        lines = [*lines[:MOST_LINES], f"… {more} more lines"]
    return "".join(f"{line}\n" for line in lines)


def applicable_commands(name: str, workspace: Workspace) -> str:
    """The commands that apply to a name; empty for a value."""
    if not workspace.means_function(name):
        return ""
    return f"grad {name}, tape {name}, explain {name}, symbolic {name} and check {name} apply to it.\n"


def of_language(name: str) -> str:
    """The signature of a function of the formula language; empty for other names."""
    signature = queries.prompt_functions().get(name)
    if signature is None:
        return ""
    if signature == "(...)":
        return f"{name}{signature}: an array function of NumPy or SciPy, with its arguments by position.\n"
    return f"{name}{signature}: a function of formulas; `symbolic {name}{signature}` differentiates it.\n"
