"""`gradcli grad`: the value and the gradient at a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli.options import TargetCommand, at, device, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("grad", cls=TargetCommand, short_help="Compute the value and gradient at a point.")
@target
@at
@wrt
@device
@presentation("md", "csv")
def command(target: str, at: str | None, wrt: str | None, device: str, output: Output) -> Exit:
    """Compute the value of TARGET at POINT and its derivative with respect to every input."""
    from gradcli import queries
    from gradcli.cli.stdin_points import answer

    return answer(output, queries.gradient, target, at, wrt=wrt, device=device)
