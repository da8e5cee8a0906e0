"""Ctrl-C while a check judges what it has gathered: what is done is kept, and a second one gives up."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from gradcli.checks.problem.time_budget import Clock
from gradcli.code.reachable_code import under


@contextmanager
def deferred(clock: Clock, functions: Iterable[Callable[..., Any]]) -> Iterator[None]:
    """Let a Ctrl-C inside stop the clock; it interrupts where one of the functions runs, and the second time anywhere.

    Args:
        clock: which says that no more calls are made; its listener is told.
        functions: the user's, which may run without an end.
    """
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    codes = {_place(code) for function in functions if (code := getattr(under(function), "__code__", None))}

    def interrupt(number: int, frame: FrameType | None) -> None:
        if clock.stopped or clock.over or any(_place(each) in codes for each in _running(frame)):
            raise KeyboardInterrupt
        clock.stopped = "interrupted"
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
    """By what a function is known of which another copy runs, as one does with other globals."""
    return code.co_filename, code.co_firstlineno, code.co_name
