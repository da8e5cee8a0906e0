"""The option --help of every command; click's own option would load translations at every start."""

from __future__ import annotations

import sys

import click

from gradcli.cli.streams import write


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


class Helped(click.Command):
    """A command with this --help option."""

    def get_help_option(self, ctx: click.Context) -> click.Option:
        """The shared --help option."""
        return HELP
