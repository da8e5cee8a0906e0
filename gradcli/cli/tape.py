"""`gradcli tape`: every step of the run, with the sensitivity of the result on it; parts of it, and it as a graph."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from gradcli.cli import drawn_file
from gradcli.cli.options import TargetCommand, at, device, expand, presentation, tabular, target
from gradcli.cli.streams import write
from gradcli.errors import Exit, UsageError

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.records import TapeListing


@click.command("tape", cls=TargetCommand, short_help="Every step, with the sensitivity of the result on it.")
@target
@at
@click.option("--tree", is_flag=True, help="From the result down; a node used twice is drawn once.")
@click.option(
    "--top", type=click.IntRange(min=1), metavar="N", help="The N nodes with the greatest |value * sensitivity|."
)
@click.option("--path", metavar="X..Y", help="The nodes on the ways from X to Y.")
@click.option("--branches", is_flag=True, help="Only the outcomes of comparisons and roundings.")
@click.option("--dot", is_flag=True, help="The graph for Graphviz.")
@click.option("--mermaid", is_flag=True, help="The graph for Mermaid.")
@click.option("--svg", metavar="FILE", help="Draw the graph into a .svg file, by Graphviz; - for stdout.")
@click.option("--html", metavar="FILE", help="Write a page with the tape into a .html file; - for stdout.")
@expand
@device
@tabular
@presentation
def command(target: str, at: str | None, device: str, output: Output, *, expand: bool, **asked: Any) -> Exit:
    """Every step of TARGET at POINT: name, operation, value, sensitivity, source line."""
    from gradcli import queries

    part, of = chosen(asked)
    if part in drawn_file.ENDINGS:
        if of == drawn_file.STDOUT and output.as_json:
            raise UsageError(f"--json and --{part} - both write to stdout.", hint=f"Type --{part} tape.{part}")
        drawn_file.refuse(part, of, (target.rpartition(":")[0],))
    record = output.of(queries.tape, target, at, device=device)
    if part not in drawn_file.ENDINGS:
        return output.show(record, part=part, of=of, expand=expand)
    text = drawing(record, part)
    if of == drawn_file.STDOUT:
        write(sys.stdout, text)
        return Exit(record.exit)
    drawn_file.save(part, of, text.encode(), filter(None, (node.file for node in record.nodes)))
    return output.wrote(record, f"{of}: {len(record.nodes)} nodes")


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


def drawing(record: TapeListing, part: str) -> str:
    """A tape as SVG or as HTML.

    Raises:
        UsageError: Graphviz is not installed, or cannot draw it.
    """
    from gradcli.render import graph

    return graph.page(record) if part == "html" else graph.marked(drawn(graph.dot(record)))


def drawn(dot: str) -> str:
    """A graph as SVG.

    Raises:
        UsageError: Graphviz is not installed, or cannot draw it.
    """
    import shutil
    import subprocess

    program = shutil.which("dot")
    if program is None:
        raise UsageError(
            "--svg needs Graphviz, whose program `dot` is not installed here.",
            hint="Install graphviz with your package manager, or type --dot, --mermaid or --html FILE.",
        )
    done = subprocess.run([program, "-Tsvg"], input=dot, capture_output=True, text=True, check=False)
    if done.returncode:
        raise UsageError(f"Graphviz cannot draw this: {done.stderr.strip()[:200]}", hint="--dot shows the graph.")
    return done.stdout
