"""`gradcli explain`: how the gradient came about, line by line backwards, in words and in numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli.options import Question, at, expand, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("explain", cls=Question, short_help="How the gradient came about, line by line backwards.")
@target
@at
@wrt
@expand
@presentation
def command(target: str, at: str | None, wrt: str | None, expand: bool, output: Output) -> Exit:
    """How the gradient of TARGET at POINT came about: what each line, the last one first, adds to which sensitivity."""
    from gradcli import queries

    return output.show(output.of(queries.explain, target, at, wrt=wrt), expand=expand)
