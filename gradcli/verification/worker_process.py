"""A worker as seen from the run: started on demand, and again if it ends."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from typing import IO, Any

from gradcli.errors import InternalError
from gradcli.shared.process_endings import reason, user_frames
from gradcli.shared.records.verification import CaseResult, GradientCase
from gradcli.verification.check_options import SECONDS
from gradcli.verification.reproducing_commands import command_in_worker, command_of
from gradcli.verification.worker_messages import line, output_mark, result_of

KEPT = 2**16  # bytes kept of the beginning and of the end
CHUNK = 2**16


class KeptOutput:
    """Reads a pipe in a thread of its own.

    Args:
        stream: the reading end of the pipe, which the thread closes at the end.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._data = bytearray()
        self._left_out = 0
        self._is_over = False
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def take(self, mark: bytes | None, seconds: float) -> str:
        """The output up to a mark, or up to the end of the pipe; what comes later is that of the next case.

        Args:
            mark: the mark; None for the end of the pipe.
            seconds: how long to wait for it.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._is_over or (mark is not None and mark in self._data), seconds)
            printed, _, self._data = self._data.partition(mark or b"\0 there is no mark")
            left_out, self._left_out = self._left_out, 0
        if not left_out:
            return printed.decode("utf-8", "replace")
        first, last = (part.decode("utf-8", "replace") for part in (printed[:KEPT], printed[KEPT:][-KEPT:]))
        return f"{first}\n… {left_out + max(0, len(printed) - 2 * KEPT)} bytes are left out here …\n{last}"

    def _read(self) -> None:
        with self._stream:
            while chunk := os.read(self._stream.fileno(), CHUNK):
                with self._changed:
                    self._data += chunk
                    if (more := len(self._data) - 2 * KEPT) > 2 * KEPT:
                        self._left_out += more
                        del self._data[KEPT : KEPT + more]
                    self._changed.notify_all()
        with self._changed:
            self._is_over = True
            self._changed.notify_all()


GRACE = 2.0  # seconds past the time limit before a worker is ended
START = 60.0  # seconds that a worker may take to start
END = 12.0  # seconds that a worker may take to end its processes
LOST = 30.0  # seconds past the limits of an import and a case after which a worker counts as lost
LATEST = 1.0  # seconds that printed text may arrive after the answer

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class WorkerProcess:
    """A worker: the parent of the processes of cases, replaced by another one if it ends.

    Args:
        max_memory: the limit of the memory of a case in bytes; None for no limit.
    """

    def __init__(self, max_memory: int | None = None) -> None:
        self._max_memory = max_memory
        self._running: _Running | None = None
        self._lock = threading.Lock()
        self._is_ended = False

    def judged(self, case: GradientCase) -> CaseResult:
        """The result of a case. A crash or a time-out is a result."""
        started = time.perf_counter()
        running = self._started()
        answer = running.answer(case, float(case.options.get("max_seconds", SECONDS)) + GRACE)
        taken = time.perf_counter() - started
        if answer is None:
            self._close()
            return _ended(case, running.code, (), running.printed.take(None, LATEST)).changed(seconds=taken)
        if not hasattr(os, "fork"):
            self._close()
        frames, printed = _frames(answer["dump"]), running.printed.take(output_mark(answer["token"]), LATEST)
        if answer["answer"] is None:
            return _ended(case, answer["code"], frames, printed).changed(seconds=taken)
        result = result_of(json.loads(answer["answer"]), case).changed(output=printed)
        return result.changed(details=(*frames, *result.details)) if result.outcome == "timeout" else result

    def end(self) -> None:
        """End the process, and do not start another."""
        self._is_ended = True
        self._close()

    def _started(self) -> _Running:
        """The process, started if there is none."""
        with self._lock:
            if self._is_ended:
                raise KeyboardInterrupt
            if self._running is not None:
                return self._running
            self._running = running = _Running(self._max_memory)
        if running.next_message(START) is None:
            self._close()
            raise InternalError(f"A worker does not start: {running.printed.take(None, LATEST).strip()[-500:]}")
        return running

    def _close(self) -> None:
        """End the process with all that its cases have started."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            running.close()


class _Running:
    """A running worker, in a session of its own: Ctrl-C does not reach it, the run ends it.

    Attributes:
        printed: what the cases print.
        code: the exit code of a worker that has ended, or its signal as a negative number; None after a time-out.
    """

    def __init__(self, max_memory: int | None) -> None:
        self._process = _spawned(max_memory)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._cases: IO[bytes] = self._process.stdin
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.printed = KeptOutput(self._process.stderr)
        self.code: int | None = None
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def _read(self, answers: IO[bytes]) -> None:
        """Read the answers, up to the end of the worker."""
        with answers, contextlib.suppress(OSError):
            for text in answers:
                self._lines.put(text)
        self._lines.put(None)

    def answer(self, case: GradientCase, seconds: float) -> Any:
        """The answer for a case; None if the worker has ended or gives none in time."""
        token = os.urandom(8).hex()
        with contextlib.suppress(OSError):  # it has ended
            self._cases.write(line({"token": token, "case": case, "seconds": seconds}))
            self._cases.flush()
        message = self.next_message(2 * seconds + LOST if hasattr(os, "fork") else seconds)
        return message if message is not None and message["token"] == token else None

    def next_message(self, seconds: float) -> Any:
        """The next message; None at the end of the worker, or if none comes in time."""
        try:
            text = self._lines.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        except queue.Empty:
            return None
        if text is None:
            self.code = self._process.wait()
            return None
        return json.loads(text)

    def close(self) -> None:
        """End the worker, which ends its processes when stdin ends."""
        with contextlib.suppress(OSError):
            self._cases.close()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


def _spawned(max_memory: int | None) -> subprocess.Popen[bytes]:
    """A new worker."""
    path = os.pathsep.join([os.path.dirname(_OURS), *filter(None, [os.environ.get("PYTHONPATH")])])
    own: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        own = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "gradcli.verification.worker_main", str(max_memory or 0), str(os.getpid())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        **own,
    )


def _ended(case: GradientCase, code: int | None, frames: tuple[str, ...], printed: str) -> CaseResult:
    """The result of a case whose process has ended, or was ended after its time limit."""
    where = f", in {frames[0]}" if frames else ""
    command = command_of(case) if code is None else command_in_worker(case)
    result = CaseResult(case, "crashed", command=command, details=frames, output=printed)
    if code is None:
        given = float(case.options.get("max_seconds", SECONDS))
        return result.changed(outcome="timeout", message=f"still running after {given:g} s{where}")
    return result.changed(message=f"the interpreter ended: {reason(code)}{where}")


def _frames(dump: str) -> tuple[str, ...]:
    """The user's own stack frames, innermost first, from the interpreter's stack dump after a crash or time-out."""
    return tuple(f"{file}:{line} in {name}" for file, line, name in user_frames(dump))
