"""`gradcli plot`: the function and its gradient along an input, or the error of differences, drawn."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from gradcli.cli import drawn_file
from gradcli.cli.options import TargetCommand, at, presentation, target
from gradcli.errors import Exit, UsageError

if TYPE_CHECKING:
    from gradcli.cli.output import Output


@click.command("plot", cls=TargetCommand, short_help="Value and gradient along an input, or the error of differences.")
@target
@at
@click.option(
    "--along",
    metavar="INPUT",
    help="What is varied: a number such as x or w[0], the first by default, or a direction like 1,0.",
)
@click.option("--range", "within", metavar="LOW:HIGH", help="From where to where.")
@click.option("--differences", is_flag=True, help="The error of finite differences by their step.")
@click.option("--bars", is_flag=True, help="The sensitivity on each number that has a name.")
@click.option("--out", metavar="FILE", help="Draw into a .png or .svg file, by matplotlib.")
@presentation
def command(target: str, at: str | None, out: str | None, output: Output, **asked: Any) -> Exit:
    """The value of TARGET and its derivative along a number of POINT or a direction; or the error of differences."""
    from gradcli import queries, render

    if out is not None:
        drawn_file.refuse("out", out, (target.rpartition(":")[0],))
    wanted = given(asked)
    ask = queries.bars if "bars" in wanted else queries.differences if "differences" in wanted else queries.curve
    options = {name: value for name, value in wanted.items() if name in ("along", "within")}
    record = output.of(ask, target, at, **options)
    if out is None:
        return output.show(record)
    drawn_file.save("out", out, render.figure_data(record, os.path.splitext(out)[1].lower()), ())
    return output.wrote(record, out)


def given(asked: dict[str, Any]) -> dict[str, Any]:
    """What was asked for.

    Raises:
        UsageError: two things that do not go together.
    """
    wanted = {name: value for name, value in asked.items() if value not in (None, False)}
    if "bars" in wanted and len(wanted) > 1:
        raise UsageError("--bars shows all numbers, at one point.", hint="Leave out the other options.")
    if "differences" in wanted and "within" in wanted:
        raise UsageError("--differences varies the step, not the point.", hint="Leave out --range.")
    return wanted
