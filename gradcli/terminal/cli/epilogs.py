"""The end of each command's help: examples and the command's exit codes."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.errors import EXIT_MEANINGS
from gradcli.terminal.cli.help_option import CommandWithHelp

ALWAYS = "Any command may also exit with 70 (internal error) or 130 (Ctrl-C); see `gradcli help exit-codes`."


def closing(command: CommandWithHelp) -> str:
    """The examples and exit codes of a command, marked for click as preformatted text."""
    meanings = {**EXIT_MEANINGS, **command.meanings}
    codes = [f"{int(code)}  {meanings[code]}" for code in command.exits]
    return f"{block('Examples', command.examples)}\n\n{block('Exit codes', codes)}\n\n{ALWAYS}"


def block(title: str, lines: Iterable[str]) -> str:
    """A title and preformatted lines."""
    return "\n".join(["\b", f"{title}:", *(f"  {line}" for line in lines)])
