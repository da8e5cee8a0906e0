"""`gradcli precision`: the accurate digits of the value and the gradient, and the steps that lose digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli.options import TargetCommand, at, libraries, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("precision", cls=TargetCommand, short_help="Count accurate digits and find the steps that lose them.")
@target
@at
@wrt
@libraries
@presentation("md", "csv")
def command(target: str, at: str | None, wrt: str | None, output: Output, *, libraries: bool) -> Exit:
    """Count the accurate digits of the value and gradient of TARGET at POINT, and find the steps that lose digits."""
    from gradcli import queries

    return output.show(output.of(queries.precision, target, at, wrt=wrt, libraries=libraries))
