"""Which runs go on in this thread: a transform inside a transform shares the outer tape."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any

from gradcli.devices import Outside
from gradcli.errors import TapeError
from gradcli.tape import memory_reserve
from gradcli.tape.tape import Tape


class _Active(threading.local):
    def __init__(self) -> None:
        self.tapes: list[Tape] = []


_active = _Active()


def tape() -> Tape | None:
    """The tape of the run that goes on in this thread, or None."""
    tapes = _active.tapes
    return tapes[-1] if tapes else None


def depth() -> int:
    """How many runs go on in this thread, one inside the other."""
    return len(_active.tapes)


def call(tape: Tape, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call `function` as a run on `tape`."""
    tapes = _active.tapes
    try:
        tapes.append(tape)  # inside, for Ctrl-C may come when it is done
        return function(*arguments)
    except MemoryError:
        memory_reserve.held = None
        raise
    finally:
        tapes.pop()


@contextmanager
def _outside() -> Iterator[None]:
    """Code in which no run goes on, whatever its names have been lent."""
    _active.tapes, tapes = [], _active.tapes
    try:
        yield
    finally:
        _active.tapes = tapes


def frames(frame: FrameType | None) -> Iterator[FrameType]:
    """The frames from `frame` out to where the outermost run of this thread was called."""
    runs = depth()
    while frame is not None and runs:
        yield frame
        runs -= frame.f_code is call.__code__
        frame = frame.f_back


def _notice(error: TapeError) -> None:
    """Let the run that goes on remember that it cannot be followed."""
    going_on = tape()
    if going_on is not None and going_on.lost is None:
        going_on.lost = error


class Inside:
    """What a run offers to what it records; the modules that stand above say what it is.

    Attributes:
        run: runs a function inside the run that goes on.
        numpy: the module of NumPy's functions that follow recorded values.
    """

    run: Callable[..., Any]
    numpy: Callable[[], Any]


TapeError.noticed = staticmethod(_notice)
Outside.enter = staticmethod(_outside)
