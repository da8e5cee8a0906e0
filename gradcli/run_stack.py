"""The runs active in this thread, innermost last. A transform inside a transform shares the outer tape."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any


class _Stack(threading.local):
    def __init__(self) -> None:
        self.tapes: list[Any] = []  # `active_tape` of `tape.tape` gives the innermost with its type


stack = _Stack()
reserve: object = None  # memory that a run which exhausts memory releases; see `tape.memory_reserve`


def depth() -> int:
    """The number of nested runs in this thread."""
    return len(stack.tapes)


def call(tape: Any, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call `function` as a run on `tape`."""
    global reserve  # noqa: PLW0603 - the memory belongs to the process
    tapes = stack.tapes
    try:
        tapes.append(tape)  # inside the try block, as Ctrl-C may arrive directly after the append
        return function(*arguments)
    except MemoryError:
        reserve = None
        raise
    finally:
        tapes.pop()


@contextmanager
def suspended() -> Iterator[None]:
    """A context without an active run, for code whose names may be patched during a run."""
    stack.tapes, tapes = [], stack.tapes
    try:
        yield
    finally:
        stack.tapes = tapes


def frames(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield the frames from `frame` outwards to the call of this thread's outermost run."""
    runs = depth()
    while frame is not None and runs:
        yield frame
        runs -= frame.f_code is call.__code__
        frame = frame.f_back


def notice(error: BaseException) -> None:
    """Store an error on the active run, so that the run is refused even if its code catches the error."""
    if stack.tapes and stack.tapes[-1].run.lost is None:
        stack.tapes[-1].run.lost = error
