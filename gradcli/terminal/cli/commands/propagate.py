"""`gradcli propagate`: the uncertainty of a result from that of the inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.terminal.cli.help_option import ANSWERING
from gradcli.terminal.cli.options import TargetCommand, at, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.errors import Exit
    from gradcli.terminal.cli.output import Output


@click.command(
    "propagate",
    cls=TargetCommand,
    short_help="Propagate the uncertainty of the inputs.",
    examples=(
        "gradcli propagate 'V / I' --at V=5,I=0.0196 --std V=0.0032,I=1e-5",
        "gradcli propagate file.py:f --at 1,2 --cov '[[0.01,0.002],[0.002,0.04]]'",
    ),
    exits=ANSWERING,
)
@target
@at
@click.option("--std", metavar="POINT", help="Standard deviations of the inputs, in the form of the point.")
@click.option("--cov", metavar="MATRIX", help="Covariance matrix of the inputs: [[1,0],[0,4]] or @cov.npy.")
@wrt
@presentation("md", "csv")
def command(target: str, at: str | None, cov: str | None, std: str | None, wrt: str | None, output: Output) -> Exit:
    """Propagate the uncertainty of POINT to the value of TARGET, with the share of each input."""
    from gradcli import queries

    return output.show(output.of(queries.propagate, target, at, cov=cov, std=std, wrt=wrt))
