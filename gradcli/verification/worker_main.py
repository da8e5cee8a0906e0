"""A worker process: reads cases from stdin, one per line, and writes their results to stdout."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import queue
import signal
import sys
import threading
from importlib import import_module
from typing import Any

LATE = 0.2  # seconds past the time limit after which the stack is dumped, before the check itself gives up


def main(life: str, max_memory: str) -> int:
    """Run the cases from stdin until it ends; output of the user's code goes to stderr.

    Args:
        life: the number of the pipe that the run keeps open, or "None".
        max_memory: the limit of the memory in bytes, or "None".
    """
    answers = os.dup(1)
    if life != "None":
        from gradcli.verification.guardian import guard

        guard(int(life), answers)
    faulthandler.enable(answers)
    printed = os.dup(2)
    _open_streams(printed)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from gradcli import queries

    queries.warm_symbolic()
    import_module("gradcli.checks.multi_point_check")
    import_module("gradcli.verification.case_judgement")
    cases = _arriving()
    if max_memory != "None":
        _limit(int(max_memory))
    _tell(answers, {"ready": True})
    while (text := cases.get()) is not None:
        _answer(json.loads(text), answers, printed)
    return 0


def _answer(asked: dict[str, Any], answers: int, printed: int) -> None:
    """Run a case and write its result."""
    from gradcli.verification.case_judgement import run_case, stopped
    from gradcli.verification.check_options import SECONDS
    from gradcli.verification.guardian import has_processes
    from gradcli.verification.worker_messages import case_of, output_mark

    case, process = case_of(asked["case"]), os.getpid()
    late = float(case.options.get("max_seconds", SECONDS)) + LATE
    faulthandler.dump_traceback_later(min(late, threading.TIMEOUT_MAX), file=answers)
    try:
        result = run_case(case)
    except KeyboardInterrupt:  # raised by the case itself, because Ctrl-C does not reach this process
        result = stopped(case)
    finally:
        if os.getpid() != process:  # a copy that the code has forked
            os._exit(0)
        faulthandler.cancel_dump_traceback_later()
    _open_streams(printed)
    os.write(printed, output_mark(asked["token"]))
    _tell(answers, {"token": asked["token"], "result": result, "leaves_processes": has_processes()})


def _tell(answers: int, message: dict[str, Any]) -> None:
    """Write a message."""
    from gradcli.verification.worker_messages import line

    data = line(message)
    while data:
        data = data[os.write(answers, data) :]


def _limit(size: int) -> None:
    """Limit the memory of this process, where the system can: an allocation beyond it raises MemoryError."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (size, hard))


def _open_streams(printed: int) -> None:
    """Redirect stdout and stderr to one pipe, and reopen them if a case has closed them."""
    for number, name in ((1, "stdout"), (2, "stderr")):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            getattr(sys, name).flush()
        os.dup2(printed, number)
        original = getattr(sys, f"__{name}__")
        is_open = original is not None and not original.closed
        setattr(sys, name, original if is_open else open(number, "w", closefd=False))  # noqa: SIM115 - the stream of the process


def _arriving() -> queue.SimpleQueue[bytes | None]:
    """A queue of the lines of stdin. When stdin ends, the process exits at once, even in the middle of a case."""
    found: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    source = os.fdopen(os.dup(sys.stdin.fileno()), "rb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), sys.stdin.fileno())

    def listen() -> None:
        for text in source:
            found.put(text)
        os._exit(0)

    threading.Thread(target=listen, daemon=True).start()
    return found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
