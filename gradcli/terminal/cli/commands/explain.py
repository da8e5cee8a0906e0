"""`gradcli explain`: the reverse sweep, line by line, as formulas and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import UsageError
from gradcli.terminal.cli.help_option import DRAWING
from gradcli.terminal.cli.options import TargetCommand, at, expand, libraries, presentation, read_by, target, wrt

if TYPE_CHECKING:
    from gradcli.errors import Exit
    from gradcli.terminal.cli.output import Output


def numbers(text: str) -> tuple[int, ...]:
    """The iterations in a text such as `3` or `2.3`."""
    parts = text.split(".") if text else []
    if all(part.isdecimal() and int(part[:9]) > 0 for part in parts):
        return tuple(int(part[:9]) for part in parts)
    raise click.BadParameter(f"{text!r} is not an iteration; type 3, or 2.3 for a nested loop.")


@click.command(
    "explain",
    cls=TargetCommand,
    short_help="Explain the gradient line by line, backwards.",
    examples=("gradcli explain file.py:f --at 1,2",),
    exits=DRAWING,
)
@target
@at
@wrt
@click.option("--node", metavar="NAME", help="Explain the sensitivity to this quantity only: t_cd, x#3, %7.")
@click.option("--perturb", metavar="NAME", help="Change this quantity slightly and test its sensitivity.")
@click.option("--forward", is_flag=True, help="Show the forward sweep: each line's derivative by an input.")
@click.option("--along", metavar="INPUT", help="Forward sweep along an input, such as x[0], or a direction: 1,0.")
@click.option("--iteration", callback=read_by(numbers), default="", metavar="N",
              help="Show iteration N of a loop, or 2.3 of a nested loop.")  # fmt: skip
@expand
@libraries
@presentation("md", "latex", "html")
def command(
    target: str,
    at: str | None,
    output: Output,
    *,
    expand: bool,
    libraries: bool,
    iteration: tuple[int, ...],
    **asked: Any,
) -> Exit:
    """Explain the gradient of TARGET at POINT: the terms that each line, last to first, adds to the sensitivities."""
    from gradcli import queries

    refuse_together(asked)
    if asked["perturb"] is not None:
        record = output.of(queries.perturb, target, at, node=asked["perturb"], wrt=asked["wrt"], libraries=libraries)
        return output.show(record)
    if asked["forward"] or asked["along"] is not None:
        record = output.of(
            queries.forward_sweep, target, at, along=asked["along"], wrt=asked["wrt"], libraries=libraries
        )
    else:
        record = output.of(queries.explain, target, at, wrt=asked["wrt"], node=asked["node"], libraries=libraries)
    return output.show(record, expand=expand, iteration=iteration)


def refuse_together(asked: dict[str, Any]) -> None:
    """Refuse options that exclude each other; only --forward and --along go together, and --wrt with all.

    Raises:
        UsageError: two of the options are given.
    """
    named = [f"--{name}" for name in ("node", "perturb", "forward", "along") if asked[name]]
    if len(named) > 1 and named != ["--forward", "--along"]:
        raise UsageError(f"{' and '.join(named)} ask for different things.", hint="Give one of them.")
