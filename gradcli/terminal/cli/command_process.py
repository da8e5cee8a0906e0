"""The process in which a command runs the user's code: a parent waits for it and takes the exit code from its report.

User code can end its process by `os._exit(0)`, `exit` of a C library or a crash. Then there is no report, and the
parent says how the process ended. Code in C that does not return hears of no signal, so the parent also ends a process
that exceeds its time limit, or that does not respond after Ctrl-C.

The parent is forked before any library is loaded. Without `fork`, as on Windows, and where other threads run already,
as in a debugger, a command runs in gradcli's own process.
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
    from typing import Any, NoReturn

GRACE = 0.05  # seconds in which a process notes a signal, or ends by it
PATIENCE = 3.0  # seconds after Ctrl-C until the process is asked whether its code responds
ANSWERING = 1.0  # seconds for its answer
NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")  # signals that are passed on
MOST = 2**16  # bytes of a pipe
OUT_OF_TIME, INTERRUPTED = "out of time", "interrupted"
QUESTION: int = getattr(signal, "SIGCONT", 0)  # asks a process whether it responds; without a handler it does nothing
MESSAGE: int = getattr(signal, "SIGURG", 0)  # tells the parent to read what the process has written
INFINITY = float("inf")

_MARK = b"gradcli's process %d: "
_ANSWER = b"\0"  # no number of a signal
_own: _Child | None = None


def run(work: Callable[[], int], explain: Callable[[int | str, str, float], int]) -> int:
    """Do the work of a command in a child process, and return the exit code that the child reports.

    Args:
        work: does the work and returns the exit code.
        explain: says why there is no report, and returns the exit code for that; takes the exit code of the child, its
            signal as a negative number, or the reason for which the parent has ended it; the interpreter's stack dump;
            and the time limit in seconds.

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
    signals = {signal.SIGCHLD, signal.SIGALRM, MESSAGE, *map(signal.__dict__.__getitem__, NAMES)}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
    (reading, writing), (noted, notes) = os.pipe(), os.pipe()
    parent, child = os.getpid(), os.fork()
    if not child:
        for pipe in (reading, noted):
            os.close(pipe)
        _begin(_Child(parent, writing, notes))
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        code = work()
        report(code)
        return code
    for pipe in (writing, notes):
        os.close(pipe)
    awaited = _Awaited(child, reading, noted)
    end = awaited.end(signals)
    if awaited.reported is not None:
        os._exit(awaited.reported)
    if isinstance(end, int) and -end in awaited.received:
        signal.signal(-end, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.kill(parent, -end)
    os._exit(explain(end, awaited.dump.decode("utf-8", "replace"), awaited.seconds))


def report(code: int) -> None:
    """Report an exit code to the parent; does nothing in a process without one, or in one that the child has forked."""
    _tell(b"exit code %d" % code)


def leave(code: int) -> NoReturn:
    """End this process at once, with an exit code that counts."""
    report(code)
    os._exit(code)


def limit(seconds: float, given: float) -> None:
    """Let the parent end this process after some seconds, at a limit that was given as another number; inf for none."""
    if _tell(b"limit %r" % given) and _tell(b"end %r" % (time.monotonic() + seconds)):
        assert _own is not None
        os.kill(_own.parent, MESSAGE)


class _Child:
    """What the process of a command knows of its parent.

    Args:
        parent: the process that waits.
        writing, notes: the pipes for reports and stack dumps, and for signals.
    """

    def __init__(self, parent: int, writing: int, notes: int) -> None:
        self.parent, self.writing, self.notes = parent, writing, notes
        self.process = os.getpid()

    def answer(self, number: int, frame: Any) -> None:
        """Answer that Python code runs."""
        os.write(self.notes, _ANSWER)


def _begin(child: _Child) -> None:
    """Prepare the child: it ends with its parent, a crash is reported with a stack dump, and signals are noted."""
    from gradcli.shared.process_control import end_with_parent

    global _own  # noqa: PLW0603 - a process has one parent
    _own = child
    for pipe in (child.writing, child.notes):
        os.set_blocking(pipe, False)
    signal.set_wakeup_fd(child.notes, warn_on_full_buffer=False)
    if not faulthandler.is_enabled():
        faulthandler.enable(child.writing, all_threads=False)
    signal.signal(QUESTION, child.answer)
    faulthandler.register(QUESTION, child.writing, all_threads=False, chain=True)
    end_with_parent(child.parent)


def _tell(message: bytes) -> bool:
    """Write a message to the parent, and return whether there is one and this is the process it waits for."""
    if _own is None or _own.process != os.getpid():  # a copy that the user's code has forked
        return False
    try:
        os.write(_own.writing, _MARK % _own.process + message + b"\n")
    except OSError:  # the user's code has closed the pipe
        return False
    return True


class _Awaited:
    """The process of a command, as its parent sees it.

    Args:
        child: the process.
        reading, noted: the pipes for reports and stack dumps, and for signals.

    Attributes:
        reported: the exit code that it has reported; None if there is none.
        dump: the last stack dump of the interpreter.
        seconds: the time limit, as it was given.
        received: the signals that have come meanwhile.
    """

    def __init__(self, child: int, reading: int, noted: int) -> None:
        self._child, self._reading, self._noted = child, reading, noted
        self._mark = _MARK % child
        self._latest = self._asking = INFINITY
        self.reported: int | None = None
        self.dump = b""
        self.seconds = INFINITY
        self.received: set[int] = set()

    def end(self, signals: set[int]) -> int | str:
        """Wait for the process, and return its exit code or negative signal, or why it was ended.

        A signal is passed on unless the child has noted it, or has ended by it: a terminal sends its signals to both.
        """
        while True:
            number = signal.sigwait(signals)
            code: int | str | None = self._ended()
            self._listen()
            if code is None and number == signal.SIGALRM:
                code = self._stopped()
            elif code is None and number not in (signal.SIGCHLD, MESSAGE):
                code = self._passed_on(number)
            if code is not None:
                self._listen()
                self.received |= {number} | signal.sigpending()  # what came to both may be waiting here
                return code
            self._set_alarm()

    def _passed_on(self, number: int) -> int | None:
        self.received.add(number)
        code = self._ended(GRACE)
        if code is None and bytes([number]) not in _read(self._noted):
            os.kill(self._child, number)
            code = self._ended(GRACE)
            _read(self._noted)
        if number == signal.SIGINT:
            self._asking = time.monotonic() + (PATIENCE if self._asking == INFINITY else 0.0)
        return code

    def _stopped(self) -> int | str | None:
        """End the process if its time is over, or if it does not respond after Ctrl-C; None if it goes on."""
        if min(self._latest, self._asking) > time.monotonic():
            return None
        self._listen()
        self.dump = b""
        os.kill(self._child, QUESTION)  # dumps the stack, and is answered if Python code runs in the main thread
        is_over = time.monotonic() >= self._latest
        latest = time.monotonic() + (GRACE if is_over else ANSWERING)
        while time.monotonic() < latest:
            if (code := self._ended(GRACE)) is not None:
                return code
            if _ANSWER in _read(self._noted) and not is_over:
                self._asking = time.monotonic() + PATIENCE
                return None
        os.kill(self._child, signal.SIGKILL)
        code = self._ended(INFINITY)
        return code if code != -signal.SIGKILL else OUT_OF_TIME if is_over else INTERRUPTED

    def _listen(self) -> None:
        for line in _read(self._reading).splitlines(keepends=True):
            other, is_message, message = line.partition(self._mark)
            self.dump += other
            if is_message:
                *kind, number = message.split()
                self._take(b" ".join(kind), float(number))

    def _take(self, kind: bytes, number: float) -> None:
        if kind == b"exit code":
            self.reported = int(number)
        elif kind == b"limit":
            self.seconds = number
        elif kind == b"end":
            self._latest = number

    def _set_alarm(self) -> None:
        left = min(self._latest, self._asking) - time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0 if left == INFINITY else max(left, 1e-3))

    def _ended(self, seconds: float = 0.0) -> int | None:
        """The exit code of the process, or its signal as a negative number; None if it goes on for some seconds."""
        latest = time.monotonic() + seconds
        while True:
            ended, status = os.waitpid(self._child, os.WNOHANG)
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
