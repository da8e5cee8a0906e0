"""`gradcli step`: a full-screen walk through a run, one node per key."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from gradcli.errors import Exit, UsageError
from gradcli.terminal.cli import garbage_collection
from gradcli.terminal.cli.help_option import DRAWING
from gradcli.terminal.cli.options import TargetCommand, at, target, wrt

if TYPE_CHECKING:
    from gradcli.shared.records.explanations import Perturbation


@click.command(
    "step",
    cls=TargetCommand,
    short_help="Step through a run and its reverse sweep, node by node.",
    examples=("gradcli step file.py:f --at 1,2",),
    exits=DRAWING,
)
@target
@at
@wrt
@click.pass_context
def command(context: click.Context, /, target: str, at: str | None, wrt: str | None) -> Exit:
    """Step through a run of TARGET at POINT: source on the left, tape on the right; an arrow key moves one node."""
    from gradcli import queries
    from gradcli.terminal.cli.output import Output

    output = (context.obj or Output)()  # a session has its own
    refuse_without_terminal()
    from gradcli.terminal.repl.terminal.step_screen import StepScreen

    def attempt(node: str) -> Perturbation:
        perturbation: Perturbation = output.of(partial(queries.perturb, node=node), target, at, wrt=wrt)
        return perturbation

    steps = output.of(queries.steps, target, at, wrt=wrt)
    with garbage_collection.resumed():
        StepScreen(steps, attempt).run()
    return Exit.PASS


def refuse_without_terminal() -> None:
    """Refuse to run without a terminal.

    Raises:
        UsageError: stdin or stdout is not a terminal that can move its cursor.
    """
    from gradcli.terminal.cli.commands.repl import is_dumb
    from gradcli.terminal.render.layout.stream_style import is_terminal

    if not (is_terminal(sys.stdin) and is_terminal(sys.__stdout__)) or is_dumb():
        raise UsageError("step needs a terminal.", hint="`gradcli explain` prints the same as text.")
