"""`gradcli precision`: how many digits of the value and the gradient are good, and where the others were lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli.options import TargetCommand, at, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("precision", cls=TargetCommand, short_help="How many digits are good, and which steps cost the others.")
@target
@at
@wrt
@presentation("md", "csv")
def command(target: str, at: str | None, wrt: str | None, output: Output) -> Exit:
    """How many digits of the value of TARGET at POINT and of its gradient are good, and which steps cost the others."""
    from gradcli import queries

    return output.show(output.of(queries.precision, target, at, wrt=wrt))
