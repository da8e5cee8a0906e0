"""What there is to say of a name: what it means, the lines of a function, and what can be asked about it."""

from __future__ import annotations

from gradcli import queries
from gradcli.queries.session_names import Workspace

MOST_LINES = 40  # of a function that is shown


def source(name: str, workspace: Workspace) -> str:
    """The lines of a Python function, the first ones of a long one; empty for other names."""
    lines = workspace.source(name).splitlines()
    more = len(lines) - MOST_LINES
    if more > 0:
        lines = [*lines[:MOST_LINES], f"… {more} more lines"]
    return "".join(f"{line}\n" for line in lines)


def asking(name: str, workspace: Workspace) -> str:
    """What can be typed about a name: nothing about a value."""
    if not workspace.means_function(name):
        return ""
    return f"grad {name}, tape {name}, explain {name}, symbolic {name} and check {name} ask about it.\n"


def of_language(name: str) -> str:
    """What a function of the formula language is called with; empty for other names."""
    signature = queries.functions().get(name)
    if signature is None:
        return ""
    return f"{name}{signature}: a function of formulas; `symbolic {name}{signature}` differentiates it.\n"
