"""Time limits and interruptions of computations in many digits."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Step = TypeVar("Step")

SECONDS = 20.0  # time limit for the exact reference at one point, including second looks


class TooLongError(ArithmeticError):
    """A program takes more operations, or more time, than an exact computation is worth."""


_end: ContextVar[tuple[float, Callable[[], bool]]] = ContextVar("end", default=(math.inf, bool))


@contextmanager
def time_limit(seconds: float, is_over: Callable[[], bool] | None = None) -> Iterator[None]:
    """Limit the computations inside to `seconds` in total, and end them as soon as `is_over` returns True."""
    end, outer = _end.get()
    token = _end.set((min(end, time.monotonic() + seconds), is_over or outer))
    try:
        yield
    finally:
        _end.reset(token)


def is_interrupted() -> bool:
    """Whether `is_over` of the innermost `time_limit` that has one returns True."""
    return _end.get()[1]()


def until_interrupted(steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps until an interruption.

    Raises:
        TooLongError: the computation was interrupted.
    """
    for step in steps:
        if is_interrupted():
            raise TooLongError("it was interrupted")
        yield step


class Deadline:
    """The remaining time of a computation, checked between nodes."""

    def __init__(self, seconds: float = SECONDS) -> None:
        now = time.monotonic()
        end, self.is_over = _end.get()
        self.end = min(now + seconds, end)
        self.seconds = max(0.0, self.end - now)

    def check(self, needed: float = 0.0) -> None:
        """Stop a computation whose time is up, or will be before it has the seconds that it needs.

        Raises:
            TooLongError: the time is up, or the computation was interrupted.
        """
        if self.is_over():
            raise TooLongError("it was interrupted")
        if time.monotonic() + needed > self.end:
            raise TooLongError(f"it takes longer than the {self.seconds:.2g} seconds allowed")
