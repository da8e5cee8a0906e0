"""`gradcli tape`: every step of the run, with the sensitivity of the result on it; parts of it, and it as a graph."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gradcli.cli.options import Question, at, device, expand, presentation, tabular, target
from gradcli.errors import Exit, UsageError

if TYPE_CHECKING:
    from gradcli.cli.output import Output
    from gradcli.records import TapeListing


@click.command("tape", cls=Question, short_help="Every step, with the sensitivity of the result on it.")
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
@click.option("--svg", metavar="FILE", help="Draw the graph into a file, by Graphviz.")
@click.option("--html", metavar="FILE", help="Write a page with the tape into a file.")
@expand
@device
@tabular
@presentation
def command(target: str, at: str | None, device: str, output: Output, *, expand: bool, **asked: Any) -> Exit:
    """Every step of TARGET at POINT: name, operation, value, sensitivity, source line."""
    from gradcli import queries

    part, of = chosen(asked)
    record = output.of(queries.tape, target, at, device=device)
    if part in ("svg", "html"):
        save(record, part, Path(of))
        return output.wrote(record, f"{of}: {len(record.nodes)} nodes")
    return output.show(record, part=part, of=of, expand=expand)


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


def save(record: TapeListing, part: str, file: Path) -> None:
    """Write a drawing of a tape into a file.

    Raises:
        UsageError: the file cannot be written, or Graphviz is not installed.
    """
    from gradcli.render import graph

    text = graph.page(record) if part == "html" else drawn(graph.dot(record))
    try:
        file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}.", hint="Name another file.") from error


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
