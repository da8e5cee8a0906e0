"""`gradcli plot`: the function and its gradient along an input, or the error of differences, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gradcli.cli.options import TargetCommand, at, presentation, target
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


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
@presentation("svg", "png")
def command(target: str, at: str | None, output: Output, **asked: Any) -> Exit:
    """The value of TARGET and its derivative along a number of POINT or a direction; or the error of differences."""
    from gradcli import queries

    wanted = given(asked)
    ask = queries.bars if "bars" in wanted else queries.differences if "differences" in wanted else queries.curve
    options = {name: value for name, value in wanted.items() if name in ("along", "within")}
    return output.show(output.of(ask, target, at, **options))


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
