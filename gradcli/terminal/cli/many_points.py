"""Answers at every point of a file, as rows of another file, which --points-file asks for."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from gradcli.errors import Exit, UsageError
from gradcli.terminal.cli.progress import ProgressLine, rate_text
from gradcli.terminal.cli.streams import write

ALONE = ("at", "form", "points", "box", "selftest", "every", "instead")  # options of an answer at one point


def answer_rows(context: click.Context, asked: str, client: int | str, options: dict[str, Any]) -> Exit:
    """Compute and write the rows, and show their summary.

    Raises:
        UsageError: an option does not go with many points, or the command is typed at the prompt.
    """
    from gradcli.many_points.python_api import run
    from gradcli.many_points.row_evaluation import PointRequest
    from gradcli.terminal.cli.output import Output

    if context.obj is not None:
        raise UsageError("The points of a file are answered in a shell, not at the prompt.",
                         hint=f"Leave the prompt, and type gradcli {asked} with the same options.")  # fmt: skip
    if alone := next((name for name in ALONE if options.get(name)), None):
        option = {"form": "format", "every": "all", "instead": options.get("instead")}.get(alone, alone)
        raise UsageError(f"--{option} does not go with the points of a file.", hint=f"Leave out --{option}.")
    taken = {name: options.pop(name) for name in ("target", "points_file", "out", "width", "as_json")}
    if taken["target"] is None:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    given = {
        name: value for name, value in options.items() if name not in ALONE and value not in (None, "cpu", False, 0)
    }
    request = PointRequest(asked, taken["target"], taken["points_file"], given)
    output, progress = Output(taken["as_json"], taken["width"]), PointProgress(taken["as_json"])
    try:
        record = output.of(run, request, taken["out"], client, listener=progress)
    except KeyboardInterrupt:
        progress.clear()
        write(sys.stderr, "interrupted; the same command goes on from here\n")
        raise
    finally:
        progress.clear()
    return output.show(record)


class PointProgress(ProgressLine):
    """Draws the number of finished points, their rate and the time left."""

    begun: tuple[int, float] | None = None

    def __call__(self, done: int, count: int) -> None:
        """Draw the line; the rate is that of this run, which may have begun with points that were finished."""
        now = time.monotonic()
        self.begun = self.begun or (done, now)
        if self.is_due:
            before, started = self.begun
            self.draw(rate_text(done, count, "points", (done - before, now - started)))
