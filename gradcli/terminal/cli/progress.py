"""Progress of a long run on stderr: findings of a check as they occur, and a line that is drawn again and again."""

from __future__ import annotations

import os
import sys
import time

from gradcli.shared.records.result_and_finding import Finding
from gradcli.terminal.cli.streams import write

EVERY = 0.2  # seconds between two updates
BACK = "\r\x1b[K"  # erases a line
WIDTH = 24
PATIENCE = 1.0  # seconds of a check before the first update


class ProgressLine:
    """The last line of stderr, if that is a terminal that can erase it.

    Args:
        quiet: whether to draw nothing, as with JSON output.
        patience: seconds until it is drawn for the first time.
    """

    def __init__(self, quiet: bool = False, patience: float = EVERY) -> None:
        from gradcli.terminal import render

        self.stream = sys.stderr  # of the command; that of the user's code is muted while it runs
        self.look = render.look_of(self.stream)
        self.is_wanted = not quiet and self.look.terminal and os.environ.get("TERM") != "dumb"
        self.started = time.monotonic()
        self._next = self.started + patience
        self._is_drawn = False

    @property
    def is_due(self) -> bool:
        """Whether to draw the line now; at most once per interval."""
        return self.is_wanted and time.monotonic() >= self._next

    def draw(self, text: str) -> None:
        """Draw the line in place of the one before."""
        self._is_drawn, self._next = True, time.monotonic() + EVERY
        write(self.stream, BACK + text)

    def clear(self) -> None:
        if self._is_drawn:
            self._is_drawn = False
            write(self.stream, BACK)


class Progress(ProgressLine):
    """The listener of a check: prints findings immediately, and draws a progress bar."""

    def __init__(self, quiet: bool = False) -> None:
        super().__init__(quiet, PATIENCE)
        self.quiet = quiet
        self.shown: list[Finding] = []

    def say(self, finding: Finding) -> None:
        """Print a finding immediately."""
        from gradcli.terminal import render

        if not self.quiet:
            self.clear()
            self.shown.append(finding)
            write(self.stream, render.findings_text([finding], self.look))

    def tick(self, calls: int, expected: int) -> None:
        if self.is_due:
            self.draw(bar(calls, max(calls, expected), self.look.unicode))

    def interrupted(self) -> None:
        """Confirm Ctrl-C, and say what a second one does."""
        if not self.quiet:
            self.clear()
            below = "\n" if self.look.terminal else ""  # the line with the terminal's ^C
            write(self.stream, f"{below}interrupted: judging the finished part; press Ctrl-C again to stop\n")

    def limited(self, seconds: float, given: float) -> None:
        """Let the process be ended then, as nothing else ends code that ignores an interrupt; a session is not."""
        from gradcli.terminal.cli import command_process

        command_process.limit(seconds, given)


def bar(calls: int, expected: int, signs: bool = True) -> str:
    """A bar with the number of calls made and expected."""
    full, empty = ("━", "─") if signs else ("#", "-")
    done = WIDTH * calls // max(expected, 1)
    return f"{full * done}{empty * (WIDTH - done)} {calls} of about {expected} calls"


def rate_text(done: int, count: int, what: str, lately: tuple[int, float]) -> str:
    """The progress of a run: how much is done, the rate, and the estimated time left.

    Args:
        done, count: how many are finished, and how many there are.
        what: their name, such as `cases`.
        lately: how many were finished in this run, and in how many seconds.
    """
    finished, seconds = lately
    if not finished or not seconds:
        return f"{done:,} of {count:,} {what}"
    rate = finished / seconds
    shown = f"{rate:,.1f}" if rate < 100 else f"{rate:,.0f}"
    return f"{done:,} of {count:,} {what}, {shown} a second, about {(count - done) / rate:.0f} s left"
