"""`gradcli check`: the gradient beside what independent methods say of it, one verdict a component."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli.options import Question, at, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("check", cls=Question, short_help="Cross-check a gradient; the exit code is the verdict.")
@target
@at
@click.option("--against", metavar="TARGET", help="A gradient written by hand, to be judged in place of the tape's.")
@wrt
@click.option("--strict", is_flag=True, help="Kinks and cut inputs do not pass (exit 3).")
@presentation
def command(target: str, at: str | None, against: str | None, wrt: str | None, strict: bool, output: Output) -> Exit:
    """Cross-check the gradient of TARGET at POINT, worst component first; the exit code is the verdict."""
    from gradcli import queries

    return output.show(output.of(queries.check, target, at, against=against, wrt=wrt, strict=strict))
