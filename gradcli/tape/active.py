"""Which runs go on in this thread: a transform inside a transform shares the outer tape."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from gradcli.tape.tape import Tape


class _Active(threading.local):
    def __init__(self) -> None:
        self.tapes: list[Tape] = []


_active = _Active()


def tape() -> Tape | None:
    """The tape of the run that goes on in this thread, or None."""
    tapes = _active.tapes
    return tapes[-1] if tapes else None


def call(tape: Tape, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
    """Call `function` as a run on `tape`."""
    tapes = _active.tapes
    tapes.append(tape)
    try:
        return function(*arguments)
    finally:
        tapes.pop()
