"""`gradcli derive`: the gradient as source code."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from gradcli.cli.options import TargetCommand, at, presentation, target

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("derive", cls=TargetCommand, short_help="The gradient as source code.")
@target
@at
@click.option("--box", multiple=True, metavar="NAME=LOW:HIGH", help="Without --at: run in the middle of intervals.")
@click.option("--value", is_flag=True, help="Return the value too, before the gradient.")
@click.option("--vector", is_flag=True, help="Add a function of one vector that returns an array, for optimisers.")
@click.option("--straight", is_flag=True, help="The path of the run at the point, whatever the source is.")
@click.option("--forward", "mode", flag_value="forward", help="How fast the value changes along a direction.")
@click.option("--jacobian", "mode", flag_value="jacobian", help="The matrix of a function with many results.")
@click.option("--hessian", "mode", flag_value="hessian", help="The second derivatives, by one input.")
@presentation("python")
def command(
    target: str, at: str | None, box: tuple[str, ...], output: Output, **asked: Any
) -> Exit:  # fmt: skip
    """The gradient of TARGET as a Python function of its own, verified before it is written."""
    from gradcli import queries

    typed = ["gradcli", "derive", target, *(["--at", at] if at is not None else [])]
    typed += [word for each in box for word in ("--box", each)]
    typed += [f"--{name}" for name in ("value", "vector", "straight") if asked[name]]
    typed += [f"--{asked['mode']}"] if asked["mode"] else []
    wanted = {name: value for name, value in asked.items() if value}
    return output.show(output.of(queries.derive, target, at, box=box, command=shlex.join(typed), **wanted))
