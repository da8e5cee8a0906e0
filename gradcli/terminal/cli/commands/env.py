"""`gradcli env`: versions, devices, terminal and files, for bug reports."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, TextIO

import click

from gradcli.terminal.cli.help_option import CommandWithHelp
from gradcli.terminal.cli.options import presentation

if TYPE_CHECKING:
    from gradcli.errors import Exit
    from gradcli.terminal.cli.output import Output


@click.command(
    "env",
    cls=CommandWithHelp,
    short_help="Show versions, devices, terminal and files, for bug reports.",
    examples=("gradcli env --json",),
)
@presentation()
@click.pass_context
def command(context: click.Context, /, output: Output) -> Exit:
    """Show the versions of Python and the libraries, the devices, the terminal's capabilities and the files in use."""
    from gradcli import queries
    from gradcli.terminal.repl.settings_file import history_path, settings_path

    stream = sys.stdout if context.obj is None else sys.__stdout__  # a session catches what a command prints
    files = {"history": history_path(), "settings": settings_path()}
    environment = output.of(queries.environment)
    return output.show(environment.changed(terminal=terminal(stream, output.width), files=files))


def terminal(stream: TextIO | None, width: int | None) -> dict[str, Any]:
    """The capabilities of a stream, and the environment variables that decide them."""
    from gradcli.terminal import render

    look = render.look_of(stream, width)
    return {
        "terminal": look.terminal,
        "width": look.width,
        "colours": look.coloured,
        "signs": look.unicode,
        "encoding": getattr(stream, "encoding", None),
        **{name: os.environ.get(name) for name in ("TERM", "COLUMNS", "NO_COLOR", "FORCE_COLOR")},
    }
