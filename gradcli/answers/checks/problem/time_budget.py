"""The time limit of a check, Ctrl-C, and the listener for progress. An interruption keeps what is finished."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any, TypeVar

from gradcli.engine.code.function_contents import under
from gradcli.errors import OutOfTimeError
from gradcli.shared.records.result_and_finding import Finding

T = TypeVar("T")

GRACE = 0.5  # seconds that the current call may exceed the limit
LATE = 3.0  # seconds after the interrupt until the code counts as ignoring it
MARGIN = 0.5  # seconds until it is ended


class NoMoreCalls(Exception):
    """No more calls of the user's function are allowed: the time is over, or the user interrupted."""


class ProgressListener:
    """A listener for the progress of a check; this one ignores it."""

    def say(self, finding: Finding) -> None:
        """Report a finding that the user should see before the run continues."""

    def tick(self, calls: int, expected: int) -> None:
        """Report that one more call of the user's function begins."""

    def interrupted(self) -> None:
        """Report that Ctrl-C came, and that the finished rows are being checked."""

    def limited(self, seconds: float, given: float) -> None:
        """Report after how many seconds the process may be ended, as the limit is `given`; infinity for no limit."""


class Clock:
    """Counts calls, and tells when the time is over.

    Args:
        seconds: the time limit in seconds; None and infinity mean no limit.
        listener: the listener for progress.

    Attributes:
        calls: the number of calls of the function so far.
        stopped: the reason why no more calls are made, "out of time" or "interrupted"; None before that.
    """

    def __init__(self, seconds: float | None = None, listener: ProgressListener | None = None) -> None:
        self.seconds = math.inf if seconds is None else seconds
        self.listener = listener or ProgressListener()
        self.started = time.monotonic()
        self.calls = 0
        self.expected = 0
        self.stopped: str | None = None

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() - self.started >= self.seconds

    @property
    def has_ended(self) -> bool:
        """Whether nothing new may begin."""
        return self.over or self.stopped is not None

    def begin_call(self) -> None:
        """Count one more call of the function.

        Raises:
            NoMoreCalls: the time is over, or the user interrupted.
        """
        if self.stopped is None and time.monotonic() - self.started >= self.seconds:
            self.stopped = "out of time"
        if self.stopped:
            raise NoMoreCalls(self.stopped)
        self.calls += 1
        self.listener.tick(self.calls, self.expected)

    def limit(self, function: Callable[[], T]) -> T:
        """Call a function, and interrupt it when the time is over, even inside a call that it makes.

        The interrupt is a signal, which also ends a blocking system call. Without `pthread_kill`, as on Windows, a
        blocking call other than a sleep ends only when it returns. Outside the main thread nothing is interrupted.
        The listener knows when the process may be ended, if the code ignores the interrupt, as `os.system` does.

        Raises:
            OutOfTimeError: the function was interrupted.
        """
        if self.seconds == math.inf or threading.current_thread() is not threading.main_thread():
            return function()
        rings, lock, has_ended = threading.Event(), threading.Lock(), threading.Event()

        def interrupt() -> None:
            with lock:
                if not has_ended.is_set():
                    rings.set()
                    _interrupt_main_thread()

        def ring() -> None:
            if self.stopped is None:
                interrupt()
                if has_ended.wait(LATE):
                    return
            if self.stopped is not None:
                self.listener.limited(self.seconds + LATE, self.seconds)
                if not has_ended.wait(self.seconds):  # it takes too long to judge what is finished
                    interrupt()

        left = self.seconds - (time.monotonic() - self.started)
        self.listener.limited(max(0.0, left) + GRACE + LATE + MARGIN, self.seconds)
        timer = threading.Timer(min(max(0.0, left) + GRACE, threading.TIMEOUT_MAX), ring)
        timer.daemon = True
        try:
            try:
                timer.start()
                with _heard(rings):
                    return function()
            finally:
                timer.cancel()
                self.listener.limited(math.inf, self.seconds)
                with lock:  # a signal that was sent arrives here at the latest
                    has_ended.set()
        except KeyboardInterrupt:
            if not rings.is_set():
                raise
            raise OutOfTimeError.of_check(self.seconds) from None


def _interrupt_main_thread() -> None:
    """Send SIGINT to this process alone; child processes that it waits for do not receive it."""
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        signal.raise_signal(signal.SIGINT)


@contextmanager
def _heard(rings: threading.Event) -> Iterator[None]:
    """Let the alarm interrupt a process that ignores SIGINT, such as a background job of a script."""
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


@contextmanager
def deferred_interrupt(clock: Clock, functions: Iterable[Callable[..., Any]]) -> Iterator[None]:
    """Let the first interrupt stop the clock, and a user's function that is running; the second one ends the check.

    Args:
        clock: the clock, which prevents further calls; its listener is notified.
        functions: the user's functions, which may never return.
    """
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    codes = {_place(code) for function in functions if (code := getattr(under(function), "__code__", None))}

    def interrupt(number: int, frame: FrameType | None) -> None:
        if clock.stopped:
            raise KeyboardInterrupt
        clock.stopped = "out of time" if clock.over else "interrupted"
        if any(_place(running) in codes for running in _running(frame)):
            raise KeyboardInterrupt
        if not clock.over:
            clock.listener.interrupted()

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _running(frame: FrameType | None) -> Iterator[CodeType]:
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def _place(code: CodeType) -> tuple[str, int, str]:
    """The identity of a function's code that its copies with other globals share."""
    return code.co_filename, code.co_firstlineno, code.co_name
