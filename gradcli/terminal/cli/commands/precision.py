"""`gradcli precision`: the accurate digits of the value and the gradient, and the steps that lose digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.terminal.cli.help_option import ANSWERING
from gradcli.terminal.cli.options import TargetCommand, at, libraries, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.errors import Exit
    from gradcli.terminal.cli.output import Output


@click.command(
    "precision",
    cls=TargetCommand,
    short_help="Count accurate digits and find the steps that lose them.",
    examples=("gradcli precision '(1 - cos(x)) / x**2' --at 1e-4",),
    exits=ANSWERING,
)
@target
@at
@wrt
@libraries
@presentation("md", "csv")
def command(target: str, at: str | None, wrt: str | None, output: Output, *, libraries: bool) -> Exit:
    """Count the accurate digits of the value and gradient of TARGET at POINT, and find the steps that lose digits."""
    from gradcli import queries

    return output.show(output.of(queries.precision, target, at, wrt=wrt, libraries=libraries))
