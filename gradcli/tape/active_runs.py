"""The runs active in this thread. A transform inside a transform shares the outer tape."""

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
    """The tape of this thread's innermost run, or None."""
    tapes = _active.tapes
    return tapes[-1] if tapes else None


def depth() -> int:
    """The number of nested runs in this thread."""
    return len(_active.tapes)


def call(tape: Tape, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call `function` as a run on `tape`."""
    tapes = _active.tapes
    try:
        tapes.append(tape)  # inside the try block, as Ctrl-C may arrive directly after the append
        return function(*arguments)
    except MemoryError:
        memory_reserve.held = None
        raise
    finally:
        tapes.pop()


@contextmanager
def _outside() -> Iterator[None]:
    """A context without an active run, even where names are patched."""
    _active.tapes, tapes = [], _active.tapes
    try:
        yield
    finally:
        _active.tapes = tapes


def frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frames from `frame` outwards to the call of this thread's outermost run."""
    runs = depth()
    while frame is not None and runs:
        yield frame
        runs -= frame.f_code is call.__code__
        frame = frame.f_back


def _notice(error: TapeError) -> None:
    """Store an error on the active run, so that the run is refused even if its code catches the error."""
    going_on = tape()
    if going_on is not None and going_on.lost is None:
        going_on.lost = error


class Inside:
    """Hooks for code on the tape, set by modules of higher layers.

    Attributes:
        run: runs a function inside the active run.
        numpy: returns the NumPy namespace that accepts recorded values.
    """

    run: Callable[..., Any]
    numpy: Callable[[], Any]


TapeError.noticed = staticmethod(_notice)
Outside.enter = staticmethod(_outside)
