"""What the process of one case does, and what it shares with its parents."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

from gradcli.shared.records.verification import GradientCase
from gradcli.verification.worker_messages import case_of, line

LATE = 0.2  # seconds past the time limit after which the stack is dumped, before the check itself gives up

_HIGH = 200  # descriptors from here on survive a case that closes those of a program


class CaseProcess:
    """The pipes and the files of a worker, as its forked processes use them.

    Args:
        private: descriptors that the forked processes close.
        max_memory: the limit of the memory in bytes; None for no limit.
    """

    def __init__(self, private: tuple[int, ...], max_memory: int | None) -> None:
        self._private = private
        self._max_memory = max_memory
        self._answer, self._dump, self._printed = _unnamed_file(), _unnamed_file(), _unnamed_file()

    def clear(self) -> None:
        """Prepare the files for a case."""
        for file in (self._answer, self._dump, self._printed):
            os.ftruncate(file, 0)
            os.lseek(file, 0, os.SEEK_SET)

    def outcome(self, token: str) -> dict[str, Any]:
        """The whole answer of a case, if there is one, and the stack dump of the interpreter."""
        marked, _, answer = os.pread(self._answer, os.fstat(self._answer).st_size, 0).decode().partition(" ")
        dump = os.pread(self._dump, 2**20, 0).decode("utf-8", "replace")
        return {"token": token, "answer": answer if marked == token and answer.endswith("\n") else None, "dump": dump}

    def run(self, asked: dict[str, Any], *private: int) -> None:
        """Run a case in this process, and leave its answer."""
        from gradcli.verification.case_judgement import run_case, stopped

        self._close(*private)
        case, process = case_of(asked["case"]), os.getpid()
        if self._max_memory is not None:
            _limit(self._max_memory)
        try:
            with self.dumping(case):
                result = run_case(case)
        except KeyboardInterrupt:  # raised by the case itself, because Ctrl-C does not reach this process
            result = stopped(case)
        finally:
            if os.getpid() != process:  # a copy that the code has forked
                os._exit(0)
        os.pwrite(self._answer, asked["token"].encode() + b" " + line(result), 0)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()

    @contextlib.contextmanager
    def dumping(self, case: GradientCase) -> Iterator[None]:
        """A context after whose time limit, or after a crash, the stack is dumped."""
        from gradcli.verification.check_options import SECONDS

        faulthandler.enable(self._dump)
        late = float(case.options.get("max_seconds", SECONDS)) + LATE
        faulthandler.dump_traceback_later(min(late, threading.TIMEOUT_MAX), file=self._dump)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()

    def printed_aside(self) -> int:
        """Let this process print into a file, until `print_again`; returns where it has printed before."""
        self._close()
        printed = os.dup(2)
        os.dup2(self._printed, 1)
        os.dup2(self._printed, 2)
        return printed

    def _close(self, *more: int) -> None:
        """Close the private descriptors once: their numbers are free for files of the user then."""
        for descriptor in (*self._private, *more):
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._private = ()

    def print_again(self, printed: int, is_shown: bool) -> None:
        """Print what the file has, or drop it, and from now on print as before."""
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        if is_shown:
            self.show_printed(printed)
        os.dup2(printed, 1)
        os.dup2(printed, 2)
        os.close(printed)

    def show_printed(self, to: int) -> None:
        """Write what the file has to a descriptor."""
        position = 0
        while chunk := os.pread(self._printed, 2**16, position):
            position += os.write(to, chunk)


def _unnamed_file() -> int:
    """The descriptor of an empty file without a name."""
    with contextlib.suppress(AttributeError, OSError):
        return _moved(os.memfd_create("gradcli"))
    with tempfile.TemporaryFile() as file:
        return _moved(os.dup(file.fileno()))


def _moved(number: int) -> int:
    import fcntl

    descriptor = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, _HIGH)
    os.close(number)
    return descriptor


def _limit(size: int) -> None:
    """Limit the memory of this process, where the system can: an allocation beyond it raises MemoryError."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (size, hard))
