"""The process in which a command runs the user's code: a parent waits for it and takes the exit code from its report.

User code can end its process by `os._exit(0)`, `exit` of a C library or a crash. Then there is no report, and the
parent says how the process ended. The parent is forked before any library is loaded. Without `fork`, as on Windows, and
where other threads run already, as in a debugger, a command runs in gradcli's own process.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself makes enumerations, at every start
import faulthandler
import os
import sys
import time

TYPE_CHECKING = False  # not that of `typing`: what is imported before a command's process starts is copied into it

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

GRACE = 0.05  # seconds in which a process notes a signal, or ends by it
NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")  # signals that are passed on
MOST = 2**16  # bytes of a pipe

_MARK = b"gradcli's process %d: exit code "
_channel: tuple[int, int] | None = None  # the pipe to the parent, and the process that may write to it


def run(work: Callable[[], int], explain: Callable[[int, str], int]) -> int:
    """Do the work of a command in a child process, and return the exit code that the child reports.

    Args:
        work: does the work and returns the exit code.
        explain: says why there is no report, and returns the exit code for that; takes the exit code of the child, or
            its signal as a negative number, and the interpreter's stack dump.

    Returns:
        The exit code, in the child as well.

    A signal that ends the child, and that the parent has received as well, ends the parent in the same way. The parent
    returns by `os._exit`, because exit functions of the process are those of the child.

    Raises:
        OSError: no process can be started.
    """
    threading = sys.modules.get("threading")
    if not hasattr(os, "fork") or (threading and threading.active_count() > 1):
        return work()
    signals = {signal.SIGCHLD, *(getattr(signal, name) for name in NAMES)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    (reading, writing), (noted, notes) = os.pipe(), os.pipe()
    parent, child = os.getpid(), os.fork()
    if not child:
        os.close(reading)
        os.close(noted)
        _begin(parent, writing, notes)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        code = work()
        report(code)
        return code
    os.close(writing)
    code, received = _awaited(child, signals, noted)
    dump, is_reported, reported = _read(reading).partition(_MARK % child)
    if is_reported:
        os._exit(int(reported.split()[0]))
    if -code in received:
        signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.kill(parent, -code)
    os._exit(explain(code, dump.decode("utf-8", "replace")))


def report(code: int) -> None:
    """Report an exit code to the parent; does nothing in a process without one, or in one that the child has forked."""
    if _channel is not None and _channel[1] == os.getpid():
        from contextlib import suppress

        with suppress(OSError):  # the user's code has closed the pipe
            os.write(_channel[0], _MARK % _channel[1] + b"%d\n" % code)


def leave(code: int) -> NoReturn:
    """End this process at once, with an exit code that counts."""
    report(code)
    os._exit(code)


def _begin(parent: int, writing: int, notes: int) -> None:
    """Prepare the child: it ends with its parent, a crash is reported with a stack dump, and signals are noted."""
    from gradcli.shared.process_control import end_with_parent

    global _channel  # noqa: PLW0603 - a process has one parent
    _channel = (writing, os.getpid())
    for pipe in (writing, notes):
        os.set_blocking(pipe, False)
    signal.set_wakeup_fd(notes, warn_on_full_buffer=False)
    if not faulthandler.is_enabled():
        faulthandler.enable(writing, all_threads=False)
    end_with_parent(parent)


def _awaited(child: int, signals: set[int], noted: int) -> tuple[int, set[int]]:
    """Wait for a process, and return its exit code or negative signal, and the signals that came meanwhile.

    A signal is passed on unless the child has noted it, or has ended by it: a terminal sends its signals to both.
    """
    received: set[int] = set()
    while True:
        number = signal.sigwait(signals)
        code = _ended(child)
        if number != signal.SIGCHLD:
            received.add(number)
            code = _ended(child, GRACE) if code is None else code
            if code is None and bytes([number]) not in _read(noted):
                os.kill(child, number)
                code = _ended(child, GRACE)
                _read(noted)
        if code is not None:
            return code, received


def _ended(child: int, seconds: float = 0.0) -> int | None:
    """The exit code of a process, or its signal as a negative number; None if it goes on for some seconds."""
    latest = time.monotonic() + seconds
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended or time.monotonic() >= latest:
            return os.waitstatus_to_exitcode(status) if ended else None
        time.sleep(GRACE / 10)


def _read(reading: int) -> bytes:
    """The content of a pipe, whose other end may be open in a process that the child has started."""
    os.set_blocking(reading, False)
    try:
        return os.read(reading, MOST)
    except BlockingIOError:
        return b""
