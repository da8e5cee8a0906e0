"""Progress of a long check on stderr: findings as they occur, and a progress bar if stderr is a terminal."""

from __future__ import annotations

import sys
import time

from gradcli.shared.records.result_and_finding import Finding
from gradcli.terminal.cli.streams import write

EVERY = 0.2  # seconds between two updates
BACK = "\r\x1b[K"  # erases a line
WIDTH = 24
PATIENCE = 1.0  # seconds before the first update


class Progress:
    """The listener of a check: prints findings immediately, and draws a progress bar on a terminal.

    Args:
        quiet: whether to print nothing, as with JSON output.
    """

    def __init__(self, quiet: bool = False) -> None:
        from gradcli.terminal import render

        self.look = render.look_of(sys.stderr)
        self.stream = sys.stderr
        self.quiet = quiet
        self.shown: list[Finding] = []
        self.begun = self.drawn = time.monotonic()

    def say(self, finding: Finding) -> None:
        """Print a finding immediately."""
        from gradcli.terminal import render

        if not self.quiet:
            self.shown.append(finding)
            write(self.stream, render.findings_text([finding], self.look))

    def tick(self, calls: int, expected: int) -> None:
        """Draw the bar, at most once per interval."""
        now = time.monotonic()
        if not self.quiet and self.look.terminal and now - self.drawn >= EVERY and now - self.begun >= PATIENCE:
            self.drawn = now
            write(self.stream, "\r" + bar(calls, max(calls, expected), self.look.unicode))

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

    def clear(self) -> None:
        """Erase the bar."""
        if self.drawn > self.begun:
            write(self.stream, "\r" + " " * (WIDTH + 30) + "\r")
            self.begun = self.drawn


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
