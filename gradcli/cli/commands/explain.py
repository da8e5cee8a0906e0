"""`gradcli explain`: how the gradient came about, line by line backwards, in words and in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gradcli.cli.options import TargetCommand, at, expand, presentation, target, wrt
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


def numbers(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[int, ...]:
    """The iterations in a text such as `3` or `2.3`.

    Raises:
        click.BadParameter: the text has none.
    """
    parts = text.split(".") if text else []
    if all(part.isdecimal() and int(part[:9]) > 0 for part in parts):
        return tuple(int(part[:9]) for part in parts)
    raise click.BadParameter(f"{text!r} is no iteration; 3 is one, and 2.3 one of a loop within.", context, parameter)


@click.command("explain", cls=TargetCommand, short_help="How the gradient came about, line by line backwards.")
@target
@at
@wrt
@click.option("--node", metavar="NAME", help="Only what the sensitivity on this quantity comes from: t_cd, x#3, %7.")
@click.option("--perturb", metavar="NAME", help="Move this quantity a little, and see whether its sensitivity is true.")
@click.option("--forward", is_flag=True, help="The forward sweep: how fast each line moves with an input.")
@click.option("--along", metavar="INPUT", help="Forward along this input, such as x or x[0], or a direction like 1,0.")
@click.option("--iteration", callback=numbers, metavar="N", help="Show this iteration of a loop; 2.3 of a loop within.")
@expand
@presentation("md", "latex", "html")
def command(
    target: str, at: str | None, output: Output, *, expand: bool, iteration: tuple[int, ...], **asked: Any
) -> Exit:
    """How the gradient of TARGET at POINT came about: what each line, the last one first, adds to which sensitivity."""
    from gradcli import queries

    refuse_together(asked)
    if asked["perturb"] is not None:
        return output.show(output.of(queries.perturb, target, at, node=asked["perturb"]))
    if asked["forward"] or asked["along"] is not None:
        record = output.of(queries.forward_sweep, target, at, along=asked["along"])
    else:
        record = output.of(queries.explain, target, at, wrt=asked["wrt"], node=asked["node"])
    return output.show(record, expand=expand, iteration=iteration)


def refuse_together(asked: dict[str, Any]) -> None:
    """Refuse options that ask for different things; a forward sweep goes along a direction.

    Raises:
        UsageError: two are given.
    """
    given = [name for name, value in asked.items() if value]
    named = [f"--{name}" for name in ("wrt", "node", "perturb", "forward", "along") if name in given]
    if len(named) > 1 and set(given) != {"forward", "along"}:
        raise UsageError(f"{' and '.join(named)} ask for different things.", hint="Give one of them.")
