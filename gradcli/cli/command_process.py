"""The process in which a command runs the user's code: a parent waits for it and takes the exit code from its report.

User code can end its process by `os._exit(0)`, `exit` of a C library or a crash. Then there is no report, and the
parent says how the process ended. The parent is forked before any library is loaded. Without `fork`, as on Windows, and
where other threads run already, as in a debugger, a command runs in gradcli's own process.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from gradcli.process_control import end_with_parent

GRACE = 0.05  # seconds in which a process ends that has received the same signal
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
    if not hasattr(os, "fork") or threading.active_count() > 1:
        return work()
    signals = {signal.SIGCHLD, *(getattr(signal, name) for name in NAMES)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    reading, writing = os.pipe()
    parent, child = os.getpid(), os.fork()
    if not child:
        os.close(reading)
        _begin(parent, writing)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        code = work()
        report(code)
        return code
    os.close(writing)
    code, received = _awaited(child, signals)
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
        with suppress(OSError):  # the user's code has closed the pipe
            os.write(_channel[0], _MARK % _channel[1] + b"%d\n" % code)


def leave(code: int) -> NoReturn:
    """End this process at once, with an exit code that counts."""
    report(code)
    os._exit(code)


def _begin(parent: int, writing: int) -> None:
    """Prepare the child: it ends with its parent, and a crash is reported with a stack dump."""
    global _channel  # noqa: PLW0603 - a process has one parent
    _channel = (writing, os.getpid())
    os.set_blocking(writing, False)
    if not faulthandler.is_enabled():
        faulthandler.enable(writing, all_threads=False)
    end_with_parent(parent)


def _awaited(child: int, signals: set[signal.Signals]) -> tuple[int, set[int]]:
    """Wait for a process, pass signals on to it, and return its exit code or negative signal, and the signals.

    A terminal sends its signals to all processes of a group, so these are not passed on.
    """
    received: set[int] = set()
    for early in signal.sigpending():
        os.kill(child, early)  # it came before the child could receive it
    while True:
        number, is_sent_to_all = _next_signal(signals)
        received.add(number)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), received
        if number != signal.SIGCHLD and not is_sent_to_all:
            os.kill(child, number)


def _next_signal(signals: set[signal.Signals]) -> tuple[int, bool]:
    """Wait for a signal; the second value says whether the child has received it as well."""
    if not hasattr(signal, "sigwaitinfo"):  # macOS
        number = signal.sigwait(signals)
        return number, number in (signal.SIGINT, signal.SIGQUIT) and os.isatty(0)
    sent = signal.sigwaitinfo(signals)
    if sent.si_signo != signal.SIGCHLD and sent.si_code <= 0:  # not from the kernel
        signal.sigtimedwait({signal.SIGCHLD}, GRACE)  # as it was for the whole group, unless the child goes on
    return sent.si_signo, sent.si_code > 0


def _read(reading: int) -> bytes:
    """The content of a pipe, whose other end may be open in a process that the child has started."""
    os.set_blocking(reading, False)
    try:
        return os.read(reading, MOST)
    except BlockingIOError:
        return b""
