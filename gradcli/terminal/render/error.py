"""Errors: the message, the place in the user's source, and the hint."""

from __future__ import annotations

from gradcli.errors import GradcliError
from gradcli.terminal.render.layout.styled_lines import Stack, line, lines
from gradcli.terminal.render.layout.theme import ERROR, QUIET
from gradcli.terminal.render.layout.wrapped_text import Sentence


def view(error: GradcliError, before: str = "") -> Stack:
    """The view of an error on stderr, with a text such as `session.gradcli:3: ` before its message."""
    label = f"error[{error.code}]" if error.code else "error"
    first, *further = error.message.split("\n")
    return Stack(
        Sentence(line((f"{label}:", ERROR), f" {before}{first}")),
        *map(Sentence, lines(further)),
        *lines(error.excerpt(), indent="  ", style=QUIET),
        *(map(Sentence, lines(error.hint.split("\n"))) if error.hint else []),
    )
