"""`gradcli tape`: every step of the run, with the sensitivity of the result on it; parts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gradcli.cli.options import TargetCommand, at, device, expand, presentation, target
from gradcli.errors import UsageError

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.errors import Exit


@click.command("tape", cls=TargetCommand, short_help="Every step, with the sensitivity of the result on it.")
@target
@at
@click.option("--tree", is_flag=True, help="From the result down; a node used twice is drawn once.")
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="The N nodes with the greatest |value * sensitivity|."
)
@click.option("--path", metavar="X..Y", help="The nodes on the ways from X to Y.")
@click.option("--branches", is_flag=True, help="Only the outcomes of comparisons and roundings.")
@expand
@device
@presentation("md", "csv", "html", "svg", "dot", "mermaid")
def command(target: str, at: str | None, device: str, output: Output, *, expand: bool, **asked: Any) -> Exit:
    """Every step of TARGET at POINT: name, operation, value, sensitivity, source line."""
    from gradcli import queries

    part, of = chosen(asked)
    return output.show(output.of(queries.tape, target, at, device=device), part=part, of=of, expand=expand)


def chosen(asked: dict[str, Any]) -> tuple[str, str]:
    """The one part that was asked for, and its value; nothing for the whole.

    Raises:
        UsageError: two were.
    """
    given = [(name, value) for name, value in asked.items() if value]
    if len(given) > 1:
        names = " and ".join(f"--{name}" for name, _ in given)
        raise UsageError(f"{names} ask for different things.", hint="Give one of them.")
    return (given[0][0], "" if given[0][1] is True else str(given[0][1])) if given else ("", "")
