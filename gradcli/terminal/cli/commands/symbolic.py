"""`gradcli symbolic`: the closed forms of the value and of its derivatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.terminal.cli.help_option import DRAWING
from gradcli.terminal.cli.options import TargetCommand, at, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.errors import Exit
    from gradcli.terminal.cli.output import Output


@click.command(
    "symbolic",
    cls=TargetCommand,
    short_help="Print formulas for the value and its derivatives.",
    examples=(
        "gradcli symbolic 'x**2 + sin(y)'",
        "gradcli symbolic file.py:f --at 1,2 --format latex",
    ),
    exits=DRAWING,
)
@target
@at
@wrt
@presentation("latex")
def command(target: str, at: str | None, wrt: str | None, output: Output) -> Exit:
    """Print SymPy formulas for TARGET and its derivatives; a function's formulas follow its path at POINT."""
    from gradcli import queries

    return output.show(output.of(queries.symbolic, target, at, wrt=wrt))
