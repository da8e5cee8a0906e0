"""A forked process in a group of its own, which ends together with all that it has started.

On Linux a process that calls `adopt_orphans` becomes the parent of descendants whose parents have ended, and finds
those that have left the group of the child. Elsewhere the group alone is ended.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
import warnings
from collections.abc import Callable

from gradcli.shared.process_control import end_with_parent

PAUSE = 0.02  # seconds between two looks at a child where the system has no descriptor for it
PATIENCE = 5.0  # seconds for killed processes to end


class ForkedChild:
    """A copy of this process that runs a function and exits.

    Args:
        body: the function.
    """

    def __init__(self, body: Callable[[], None]) -> None:
        parent = os.getpid()
        with warnings.catch_warnings(action="ignore"):  # those of threads, which have been counted
            self._process = os.fork()
        if not self._process:
            _run(body, parent)
        with contextlib.suppress(OSError):
            os.setpgid(self._process, self._process)
        self._handle = _descriptor(self._process)

    def code(self, seconds: float, watched: int) -> int | None:
        """The exit code, or the signal as a negative number; None after some seconds or when `watched` is readable."""
        latest = time.monotonic() + seconds
        while True:
            ended, status = os.waitpid(self._process, os.WNOHANG)
            if ended:
                return os.waitstatus_to_exitcode(status)
            left = latest - time.monotonic()
            handles = [watched] if self._handle is None else [watched, self._handle]
            pause = PAUSE if self._handle is None else min(left, 3600.0)
            if left <= 0 or watched in select.select(handles, [], [], max(pause, 0.0))[0]:
                return None

    def end(self) -> None:
        """End its group, and the descendants of this process that are outside of it."""
        if self._handle is not None:
            os.close(self._handle)
        with contextlib.suppress(OSError):
            os.killpg(self._process, signal.SIGKILL)
        latest = time.monotonic() + PATIENCE
        with contextlib.suppress(ChildProcessError):
            while time.monotonic() < latest:
                if os.waitpid(-1, os.WNOHANG)[0]:
                    continue
                for child in children():
                    with contextlib.suppress(OSError):
                        os.kill(child, signal.SIGKILL)
                time.sleep(0.002)


def _run(body: Callable[[], None], parent: int) -> None:
    """Run the function in the child, and exit."""
    try:
        os.setpgid(0, 0)
        end_with_parent(parent)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        body()
    finally:
        os._exit(0)


def _descriptor(process: int) -> int | None:
    """A descriptor that becomes readable when a process ends; None where the system has none."""
    with contextlib.suppress(AttributeError, OSError):
        return os.pidfd_open(process)
    return None


def children() -> set[int]:
    """The children of this process on Linux; empty elsewhere."""
    numbers: set[int] = set()
    with contextlib.suppress(OSError):
        for thread in os.listdir("/proc/self/task"):
            with open(f"/proc/self/task/{thread}/children", encoding="ascii") as listed:
                numbers |= set(map(int, listed.read().split()))
    return numbers
