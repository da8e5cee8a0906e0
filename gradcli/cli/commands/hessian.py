"""`gradcli hessian`: the second derivatives of a target at a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli.options import TargetCommand, at, device, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("hessian", cls=TargetCommand, short_help="Compute the matrix of second derivatives.")
@target
@at
@wrt
@device
@presentation("md", "csv")
def command(target: str, at: str | None, wrt: str | None, device: str, output: Output) -> Exit:
    """Compute the matrix of second derivatives of TARGET at POINT."""
    from gradcli import queries
    from gradcli.cli.stdin_points import answer

    return answer(output, queries.hessian, target, at, wrt=wrt, device=device)
