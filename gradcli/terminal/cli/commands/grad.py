"""`gradcli grad`: the value and the gradient at a point; and what `jacobian` and `hessian` share with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from gradcli.terminal.cli.help_option import ANSWERING
from gradcli.terminal.cli.options import TargetCommand, at, at_many_points, device, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.errors import Exit
    from gradcli.terminal.cli.output import Output


def derivative_command(name: str, query: str, short_help: str, text: str, *examples: str) -> click.Command:
    """The command that answers a query for a derivative at a point, and with a further option one beside it."""
    other, help = "pattern", "Draw which entries may differ from 0."
    if name == "grad":
        other, help = "cost", "Measure its time beside the function and differences."

    @click.command(name, cls=TargetCommand, short_help=short_help, help=text, examples=examples, exits=ANSWERING)
    @target
    @at
    @wrt
    @device
    @at_many_points(name)
    @click.option(f"--{other}", "instead", flag_value=other, help=help)
    @presentation("md", "csv")
    def command(target: str, at: str | None, wrt: str | None, device: str, instead: str | None, output: Output) -> Exit:
        from gradcli import queries
        from gradcli.terminal.cli.stdin_points import answer

        asked = f"{query}_{instead}" if instead else query
        return answer(output, getattr(queries, asked), target, at, wrt=wrt, device=device)

    return command


command = derivative_command(
    "grad",
    "gradient",
    "Compute the value and gradient at a point.",
    "Compute the value of TARGET at POINT and its derivative with respect to every input.",
    "gradcli grad 'x**2 + sin(y)' --at 1,2",
    "gradcli grad file.py:f --at x=[1,2],y=3 --wrt y --json",
    "gradcli grad file.py:f --at - < points.jsonl",
    "gradcli grad file.py:f --at @start.npy --cost",
    "gradcli grad file.py:f --points-file points.csv --out rows.jsonl -n 4",
)
