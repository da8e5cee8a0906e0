"""An error: what came and what was needed, the place in the user's own text, what to type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.errors import GradcliError
from gradcli.render.text import line, lines
from gradcli.render.theme import ERROR, QUIET

if TYPE_CHECKING:
    from rich.console import Group


def view(error: GradcliError) -> Group:
    """An error as it is shown on stderr."""
    from rich.console import Group

    label = f"error[{error.code}]" if error.code else "error"
    first, *further = error.message.split("\n")
    return Group(
        line((f"{label}:", ERROR), " ", first),
        *lines(further),
        *lines(error.excerpt(), indent="  ", style=QUIET),
        *(lines(error.hint.split("\n")) if error.hint else []),
    )
