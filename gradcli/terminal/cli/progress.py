"""Progress of a long check on stderr: findings as they occur, and a progress bar if stderr is a terminal."""

from __future__ import annotations

import sys
import time

from gradcli.errors import OutOfTimeError
from gradcli.shared.records.result_and_finding import Finding
from gradcli.terminal.cli.streams import write

EVERY = 0.2  # seconds between two updates
WIDTH = 24
PATIENCE = 1.0  # seconds before the first update


class Progress:
    """The listener of a check: prints findings immediately, and draws a progress bar on a terminal.

    Args:
        quiet: whether to print nothing, as with JSON output.
        may_exit: whether the process may be ended if the code ignores the time limit; a session may not.
    """

    def __init__(self, quiet: bool = False, *, may_exit: bool = False) -> None:
        from gradcli.terminal import render

        self.look = render.look_of(sys.stderr)
        self.stream = sys.stderr
        self.quiet = quiet
        self.may_exit = may_exit
        self.shown: list[Finding] = []
        self.begun = self.drawn = time.monotonic()

    @property
    def is_seen(self) -> bool:
        """Whether a finding or the bar was drawn, so that another progress message is not needed."""
        return bool(self.shown) or self.drawn > self.begun

    def say(self, finding: Finding) -> None:
        """Print a finding immediately."""
        from gradcli.terminal import render

        if not self.quiet:
            self.shown.append(finding)
            write(self.stream, render.findings_text([finding], self.look))

    def tick(self, calls: int, expected: int) -> None:
        """Draw the bar, at most once per interval."""
        now = time.monotonic()
        if self.quiet or not self.look.terminal or now - self.drawn < EVERY or now - self.begun < PATIENCE:
            return
        self.drawn = now
        write(self.stream, "\r" + bar(calls, max(calls, expected), self.look.unicode))

    def interrupted(self) -> None:
        """Confirm Ctrl-C, and say what a second one does."""
        if not self.quiet:
            self.clear()
            below = "\n" if self.look.terminal else ""  # the line with the terminal's ^C
            write(self.stream, f"{below}interrupted: judging the finished part; press Ctrl-C again to stop\n")

    def ignored(self, error: OutOfTimeError) -> None:
        """End the process with the error, as nothing else ends code that ignores an interrupt."""
        if not self.may_exit:
            return
        from gradcli.terminal.cli import command_process
        from gradcli.terminal.cli.exit_errors import json_of, text_of

        try:
            self.clear()
            write(self.stream, json_of(error) if self.quiet else text_of(error))
        finally:
            command_process.leave(error.exit)

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
