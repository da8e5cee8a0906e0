"""`gradcli tape`: every step of the run, with the sensitivity of the result on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.cli.options import Question, at, device, presentation, tabular, target

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("tape", cls=Question, short_help="Every step, with the sensitivity of the result on it.")
@target
@at
@device
@tabular
@presentation
def command(target: str, at: str | None, device: str, output: Output) -> Exit:
    """Every step of TARGET at POINT: name, operation, value, sensitivity, source line."""
    from gradcli import queries

    return output.show(output.of(queries.tape, target, at, device=device))
