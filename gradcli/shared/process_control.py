"""Ties between a process and its parent that only Linux has."""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself makes enumerations, at every start
import functools
import os
import sys
from typing import Any

_SET_PARENT_DEATH_SIGNAL, _SET_CHILD_SUBREAPER = 1, 36


def end_with_parent(parent: int, number: int = signal.SIGKILL) -> None:
    """Let the system end this process when its parent ends, or no more, with 0; does nothing except on Linux."""
    if _controlled(_SET_PARENT_DEATH_SIGNAL, number) and os.getppid() != parent:  # it has ended before
        os._exit(1)


def adopt_orphans() -> None:
    """Make this process the parent of descendants whose parents end; does nothing except on Linux."""
    _controlled(_SET_CHILD_SUBREAPER, 1)


def _controlled(option: int, value: int) -> bool:
    """Set an attribute of this process, and return whether the system has it."""
    if sys.platform != "linux":
        return False
    _library().prctl(option, value)
    return True


@functools.cache
def _library() -> Any:
    """The C library, which forked children have from their parent."""
    import ctypes  # NumPy imports it as well

    return ctypes.CDLL(None)
