"""The time that a computation in many digits may take, and the interruption that ends it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Step = TypeVar("Step")

SECONDS = 20.0  # what the exact reference of one point may take, second looks with it


class TooLongError(ArithmeticError):
    """A program of more operations, or of more time, than many digits are worth."""


_end: ContextVar[tuple[float, Callable[[], bool]]] = ContextVar("end", default=(math.inf, bool))


@contextmanager
def within(seconds: float, is_over: Callable[[], bool] | None = None) -> Iterator[None]:
    """Let all that is played inside end in so many seconds, taken together, and as soon as `is_over` says so."""
    end, outer = _end.get()
    token = _end.set((min(end, time.monotonic() + seconds), is_over or outer))
    try:
        yield
    finally:
        _end.reset(token)


def is_interrupted() -> bool:
    """Whether `is_over` of the innermost `within` that has one says that no more is to be begun."""
    return _end.get()[1]()


def until_interrupted(steps: Iterable[Step]) -> Iterator[Step]:
    """The steps, up to an interruption.

    Raises:
        TooLongError: it came.
    """
    for step in steps:
        if is_interrupted():
            raise TooLongError("it was interrupted")
        yield step


class Deadline:
    """The time that is left; asked between nodes."""

    def __init__(self, seconds: float = SECONDS) -> None:
        now = time.monotonic()
        end, self.is_over = _end.get()
        self.end = min(now + seconds, end)
        self.seconds = max(0.0, self.end - now)

    def check(self) -> None:
        """Refuse to go on once the time is up.

        Raises:
            TooLongError: it is.
        """
        if self.is_over():
            raise TooLongError("it was interrupted")
        if time.monotonic() > self.end:
            raise TooLongError(f"it takes longer than the {self.seconds:.2g} seconds that it has")
