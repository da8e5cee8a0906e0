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

LATE = 0.2  # seconds past the time limit after which the stack is dumped, before the check itself gives up


def main() -> int:
    """Run the cases from stdin until it ends; output of the user's code goes to stderr."""
    faulthandler.enable(os.dup(sys.stderr.fileno()))
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    printed = os.dup(sys.stderr.fileno())
    _open_streams(printed)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from gradcli import queries
    from gradcli.verification.case_judgement import run_case, stopped
    from gradcli.verification.check_options import SECONDS
    from gradcli.verification.worker_messages import case_of, line

    queries.warm_symbolic()
    import_module("gradcli.checks.multi_point_check")
    cases = _arriving()
    answers.write(line({"ready": True}))
    while (text := cases.get()) is not None:
        case = case_of(json.loads(text))
        late = float(case.options.get("max_seconds", SECONDS)) + LATE
        faulthandler.dump_traceback_later(min(late, threading.TIMEOUT_MAX), file=printed)
        try:
            result = run_case(case)
        except KeyboardInterrupt:  # raised by the case itself, because Ctrl-C does not reach this process
            result = stopped(case)
        finally:
            faulthandler.cancel_dump_traceback_later()
        _open_streams(printed)
        answers.write(line(result))
    return 0


def _open_streams(printed: int) -> None:
    """Redirect stdout and stderr to one file, and reopen them if a case has closed them."""
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
    sys.exit(main())
