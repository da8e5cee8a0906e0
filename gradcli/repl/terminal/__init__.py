"""The prompt on a terminal: the only place that knows prompt_toolkit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.repl.session import Commands


def prompt(shell: Commands) -> int:
    """Ask for lines and answer them until the session is over; returns the exit code, which is 0."""
    from gradcli.repl.session import Session
    from gradcli.repl.terminal.prompt_loop import converse

    return converse(Session(shell))
