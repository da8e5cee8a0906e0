"""The memory that a run may take: one that records without end is stopped before the machine has none left.

What is recorded pays nothing for it: a thread looks at the size of the process now and then, and has the main thread
raise MemoryError at its next line, by the way of Python's signals, as Ctrl-C does.  A run in another thread is not
stopped, nor is one where the system does not tell (Linux does).
"""

from __future__ import annotations

import _thread
import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from types import FrameType

from gradcli.errors import UsageError
from gradcli.tape.memory_reserve import taken

PAUSE = 0.1  # seconds between two looks
AGAIN = 2.0  # seconds until a run that goes on is stopped again
LITTLE = 0.1  # of the memory there is: with less left, a process that has much is stopped
MUCH = 0.3
SMALL = 2**26  # bytes that are not asked about

SIGNAL = getattr(signal, "SIGURG", None)  # one that nobody sends, and that is ignored where nobody listens
MACHINE = "/proc/meminfo"
GROUPS = "/proc/self/cgroup"
LIMITS = (("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"))  # of a container


def there_is() -> tuple[int, int] | None:
    """The bytes of memory of the machine, or of the container where it has less, and those that are left."""
    mine, total, free = taken(), _told("MemTotal"), _told("MemAvailable")
    if mine is None or total is None or free is None:
        return None
    limit = min(_limits(), default=total)
    return (limit, min(free, limit - mine)) if limit < total else (total, free)


def too_much() -> bool:
    """Whether little is left of the memory there is, and this process has much of it."""
    mine, found = taken(), there_is()
    return mine is not None and found is not None and found[1] < LITTLE * found[0] and mine > MUCH * found[0]


def refuse_large(rows: int, columns: int, size: int) -> None:
    """Refuse a matrix of derivatives that the memory does not hold, before any of it is computed.

    Args:
        rows, columns: how many numbers it has each way.
        size: the bytes of a number.

    Raises:
        UsageError: it takes more than the memory that is left; never where the system does not tell.
    """
    needed = rows * columns * size
    if needed < SMALL or (found := there_is()) is None or needed <= found[1]:
        return
    raise UsageError(
        f"{rows:,} rows by {columns:,} columns are {rows * columns:,} derivatives: {needed / 1e9:,.1f} GB of memory, "
        f"and {max(0, found[1]) / 1e9:,.1f} GB of {found[0] / 1e9:,.1f} GB are left",
        hint="Take a product with a direction, which is one sweep: gradcli.jvp(f, (x,), (v,)), gradcli.vjp(f, x), or "
        "for second derivatives gradcli.hvp(f, x, v); the derivatives of one number are one row: `grad`. Or choose "
        "fewer inputs: argnums, on the command line --wrt.",
    )


def _read(file: str) -> str:
    with open(file, encoding="ascii", errors="replace") as stream:
        return stream.read()


def _told(name: str) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(_read(MACHINE).split(f"{name}:")[1].split()[0]) * 1024
    return None


def _limits() -> Iterator[int]:
    """What the container may have: by the group that the process is in, and by the outermost that it sees."""
    groups = {"/"}
    with contextlib.suppress(OSError):
        groups |= {line.rpartition(":")[2] for line in _read(GROUPS).splitlines()}
    for folder, file in LIMITS:
        for group in groups:
            with contextlib.suppress(OSError, ValueError):
                yield int(_read(os.path.join(folder, group.strip("/"), file)))


class Guard:
    """Looks at the memory while the user's code runs in the main thread; its thread sleeps between the runs."""

    def __init__(self) -> None:
        self._depth = 0
        self._runs = threading.Event()
        self._thread: threading.Thread | None = None

    @contextlib.contextmanager
    def over(self) -> Iterator[None]:
        """Look at the memory as long as what is inside runs.

        Raises:
            MemoryError: it took too much.
        """
        if threading.current_thread() is not threading.main_thread() or not self._listens():
            yield
            return
        self._depth += 1
        self._runs.set()
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self._runs.clear()

    def _listens(self) -> bool:
        """Whether the signal is ours, as it is from the first run on unless the program has taken it."""
        if SIGNAL is None:
            return False
        found = signal.getsignal(SIGNAL)
        if found is signal.SIG_DFL and taken() is not None:
            signal.signal(SIGNAL, self._stop)
            self._thread = threading.Thread(target=self._look, name="gradcli-memory", daemon=True)
            self._thread.start()
            return True
        return found == self._stop

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """In the main thread: end the run, unless it has ended, or given the memory back."""
        if self._depth and too_much():
            raise MemoryError("the memory of the machine is nearly used up")

    def _look(self) -> None:
        assert SIGNAL is not None
        while True:
            self._runs.wait()
            time.sleep(PAUSE)
            if self._depth and too_much() and signal.getsignal(SIGNAL) == self._stop:
                _thread.interrupt_main(SIGNAL)
                time.sleep(AGAIN)


guard = Guard()
