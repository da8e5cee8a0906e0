"""The guardian of a worker: its parent, which ends all processes of the cases when the worker or the run ends.

The guardian waits for the end of a pipe that only the run keeps open, so it outlives the run, however that ends. On
Linux it adopts the processes whose parents have ended, and finds those that have left the group of the worker.
Elsewhere it ends the group only. Without `fork`, as on Windows, there is no guardian: the run ends the worker alone.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time

from gradcli.process_control import adopt_orphans, end_with_parent

PAUSE = 0.05  # seconds between two looks at the worker
PATIENCE = 5.0  # seconds for killed processes to end


def guard(life: int, answers: int) -> None:
    """Fork the worker, in which alone this function returns.

    Args:
        life: the reading end of a pipe that the run holds open.
        answers: the writing end of a pipe, for the exit code of the worker, or its signal as a negative number.
    """
    guardian = os.getpid()
    adopt_orphans()
    worker = os.fork()
    if not worker:
        os.close(life)
        os.setpgid(0, 0)
        end_with_parent(guardian)
        return
    with contextlib.suppress(OSError):
        os.setpgid(worker, worker)
    _leave_streams()
    code = None
    while code is None and not select.select([life], [], [], PAUSE)[0]:
        ended, status = os.waitpid(worker, os.WNOHANG)
        code = os.waitstatus_to_exitcode(status) if ended else None
    _end_all(worker)
    if code is not None:
        os.write(answers, b'{"ended": %d}\n' % code)
    os._exit(0)


def _leave_streams() -> None:
    """Leave the input and the output of the cases to the worker, and signals to the run."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 2):
        os.dup2(nothing, number)
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_IGN)


def _end_all(worker: int) -> None:
    """End the worker's group, and the descendants that are outside of it."""
    with contextlib.suppress(OSError):
        os.killpg(worker, signal.SIGKILL)
    latest = time.monotonic() + PATIENCE
    with contextlib.suppress(ChildProcessError):
        while time.monotonic() < latest:
            for child in _children(os.getpid()):
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.005)


def has_processes() -> bool:
    """Whether processes are left that the worker, this process, has started; False where that is not known."""
    others = {*_children(os.getpid()), *_children(os.getppid())} - {os.getpid()}
    return bool(others)


def _children(process: int) -> set[int]:
    """The children of a process on Linux, empty elsewhere."""
    found: set[int] = set()
    threads = f"/proc/{process}/task"
    with contextlib.suppress(OSError):
        for thread in os.listdir(threads):
            with open(f"{threads}/{thread}/children", encoding="ascii") as children:
                found |= set(map(int, children.read().split()))
    return found
