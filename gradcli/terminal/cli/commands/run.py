"""`gradcli run`: a saved session script, run from the shell."""

from __future__ import annotations

import click

from gradcli.terminal.cli.help_option import ALL_EXITS, CommandWithHelp
from gradcli.terminal.cli.options import target_argument


@click.command(
    "run",
    cls=CommandWithHelp,
    short_help="Run a saved session script.",
    examples=("gradcli run session.gradcli",),
    exits=ALL_EXITS,
)
@target_argument("script", metavar="FILE")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each answer.")
@click.pass_context
def command(context: click.Context, script: str, as_json: bool) -> int:
    """Run the lines of FILE up to the first error; the exit code is the first one that is not 0.

    A script is a program: its lines can define functions, import modules and run code from files. Run only scripts
    that you trust.
    """
    from gradcli.terminal.cli.commands.repl import answer_all, program_of
    from gradcli.terminal.repl.input_blocks import read_lines

    return answer_all(read_lines(script), program_of(context), to_the_end=False, as_json=as_json)
