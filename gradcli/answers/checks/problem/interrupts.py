"""Ctrl-C, or the end of the time, in a check: the first one keeps what is finished, the second one aborts."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from gradcli.answers.checks.problem.time_budget import Clock
from gradcli.engine.code.reachable_objects import under


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
