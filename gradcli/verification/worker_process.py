"""A worker process as seen from the run: started on demand, ended after its time limit, restarted after a crash."""

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
from gradcli.process_endings import reason, user_frames
from gradcli.records.verification import CaseResult, GradientCase
from gradcli.verification.check_options import SECONDS
from gradcli.verification.kept_output import KeptOutput
from gradcli.verification.reproducing_commands import command_in_worker, command_of
from gradcli.verification.worker_messages import line, output_mark, result_of

GRACE = 2.0  # seconds past the time limit before a worker is ended
START = 60.0  # seconds that a worker may take to start
END = 6.0  # seconds that the guardian may take to end the processes of a case
LATEST = 1.0  # seconds that printed text may arrive after the answer

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class WorkerProcess:
    """A worker process, replaced by another one after a crash, a time-out, or a case that leaves processes.

    Args:
        max_memory: the limit of its memory in bytes; None for no limit.
    """

    def __init__(self, max_memory: int | None = None) -> None:
        self._max_memory = max_memory
        self._running: _Running | None = None
        self._lock = threading.Lock()
        self._is_ended = False

    def judged(self, case: GradientCase) -> CaseResult:
        """The result of a case. A crash or a time-out is a result, and the next case gets a new process."""
        started = time.perf_counter()
        running = self._started()
        answer = running.answer(case, float(case.options.get("max_seconds", SECONDS)) + GRACE)
        if answer is not None:
            printed = running.printed.take(output_mark(answer["token"]), LATEST)
            if answer["leaves_processes"]:
                self._close()
            result = result_of(answer["result"], case).changed(output=printed)
            where = _frames(running.dump()) if result.outcome == "timeout" else ()
            return result.changed(details=(*where, *result.details))
        taken = time.perf_counter() - started
        self._close()
        return _ended(case, running, taken)

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
    """A running worker and its guardian, in a session of their own: Ctrl-C does not reach them, the run ends them.

    Attributes:
        printed: what the cases print.
        code: the exit code of a worker that has ended, or its signal as a negative number; None after a time-out.
    """

    def __init__(self, max_memory: int | None) -> None:
        self._life, self._process = _spawned(max_memory)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._cases: IO[bytes] = self._process.stdin
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._dump: list[str] = []
        self.printed = KeptOutput(self._process.stderr)
        self.code: int | None = None
        threading.Thread(target=self._read, args=(self._process.stdout,), daemon=True).start()

    def _read(self, answers: IO[bytes]) -> None:
        """Read the answers; processes that a case has started may keep their pipe open for ever."""
        with answers, contextlib.suppress(OSError):
            for text in answers:
                self._lines.put(text)
        self._lines.put(None)

    def answer(self, case: GradientCase, seconds: float) -> Any:
        """The answer for a case; None if the worker has ended or gives none in time."""
        token = os.urandom(8).hex()
        self._dump.clear()
        with contextlib.suppress(OSError):  # it has ended
            self._cases.write(line({"token": token, "case": case}))
            self._cases.flush()
        latest = time.monotonic() + seconds
        while (found := self.next_message(latest - time.monotonic())) is not None:
            if found.get("token") == token:
                return found
        return None

    def next_message(self, seconds: float) -> Any:
        """The next message; None at the end of the worker, or if none comes in time. Other lines are a stack dump."""
        latest = time.monotonic() + min(seconds, threading.TIMEOUT_MAX)
        while True:
            try:
                text = self._lines.get(timeout=max(0.0, latest - time.monotonic()))
            except queue.Empty:
                return None
            if text is None:
                self.code = self._process.wait() if self.code is None else self.code
                return None
            found = _message(text)
            if found is None:
                self._dump.append(text.decode("utf-8", "replace"))
            elif "ended" in found:
                self.code = found["ended"]
                return None
            else:
                return found

    def dump(self) -> str:
        """The interpreter's stack dump since the case began."""
        while not self._lines.empty() and (text := self._lines.get()) is not None:
            self._dump.append(text.decode("utf-8", "replace"))
        return "".join(self._dump)

    def close(self) -> None:
        """End the worker: the guardian does it when the run closes its pipe."""
        if self._life is not None:
            os.close(self._life)
        else:
            self._process.kill()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(OSError):
            self._cases.close()


def _message(text: bytes) -> dict[str, Any] | None:
    """The message in a line; None for another line."""
    if text.startswith(b"{") and text.endswith(b"}\n"):
        with contextlib.suppress(ValueError, RecursionError):
            return dict(json.loads(text))
    return None


def _spawned(max_memory: int | None) -> tuple[int | None, subprocess.Popen[bytes]]:
    """A new process, and the end of the pipe that keeps it alive; None where there is no guardian."""
    path = os.pathsep.join([os.path.dirname(_OURS), *filter(None, [os.environ.get("PYTHONPATH")])])
    reading, writing = os.pipe() if hasattr(os, "fork") else (None, None)
    own: dict[str, Any] = {"start_new_session": True, "pass_fds": [reading]}
    if sys.platform == "win32":
        own = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "gradcli.verification.worker_main", str(reading), str(max_memory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
        **own,
    )
    if reading is not None:
        os.close(reading)
    return writing, process


def _ended(case: GradientCase, running: _Running, seconds: float) -> CaseResult:
    """The result of a case whose process has ended, or was ended after its time limit."""
    code, frames, printed = running.code, _frames(running.dump()), running.printed.take(None, LATEST)
    where = f", in {frames[0]}" if frames else ""
    command = command_of(case) if code is None else command_in_worker(case)
    result = CaseResult(case, "crashed", seconds=seconds, command=command, details=frames, output=printed)
    if code is None:
        given = float(case.options.get("max_seconds", SECONDS))
        return result.changed(outcome="timeout", message=f"still running after {given:g} s{where}")
    return result.changed(message=f"the interpreter ended: {reason(code)}{where}")


def _frames(dump: str) -> tuple[str, ...]:
    """The user's own stack frames, innermost first, from the interpreter's stack dump after a crash or time-out."""
    return tuple(f"{file}:{line} in {name}" for file, line, name in user_frames(dump))
