"""`gradcli tape`: every step of a run with the sensitivity of the result to it, or a part of the steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import UsageError
from gradcli.terminal.cli.help_option import DRAWING
from gradcli.terminal.cli.options import TargetCommand, at, device, expand, libraries, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.errors import Exit
    from gradcli.terminal.cli.output import Output

GRAPHS = ("svg", "html", "png", "dot", "mermaid")
"""The forms that draw the tape as a graph."""


@click.command(
    "tape",
    cls=TargetCommand,
    short_help="List every step with its value and sensitivity.",
    examples=(
        "gradcli tape file.py:f --at 1,2",
        "gradcli tape file.py:f --at 1,2 --tree",
        "gradcli tape file.py:f --at 1,2 -o tape.html",
    ),
    exits=DRAWING,
)
@target
@at
@wrt
@click.option("--tree", is_flag=True, help="Draw a tree from the result down; a shared node is drawn once.")
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="Show the N nodes with the largest |value * sensitivity|."
)
@click.option("--path", metavar="X..Y", help="Show the nodes on all paths from X to Y.")
@click.option("--branches", is_flag=True, help="Show only the outcomes of comparisons, roundings and indices.")
@expand
@libraries
@device
@presentation("svg", "html", "png", "md", "csv", "dot", "mermaid")
def command(target: str, at: str | None, output: Output, *, expand: bool, **asked: Any) -> Exit:
    """List every step of TARGET at POINT: name, operation, value, sensitivity and source line."""
    from gradcli import queries

    options = {name: asked.pop(name) for name in ("wrt", "device", "libraries")}
    part, of = chosen(asked)
    record = output.of(queries.tape_graph if output.form in GRAPHS else queries.tape, target, at, **options)
    return output.show(record, part=part, of=of, expand=expand)


def chosen(asked: dict[str, Any]) -> tuple[str, str]:
    """The one option that selects a part of the tape, and its value; two empty strings for the whole tape.

    Raises:
        UsageError: two parts were selected.
    """
    given = [(name, value) for name, value in asked.items() if value]
    if len(given) > 1:
        names = " and ".join(f"--{name}" for name, _ in given)
        raise UsageError(f"{names} ask for different things.", hint="Give one of them.")
    return (given[0][0], "" if given[0][1] is True else str(given[0][1])) if given else ("", "")
