"""The time that a check may take, what it has used, and who is told of its progress."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gradcli.errors import OutOfTimeError
from gradcli.records import Finding

GRACE = 0.5  # seconds that a call may take longer than the time


class Listener:
    """Who is told of the progress of a check; this one does not care."""

    def say(self, found: Finding) -> None:
        """A finding that has to be known before the run goes on."""

    def tick(self, calls: int, expected: int) -> None:
        """One more call of the user's function is done."""

    def interrupted(self) -> None:
        """Ctrl-C came, and what is done is being judged."""


class Clock:
    """Counts calls, and says when the time is over.

    Args:
        seconds: how long the check may take; None for as long as it likes.
        listener: who is told of the progress.

    Attributes:
        calls: how many calls of the function were made.
        stopped: why no more are made: "out of time" or "interrupted"; None while they are.
    """

    def __init__(self, seconds: float | None = None, listener: Listener | None = None) -> None:
        self.seconds = seconds
        self.listener = listener or Listener()
        self.started = time.monotonic()
        self.calls = 0
        self.expected = 0
        self.stopped: str | None = None

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return self.seconds is not None and time.monotonic() - self.started >= self.seconds

    def tick(self) -> None:
        """Count one call."""
        self.calls += 1
        self.listener.tick(self.calls, self.expected)

    @contextmanager
    def alarm(self) -> Iterator[None]:
        """End what goes on inside when the time is over, even in the middle of a call.

        Raises:
            OutOfTimeError: it was.
        """
        if self.seconds is None or threading.current_thread() is not threading.main_thread():
            yield
            return
        rings = threading.Event()

        def ring() -> None:
            if self.stopped is None:  # else it is ending already
                rings.set()
                _thread.interrupt_main()

        left = self.seconds - (time.monotonic() - self.started)
        timer = threading.Timer(max(0.0, left) + GRACE, ring)
        timer.daemon = True
        timer.start()
        try:
            with _heard(rings):
                yield
        except KeyboardInterrupt:
            if not rings.is_set():
                raise
            raise self.out_of_time() from None
        finally:
            timer.cancel()

    def out_of_time(self) -> OutOfTimeError:
        """The error that says so."""
        return OutOfTimeError(
            f"The {self.seconds:g} seconds that --max-seconds allows were over before anything was decided.",
            hint="Allow more time, or check fewer inputs with --wrt. `gradcli help G908` says more.",
        )


@contextmanager
def _heard(rings: threading.Event) -> Iterator[None]:
    """Let the alarm interrupt a process that ignores Ctrl-C, as one does that a script started in the background."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        yield
        return

    def interrupt(number: int, frame: Any) -> None:
        if rings.is_set():
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
