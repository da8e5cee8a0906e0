"""`gradcli watch`: the gradient of a function, recomputed each time its file is saved."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import Exit, UsageError
from gradcli.terminal.cli.options import TargetCommand, at, device, target, width, wrt
from gradcli.terminal.cli.streams import write

if TYPE_CHECKING:
    from gradcli.shared.records.checks import Comparison
    from gradcli.shared.records.derivatives import Gradient

    Answer = Gradient | Comparison

Stamp = tuple[int, int] | None  # modification time and size of a file; None if it does not exist


@click.command(
    "watch",
    cls=TargetCommand,
    short_help="Recompute the gradient each time the file is saved.",
    examples=(
        "gradcli watch file.py:f --at 1,2",
        "gradcli watch file.py:f --at @point.json --against grad_f",
    ),
)
@target
@at
@click.option("--against", metavar="TARGET", help="A gradient to check at each save: grad_f, 12,4 or '2*x*y, x^2'.")
@wrt
@device
@click.option("--interval", type=click.FloatRange(0.01), default=0.3, metavar="S", help="Look every S seconds.")
@width
def command(target: str, at: str | None, against: str | None, interval: float, **options: Any) -> Exit:
    """Compute the gradient of TARGET, a function in a file, at POINT, and again each time the file is saved.

    A change of the point's file, or of a module that the file imports from its own folder, counts as well. Ctrl-C ends
    the watch. With --against, a gradient is checked.
    """
    from gradcli import queries
    from gradcli.shared.records.check_request import CheckRequest
    from gradcli.terminal.cli.output import Output

    output, paths = Output(width=options.pop("width")), watched(target, at, against)
    shown = AnswerDisplay(output.width, paths[0])

    def ask() -> Answer:
        answer: Answer = (
            output.of(queries.gradient, target, at, **options)
            if against is None
            else output.of(queries.check, target, at, CheckRequest(against=against, **options))
        )
        return answer

    try:
        follow(ask, shown.show, paths, interval, lambda: queries.dependencies(paths[0]))
    except KeyboardInterrupt:
        write(sys.stderr, "\n")
        return Exit.INTERRUPTED
    return Exit.PASS


def watched(target: str, at: str | None, against: str | None = None) -> list[str]:
    """The files to watch: that of the function, those of the point, and of a gradient in another file.

    Raises:
        UsageError: the target is not a function in a file.
    """
    path = target.partition(":")[0]
    if not os.path.isfile(os.path.expanduser(path)):
        what = f"There is no file {path!r}" if path.endswith(".py") else f"{target!r} is not a function in a file"
        raise UsageError(
            f"{what}: watch waits for a file to be saved.", hint="For example: gradcli watch file.py:f --at 1,2"
        )
    other = against.partition(":")[0] if against and ":" in against else path
    return list(dict.fromkeys([path, *([at[1:]] if at and at.startswith("@") else []), other]))


def follow(
    ask: Callable[[], Answer],
    show: Callable[[Answer | BaseException], bool],
    paths: list[str],
    interval: float,
    further: Callable[[], Mapping[str, Stamp]] = dict,
) -> None:
    """Compute and show the gradient now and after every save, until the reader of the output is gone.

    Args:
        ask: computes the gradient, or checks one.
        show: shows an answer or an error, and returns whether the output still has a reader.
        paths: the files to watch; a missing file is about to be written.
        interval: seconds between two checks of the files.
        further: more files to watch, known after `ask`, with their stamps at the time when they were read.
    """
    seen: dict[str, Stamp] | None = None
    while True:
        now = {path: stamp(path) for path in (paths if seen is None else seen)}
        if now != seen and (seen is None or None not in (now[path] for path in paths)):
            try:
                answer: Answer | BaseException = ask()
            except Exception as raised:  # a file is often saved in an unfinished state
                answer = raised
            if not show(answer):
                return
            seen = {**further(), **now}
        time.sleep(interval)


def stamp(path: str) -> Stamp:
    """The modification time and size of a file, or None if it does not exist."""
    try:
        status = os.stat(os.path.expanduser(path))
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


class AnswerDisplay:
    """The display of `watch`, which remembers the last answer shown.

    Args:
        width: the width in columns.
        path: the file to name as saved.
    """

    def __init__(self, width: int | None, path: str) -> None:
        self.width = width
        self.path = path
        self.last: Answer | None = None

    def show(self, answer: Answer | BaseException) -> bool:
        """Write the first answer in full, later ones as changes, and errors; False once the reader is gone."""
        from gradcli.terminal import render
        from gradcli.terminal.cli.exit_errors import as_error, text_of

        if isinstance(answer, BaseException):
            return write(sys.stderr, text_of(as_error(answer)))
        look = render.look_of(sys.stdout, self.width)
        last, self.last = self.last, answer
        text = render.record_text(answer, look) if last is None else render.change_text(last, answer, self.path, look)
        findings = render.findings_text(answer.findings, render.look_of(sys.stderr))
        return write(sys.stdout, text) and write(sys.stderr, findings)
