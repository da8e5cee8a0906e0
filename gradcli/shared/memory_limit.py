"""A limit on the memory of a run: endless recording is stopped before the machine runs out of memory.

Recording itself pays nothing for it. A thread checks the size of the process now and then, and makes the main thread
raise MemoryError at its next line through a Python signal, as Ctrl-C does. Runs in other threads are not stopped, nor
are runs on systems that do not report memory (Linux does).

The same thread exempts what a run has recorded from the cyclic garbage collector once a full collection takes long: a
tape has no cycles, each pass over a long one takes seconds, and Ctrl-C is heard after it.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself makes enumerations, at every start
import _thread
import contextlib
import gc
import os
import threading
import time
from collections.abc import Iterator
from types import FrameType

from gradcli.errors import UsageError

PAUSE = 0.1  # seconds between two checks
LONG = 0.25  # seconds of a collection and a pause, from which objects are exempt until the next run
AGAIN = 2.0  # seconds until a run that continues is stopped again
LITTLE = 0.1  # a process with more than MUCH of the memory is stopped if less than LITTLE of it is left
MUCH = 0.3
SMALL = 2**26  # bytes; smaller matrices are not checked

SIGNAL = getattr(signal, "SIGURG", None)  # a signal that nothing sends, and that is ignored without a handler
PROCESS = "/proc/self/statm"
MACHINE = "/proc/meminfo"
GROUPS = "/proc/self/cgroup"
LIMITS = (("/sys/fs/cgroup", "memory.max"), ("/sys/fs/cgroup/memory", "memory.limit_in_bytes"))  # limits of containers


def resident_memory() -> int | None:
    """The resident memory of this process in bytes; None if the system does not report it."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(_read(PROCESS).split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return None


def machine_memory() -> tuple[int, int] | None:
    """The total and the available memory in bytes, of the machine or of a container with less; None if unknown."""
    mine, total, free = resident_memory(), _told("MemTotal"), _told("MemAvailable")
    if mine is None or total is None or free is None:
        return None
    smallest = min(_limits(), default=total)
    return (smallest, min(free, smallest - mine)) if smallest < total else (total, free)


def is_nearly_out() -> bool:
    """Whether little memory is left and this process has much of it."""
    mine, machine = resident_memory(), machine_memory()
    return mine is not None and machine is not None and machine[1] < LITTLE * machine[0] and mine > MUCH * machine[0]


@contextlib.contextmanager
def a_part_of_memory() -> Iterator[None]:
    """A context in which arrays that would be too large as lists of Python numbers raise MemoryError, on Linux.

    Such a list takes five times the memory of the array. Linux promises all of it, and ends the process that writes.
    """
    machine = machine_memory()
    if machine is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    most = int(_read(PROCESS).split()[0]) * resource.getpagesize() + max(0, machine[1]) // 5
    resource.setrlimit(resource.RLIMIT_AS, (most if before[0] < 0 else min(most, before[0]), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def refuse_large_matrix(rows: int, columns: int, size: int) -> None:
    """Refuse a matrix of derivatives that does not fit in memory, before any of it is computed.

    Args:
        rows, columns: its shape.
        size: bytes per element.

    Raises:
        UsageError: it needs more than the available memory. Never raised if that is unknown.
    """
    needed = rows * columns * size
    if needed < SMALL or (machine := machine_memory()) is None or needed <= machine[1]:
        return
    raise UsageError(
        f"{rows:,} rows by {columns:,} columns are {rows * columns:,} derivatives: {needed / 1e9:,.1f} GB of memory, "
        f"and {max(0, machine[1]) / 1e9:,.1f} GB of {machine[0] / 1e9:,.1f} GB are left",
        hint="Take a product with a direction, which is one sweep: gradcli.jvp(f, (x,), (v,)), gradcli.vjp(f, x), or "
        "for second derivatives gradcli.hvp(f, x, v); the derivatives of one number are one row: `grad`. Or choose "
        "fewer inputs: argnums, on the command line --wrt.",
    )


def _read(file: str) -> str:
    with open(file, encoding="utf-8", errors="replace") as stream:
        return stream.read()


def _told(name: str) -> int | None:
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(_read(MACHINE).split(f"{name}:")[1].split()[0]) * 1024
    return None


def _limits() -> Iterator[int]:
    """Yield the memory limits of the container: of the process's control group, and of the outermost visible one."""
    groups = {"/"}
    with contextlib.suppress(OSError):
        groups |= {line.rpartition(":")[2] for line in _read(GROUPS).splitlines()}
    for folder, file in LIMITS:
        for group in groups:
            with contextlib.suppress(OSError, ValueError):
                yield int(_read(os.path.join(folder, group.strip("/"), file)))


def full_collections() -> int:
    """The number of full passes of the cyclic garbage collector so far."""
    return int(gc.get_stats()[-1]["collections"])


class MemoryLimit:
    """Checks the memory while the user's code runs in the main thread; its own thread sleeps between runs."""

    def __init__(self) -> None:
        self._depth = 0
        self._runs = threading.Event()
        self._exempts = False

    @contextlib.contextmanager
    def enforced(self) -> Iterator[None]:
        """A context in which memory is checked.

        Raises:
            MemoryError: the code inside took too much.
        """
        if threading.current_thread() is not threading.main_thread() or not self._listens():
            yield
            return
        if self._exempts and not self._depth:
            gc.unfreeze()
            self._exempts = False
        self._depth += 1
        self._runs.set()
        try:
            yield
        finally:
            self._depth -= 1
            if not self._depth:
                self._runs.clear()

    def _listens(self) -> bool:
        """Whether the signal handler is installed. It is from the first run on, unless the program uses the signal."""
        if SIGNAL is None:
            return False
        handler = signal.getsignal(SIGNAL)
        if handler is signal.SIG_DFL and resident_memory() is not None:
            signal.signal(SIGNAL, self._stop)
            _thread.start_new_thread(self._look, ())  # unlike `threading`, does not wait until it runs
            return True
        return bool(handler == self._stop)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """End the run, in the main thread, unless it has ended or freed the memory."""
        if self._depth and is_nearly_out():
            raise MemoryError("the machine is nearly out of memory")

    def _look(self) -> None:
        assert SIGNAL is not None
        while True:
            self._runs.wait()
            begun, collections = time.monotonic(), full_collections()
            time.sleep(PAUSE)
            if self._depth and time.monotonic() - begun > LONG and full_collections() > collections:
                self._exempts = True
                gc.freeze()
            if self._depth and is_nearly_out() and signal.getsignal(SIGNAL) == self._stop:
                _thread.interrupt_main(SIGNAL)
                time.sleep(AGAIN)


limit = MemoryLimit()
