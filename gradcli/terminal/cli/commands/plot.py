"""`gradcli plot`: plots of a function and its gradient along an input, or of the error of differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import UsageError
from gradcli.terminal.cli.help_option import DRAWING
from gradcli.terminal.cli.options import TargetCommand, at, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.errors import Exit
    from gradcli.terminal.cli.output import Output


@click.command(
    "plot",
    cls=TargetCommand,
    short_help="Plot the value and gradient, or the error of differences.",
    examples=(
        "gradcli plot 'sin(x) / x' --at 1 --range -9:9",
        "gradcli plot file.py:f --at 1,2 --bars",
        "gradcli plot file.py:f --at 1,2 --along x,y -o contour.svg",
        "gradcli plot file.py:f --at 3 --differences -o steps.svg",
        "gradcli plot rows.jsonl --columns value,gradient.x",
    ),
    exits=DRAWING,
)
@target
@at
@wrt
@click.option(
    "--along",
    metavar="INPUT",
    help="Input to vary, such as x or w[0] (default: the first), a direction, such as 1,0, or two inputs: x,y.",
)
@click.option("--range", "within", metavar="LOW:HIGH", help="Interval to plot over; for two inputs 0:1,0:1.")
@click.option("--differences", is_flag=True, help="Plot the error of finite differences against the step.")
@click.option("--all", is_flag=True, help="Plot the value along each number of the point.")
@click.option("--surface", is_flag=True, help="Draw the value over two inputs as a surface.")
@click.option("--path", metavar="FILE", help="Draw points over a contour: rows of a .jsonl, .csv or .npy file.")
@click.option("--bars", is_flag=True, help="Show the sensitivity to each named number as bars.")
@click.option("--columns", metavar="X,Y", help="Plot a column of a file of rows, the TARGET, against another.")
@presentation("svg", "png")
def command(target: str, at: str | None, output: Output, **asked: Any) -> Exit:
    """Plot the value of TARGET: with its derivative along an input or direction, or over two inputs."""
    from gradcli import queries

    if (columns := asked.pop("columns")) is not None:
        from gradcli.many_points.run_summary import plot_columns

        if at is not None or given(asked):
            raise UsageError("--columns shows rows of a file.", hint="Leave out the other options.")
        return output.show(output.of(plot_columns, target, columns))
    wanted = given(asked)
    kinds = [kind for kind in ("bars", "differences", "all", "surface") if wanted.pop(kind, False)]
    return output.show(output.of(queries.plot, target, at, kind=kinds[0] if kinds else "curve", **wanted))


def given(asked: dict[str, Any]) -> dict[str, Any]:
    """The options that were given.

    Raises:
        UsageError: two options exclude each other.
    """
    wanted = {name: value for name, value in asked.items() if value not in (None, False)}
    if "bars" in wanted and wanted.keys() > {"bars"} | (wanted.keys() & {"wrt"}):
        raise UsageError("--bars shows all numbers, at one point.", hint="Leave out the other options.")
    if len([kind for kind in ("bars", "differences", "all", "surface") if kind in wanted]) > 1:
        raise UsageError("--differences, --all and --surface are different plots.", hint="Leave out all but one.")
    if "all" in wanted and ("along" in wanted or "within" in wanted):
        raise UsageError("--all varies every number.", hint="Leave out --along and --range.")
    if "differences" in wanted and "within" in wanted:
        raise UsageError("--differences varies the step, not the point.", hint="Leave out --range.")
    return wanted
