"""`gradcli watch`: the gradient of a function, recomputed each time its file is saved."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import click

from gradcli.errors import Exit, UsageError
from gradcli.terminal.cli.options import TargetCommand, at, device, target, width, wrt
from gradcli.terminal.cli.streams import write

if TYPE_CHECKING:
    from gradcli.shared.records.derivatives import Gradient

Stamp = tuple[int, int] | None  # modification time and size of a file; None if it does not exist


@click.command(
    "watch",
    cls=TargetCommand,
    short_help="Recompute the gradient each time the file is saved.",
    examples=(
        "gradcli watch file.py:f --at 1,2",
        "gradcli watch file.py:f --at @point.json --interval 1",
    ),
)
@target
@at
@wrt
@device
@click.option("--interval", type=click.FloatRange(0.01), default=0.3, metavar="S", help="Look every S seconds.")
@width
def command(target: str, at: str | None, wrt: str | None, device: str, interval: float, width: int | None) -> Exit:
    """Compute the gradient of TARGET, a function in a file, at POINT, and again each time the file is saved.

    A change of the point's file, or of a module that the file imports from its own folder, counts as well. Ctrl-C ends
    the watch.
    """
    from gradcli import queries
    from gradcli.terminal.cli.output import Output

    output, paths = Output(width=width), watched(target, at)
    shown = GradientDisplay(output.width, paths[0])

    def ask() -> Gradient:
        gradient: Gradient = output.of(queries.gradient, target, at, wrt=wrt, device=device)
        return gradient

    try:
        follow(ask, shown.show, paths, interval, lambda: queries.rested_on(paths[0]))
    except KeyboardInterrupt:
        write(sys.stderr, "\n")
        return Exit.INTERRUPTED
    return Exit.PASS


def watched(target: str, at: str | None) -> list[str]:
    """The files to watch: that of the function, and that of the point.

    Raises:
        UsageError: the target is not a function in a file.
    """
    path = target.partition(":")[0]
    if not os.path.isfile(os.path.expanduser(path)):
        what = f"There is no file {path!r}" if path.endswith(".py") else f"{target!r} is not a function in a file"
        raise UsageError(
            f"{what}: watch waits for a file to be saved.", hint="For example: gradcli watch file.py:f --at 1,2"
        )
    return [path, *([at[1:]] if at and at.startswith("@") else [])]


def follow(
    ask: Callable[[], Gradient],
    show: Callable[[Gradient | BaseException], bool],
    paths: list[str],
    interval: float,
    further: Callable[[], Mapping[str, Stamp]] = dict,
) -> None:
    """Compute and show the gradient now and after every save, until the reader of the output is gone.

    Args:
        ask: computes the gradient.
        show: shows a gradient or an error, and returns whether the output still has a reader.
        paths: the files to watch; a missing file is about to be written.
        interval: seconds between two checks of the files.
        beside: further files to watch, known after `ask`, with their stamps at the time when they were read.
    """
    seen: dict[str, Stamp] | None = None
    while True:
        now = {path: stamp(path) for path in (paths if seen is None else seen)}
        if now != seen and (seen is None or None not in (now[path] for path in paths)):
            if not show(answered(ask)):
                return
            seen = {**further(), **now}
        time.sleep(interval)


def answered(ask: Callable[[], Gradient]) -> Gradient | BaseException:
    """The gradient, or the exception: a file is often saved in an unfinished state."""
    try:
        return ask()
    except Exception as raised:
        return raised


def stamp(path: str) -> Stamp:
    """The modification time and size of a file, or None if it does not exist."""
    try:
        status = os.stat(os.path.expanduser(path))
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class GradientDisplay:
    """The display of `watch`, which remembers the last gradient shown.

    Args:
        width: the width in columns.
        path: the file to name as saved.
    """

    def __init__(self, width: int | None, path: str) -> None:
        self.width = width
        self.path = path
        self.last: Gradient | None = None

    def show(self, gradient: Gradient | BaseException) -> bool:
        """Write the first gradient in full, later ones as changes, and errors; False once the reader is gone."""
        from gradcli.terminal import render
        from gradcli.terminal.cli.exit_errors import as_error, text_of

        if isinstance(gradient, BaseException):
            return write(sys.stderr, text_of(as_error(gradient)))
        look = render.look_of(sys.stdout, self.width)
        last, self.last = self.last, gradient
        text = (
            render.record_text(gradient, look) if last is None else render.change_text(last, gradient, self.path, look)
        )
        findings = render.findings_text(gradient.findings, render.look_of(sys.stderr))
        return write(sys.stdout, text) and write(sys.stderr, findings)
