"""`gradcli compare`: whether two functions have the same value and gradient, at a point and at random ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gradcli.cli.commands.check import finite
from gradcli.cli.options import TargetCommand, at, presentation, target, unshielded

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("compare", cls=TargetCommand, short_help="Whether two functions have the same value and gradient.")
@target
@click.argument("other", callback=lambda _context, _parameter, text: unshielded(text))
@at
@click.option("--points", type=click.IntRange(0), default=20, metavar="N", help="Random points besides (default 20).")
@click.option("--box", multiple=True, metavar="NAME=LOW:HIGH", help="Draw the points of an input from an interval.")
@click.option("--seed", type=int, default=0, help="Random seed (default 0).")
@click.option("--rtol", type=click.FloatRange(0), default=0.0, callback=finite,
              help="Allow a difference relative to the larger number.")  # fmt: skip
@click.option("--atol", type=click.FloatRange(0), default=0.0, callback=finite, help="Allow a difference of so much.")
@presentation("md", "csv")
def command(target: str, other: str, at: str | None, output: Output, **options: Any) -> Exit:
    """Compare TARGET and OTHER, two functions of the same inputs: values and gradients, at POINT and at random points.

    Numbers are equal when rounding explains their difference. The first point at which the two differ is shown.
    """
    from gradcli import queries

    return output.show(output.of(queries.compare, target, at, other=other, **options))
