"""The time that a check may take, what it has used, and who is told of its progress."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from gradcli.errors import OutOfTimeError
from gradcli.records import Finding

T = TypeVar("T")

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
        seconds: how long the check may take; None, and infinity, for as long as it likes.
        listener: who is told of the progress.

    Attributes:
        calls: how many calls of the function were made.
        stopped: why no more are made: "out of time" or "interrupted"; None while they are.
    """

    def __init__(self, seconds: float | None = None, listener: Listener | None = None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self.listener = listener or Listener()
        self.started = time.monotonic()
        self.calls = 0
        self.expected = 0
        self.stopped: str | None = None

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() - self.started >= self.seconds

    def tick(self) -> None:
        """Count one call."""
        self.calls += 1
        self.listener.tick(self.calls, self.expected)

    def limit(self, function: Callable[[], T]) -> T:
        """Call a function, and end it when the time is over, even in the middle of a call that it makes.

        A signal ends it, so that a call that waits in the system ends too.  Without `pthread_kill`, as on Windows, a
        call that waits for anything but the time to pass ends when it returns; outside the main thread none is ended.

        Raises:
            OutOfTimeError: it was.
        """
        if self.seconds == math.inf or threading.current_thread() is not threading.main_thread():
            return function()
        rings, lock, has_ended = threading.Event(), threading.Lock(), threading.Event()

        def ring() -> None:
            with lock:
                if self.stopped is None and not has_ended.is_set():  # else it is ending already
                    rings.set()
                    _interrupt_main_thread()

        left = self.seconds - (time.monotonic() - self.started)
        timer = threading.Timer(min(max(0.0, left) + GRACE, threading.TIMEOUT_MAX), ring)
        timer.daemon = True
        try:
            try:
                timer.start()
                with _heard(rings):
                    return function()
            finally:
                timer.cancel()
                with lock:  # a signal that was sent arrives in here
                    has_ended.set()
        except KeyboardInterrupt:
            if not rings.is_set():
                raise
            raise self.out_of_time() from None

    def out_of_time(self) -> OutOfTimeError:
        """The error that says so."""
        return OutOfTimeError(
            f"The time that --max-seconds allows, {self.seconds:g} s, was over before anything was decided.",
            hint="Allow more time, or check fewer inputs with --wrt. `gradcli help G908` says more.",
        )


def _interrupt_main_thread() -> None:
    """Send what Ctrl-C sends to this process alone; a program that it waits for gets nothing."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


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
