"""The program `gradcli`: its lazily imported commands, and the error for an unknown command."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from gradcli.errors import UsageError
from gradcli.terminal.cli.command_names import COMMANDS
from gradcli.terminal.cli.help_option import CommandWithHelp
from gradcli.terminal.cli.streams import write


class RootGroup(CommandWithHelp, click.Group):
    """A group that imports each command from the module of the same name when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"gradcli.terminal.cli.commands.{cmd_name}").command
        return command

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the program's own epilog; it has no examples and exit codes, as its commands have."""
        click.Command.format_epilog(self, ctx, formatter)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command named by the first word.

        Raises:
            UsageError: there is no such command.
        """
        word = args[0]
        if word not in COMMANDS and not word.startswith("--"):
            raise unknown(word)
        return super().resolve_command(ctx, args)


def unknown(word: str) -> UsageError:
    """The error for an unknown command; its hint names the nearest command, or a command for a bare target."""
    from gradcli.shared.message_wording import nearest_name

    shown = word if len(word) <= 60 else word[:57] + "..."
    near = nearest_name(word, COMMANDS)
    if near:
        hint = f"Did you mean `gradcli {near}`?"
    elif any(sign in word for sign in ":()*+-/^."):
        hint = f"A target needs a command before it: gradcli grad '{shown}' --at POINT"
    else:
        hint = f"The commands are {', '.join(COMMANDS)}; `gradcli help` describes them."
    return UsageError(f"There is no command {shown!r}.", hint=hint)


def print_version(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the version and exit, if --version was given."""
    if not asked or context.resilient_parsing:
        return
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("gradcli")
    except PackageNotFoundError:  # gradcli runs from a source tree
        number = "(not installed)"
    write(sys.stdout, f"gradcli {number}\n")
    context.exit()


HELP = """gradcli computes the gradient of a plain Python function or a typed expression, explains every step, and
checks the result against SymPy and finite differences.

\b
  gradcli grad 'x**2 + sin(y)' --at 1,2
  gradcli tape file.py:f --at 1,2,3,4
  gradcli check file.py:f --against file.py:grad_f --at 1,2,3,4
"""

EPILOG = "`gradcli help` lists the topics: targets, points, expressions, verdicts, conventions, exit-codes and more."


VERSION = click.option(
    "--version", "-V", is_flag=True, is_eager=True, expose_value=False, callback=print_version, help="Show the version."
)


@click.group(
    cls=RootGroup,
    invoke_without_command=True,
    context_settings={"max_content_width": 88},
    subcommand_metavar="COMMAND ...",
    options_metavar="",
    help=HELP,
    epilog=EPILOG,
)
@VERSION
@click.pass_context
def program(context: click.Context) -> int | None:
    """Run the program; without a command, start a session."""
    if context.invoked_subcommand is not None:
        return None
    from gradcli.terminal.cli.commands.repl import start

    return start(program)


def run(arguments: list[str]) -> int:
    """Parse the arguments, run the command and return the exit code."""
    try:
        with program.make_context("gradcli", arguments) as context:
            return int(program.invoke(context) or 0)
    except click.exceptions.Exit as ended:
        return ended.exit_code
