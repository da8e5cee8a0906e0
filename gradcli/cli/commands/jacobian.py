"""`gradcli jacobian`: the derivative of every number of the value by every input."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli.options import TargetCommand, at, device, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("jacobian", cls=TargetCommand, short_help="All derivatives of a target whose value is an array.")
@target
@at
@wrt
@device
@presentation("md", "csv")
def command(target: str, at: str | None, wrt: str | None, device: str, output: Output) -> Exit:
    """The derivatives of a TARGET whose value is an array."""
    from gradcli import queries
    from gradcli.cli.stdin_points import answer

    return answer(output, queries.jacobian, target, at, wrt=wrt, device=device)
