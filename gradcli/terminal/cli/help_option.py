"""The help of every command: its option --help, and the examples and exit codes at its end.

Click's own option would load translations at every start.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import click

from gradcli.errors import EXIT_MEANINGS, Exit
from gradcli.terminal.cli.streams import write

ANSWERING = (Exit.PASS, Exit.USAGE, Exit.NOT_FINITE, Exit.USER_CODE)
DRAWING = (Exit.PASS, Exit.USAGE, Exit.USER_CODE)
TALKING = (Exit.PASS, Exit.USAGE)
ALL_EXITS = tuple(code for code in Exit if code < Exit.INTERNAL)
"""Exit codes of commands by what they do."""


def show_help(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Print the help of a command and exit, if --help was given."""
    if asked and not context.resilient_parsing:
        write(sys.stdout, context.get_help() + "\n")
        context.exit()


HELP = click.Option(
    ["help_asked", "-h", "--help"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=show_help,
    help="Show this message and exit.",
)


class CommandWithHelp(click.Command):
    """A command with this --help option, whose help ends with examples and exit codes.

    Args:
        examples: the first one is shown with usage errors as well.
        exits: the exit codes.
        meanings: those of exit codes that are special to the command.
    """

    def __init__(
        self,
        *,
        examples: Sequence[str] = (),
        exits: Sequence[Exit] = TALKING,
        meanings: Mapping[Exit, str] = MappingProxyType({}),
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.examples, self.exits, self.meanings = examples, exits, meanings

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:  # Click leaves the command out of some
            error.ctx = error.ctx or ctx
            raise

    def get_help_option(self, ctx: click.Context) -> click.Option:
        return HELP

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own epilog, its examples and its exit codes."""
        super().format_epilog(ctx, formatter)
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(closing(self))


ALWAYS = "Any command may also exit with 70 (internal error) or 130 (Ctrl-C); see `gradcli help exit-codes`."


def closing(command: CommandWithHelp) -> str:
    """The examples and exit codes of a command, marked for click as preformatted text."""
    meanings = {**EXIT_MEANINGS, **command.meanings}
    codes = [f"{int(code)}  {meanings[code]}" for code in command.exits]
    return f"{block('Examples', command.examples)}\n\n{block('Exit codes', codes)}\n\n{ALWAYS}"


def block(title: str, lines: Iterable[str]) -> str:
    """A title and preformatted lines."""
    return "\n".join(["\b", f"{title}:", *(f"  {line}" for line in lines)])
