"""The prompt in a terminal; only this package uses prompt_toolkit."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gradcli.terminal.repl.answers import Commands


def prompt(shell: Commands) -> int:
    """Run the prompt until the session ends, and return the exit code, which is 0."""
    from gradcli.terminal.repl.session import Session
    from gradcli.terminal.repl.terminal.prompt_loop import converse

    return converse(Session(shell))
