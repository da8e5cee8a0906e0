"""What a long run says of itself on stderr: how long it will take, how far it is; a bar only where a person watches."""

from __future__ import annotations

import sys
import time

from gradcli.cli.streams import write
from gradcli.records import Finding

EVERY = 0.2  # seconds between two drawings
WIDTH = 24
PATIENCE = 1.0  # seconds before the first


class Progress:
    """The listener of a check: says at once what has to be known before, and draws a bar on a terminal.

    Args:
        quiet: whether nothing is said, as where the answer is JSON.
    """

    def __init__(self, quiet: bool = False) -> None:
        from gradcli import render

        self.look = render.look_of(sys.stderr)
        self.stream = sys.stderr
        self.quiet = quiet
        self.said: list[Finding] = []
        self.begun = self.drawn = time.monotonic()

    @property
    def is_seen(self) -> bool:
        """Whether there was a sign of life, so that another one would only be written across the bar."""
        return bool(self.said) or self.drawn > self.begun

    def say(self, found: Finding) -> None:
        """Write a finding now, not at the end."""
        from gradcli import render

        if not self.quiet:
            self.said.append(found)
            write(self.stream, render.findings_text([found], self.look))

    def tick(self, calls: int, expected: int) -> None:
        """Draw the bar, not too often."""
        now = time.monotonic()
        if self.quiet or not self.look.terminal or now - self.drawn < EVERY or now - self.begun < PATIENCE:
            return
        self.drawn = now
        write(self.stream, "\r" + bar(calls, max(calls, expected), self.look.unicode))

    def interrupted(self) -> None:
        """Say that Ctrl-C was heard, and what the next one does."""
        if not self.quiet:
            self.clear()
            below = "\n" if self.look.terminal else ""  # the ^C of the terminal
            write(self.stream, f"{below}interrupted: what is done is being judged; Ctrl-C again gives up\n")

    def clear(self) -> None:
        """Take the bar away."""
        if self.drawn > self.begun:
            write(self.stream, "\r" + " " * (WIDTH + 30) + "\r")
            self.begun = self.drawn


def bar(calls: int, expected: int, signs: bool = True) -> str:
    """How many of the calls are done, drawn and counted."""
    full, empty = ("━", "─") if signs else ("#", "-")
    done = WIDTH * calls // max(expected, 1)
    return f"{full * done}{empty * (WIDTH - done)} {calls} of about {expected} calls"
