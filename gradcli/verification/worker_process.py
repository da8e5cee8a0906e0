"""A worker process as seen from the run: started on demand, ended after its time limit, restarted after a crash."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from typing import Any

from gradcli.errors import InternalError
from gradcli.process_endings import reason, user_frames
from gradcli.records.verification import CaseResult, GradientCase
from gradcli.verification.check_options import SECONDS
from gradcli.verification.reproducing_commands import command_in_worker, command_of
from gradcli.verification.worker_messages import line, result_of

GRACE = 2.0  # seconds past the time limit before a worker is ended
START = 60.0  # seconds that a worker may take to start

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class WorkerProcess:
    """One worker process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._printed = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `end`
        self._lock = threading.Lock()
        self._is_ended = False

    def judged(self, case: GradientCase) -> CaseResult:
        """The result of a case. A crash or a time-out is a result, and the next case gets a new process."""
        started = time.perf_counter()
        process = self._running()
        self._printed.seek(0, os.SEEK_END)
        before = self._printed.tell()
        seconds = float(case.options.get("max_seconds", SECONDS))
        answer = self._answer(process, line(case), seconds + GRACE)
        printed = self._since(before)
        if answer is not None:
            result = result_of(answer, case).changed(output=_said(printed))
            where = _frames(printed) if result.outcome == "timeout" else ()
            return result.changed(details=(*where, *result.details))
        taken = time.perf_counter() - started
        code = self._closed()
        return _ended(case, printed, taken, None if taken >= seconds + GRACE else code)

    def end(self) -> None:
        """End the process, and do not start another."""
        self._is_ended = True
        self._closed()
        self._printed.close()

    def _running(self) -> subprocess.Popen[bytes]:
        """The process, started if it is not running."""
        if self._process is None:
            with self._lock:
                if self._is_ended:
                    raise KeyboardInterrupt
                self._process = _started(self._printed)
            before = self._printed.seek(0, os.SEEK_END)
            if self._answer(self._process, b"", START) is None:
                self._closed()
                raise InternalError(f"A worker does not start: {self._since(before).strip()[-500:]}")
        return self._process

    def _answer(self, process: subprocess.Popen[bytes], asked: bytes, seconds: float) -> Any:
        """The response to a message; None if no response arrived in time."""
        assert process.stdin is not None
        assert process.stdout is not None
        timer = threading.Timer(min(seconds, threading.TIMEOUT_MAX), process.kill)
        timer.daemon = True
        timer.start()
        try:
            process.stdin.write(asked)
            process.stdin.flush()
            text = process.stdout.readline()
            return json.loads(text) if text.endswith(b"\n") else None
        except (OSError, ValueError):
            return None
        finally:
            timer.cancel()

    def _since(self, before: int) -> str:
        """The output printed since a position in the file."""
        self._printed.seek(before)
        return self._printed.read().decode("utf-8", "replace")

    def _closed(self) -> int:
        """End the process and return its exit code."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return 0
        assert process.stdin is not None
        assert process.stdout is not None
        code = process.poll()
        if code is None:
            try:
                code = process.wait(0.2)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                stream.close()
        return code


def _started(printed: Any) -> subprocess.Popen[bytes]:
    """A new process, in its own session so that Ctrl-C does not reach it: the run ends it."""
    path = os.pathsep.join([os.path.dirname(_OURS), *filter(None, [os.environ.get("PYTHONPATH")])])
    own: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        own = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "gradcli.verification.worker_main"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=printed,
        env={**os.environ, "PYTHONPATH": path},
        **own,
    )


def _ended(case: GradientCase, printed: str, seconds: float, code: int | None) -> CaseResult:
    """The result of a case whose process ended; `code` is None after a time-out."""
    frames = _frames(printed)
    where = f", in {frames[0]}" if frames else ""
    command = command_of(case) if code is None else command_in_worker(case)
    result = CaseResult(case, "crashed", seconds=seconds, command=command, details=frames, output=_said(printed))
    if code is None:
        given = float(case.options.get("max_seconds", SECONDS))
        return result.changed(outcome="timeout", message=f"still running after {given:g} s{where}")
    return result.changed(message=f"the interpreter ended: {reason(code)}{where}")


def _said(printed: str) -> str:
    """The output of the case itself, without the interpreter's stack dump."""
    return printed.partition("Fatal Python error")[0].partition("Timeout (")[0]


def _frames(printed: str) -> tuple[str, ...]:
    """The user's own stack frames, innermost first, from the interpreter's stack dump after a crash or time-out."""
    return tuple(f"{file}:{line} in {name}" for file, line, name in user_frames(printed))
