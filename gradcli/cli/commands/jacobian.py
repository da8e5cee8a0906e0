"""`gradcli jacobian`: the derivative of every element of the value with respect to every input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli.options import TargetCommand, at, device, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("jacobian", cls=TargetCommand, short_help="Compute the Jacobian of an array-valued target.")
@target
@at
@wrt
@device
@presentation("md", "csv")
def command(target: str, at: str | None, wrt: str | None, device: str, output: Output) -> Exit:
    """Compute the Jacobian of TARGET, whose value is an array, at POINT."""
    from gradcli import queries
    from gradcli.cli.stdin_points import answer

    return answer(output, queries.jacobian, target, at, wrt=wrt, device=device)
