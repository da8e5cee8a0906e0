"""A worker: reads cases from stdin, a line each, and writes their results to the stdout that it was given."""

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

LATE = 0.2  # seconds after the time of a case at which it is told where it hangs: before the check itself gives up


def main() -> int:
    """Judge what comes until stdin ends; all that the user's code prints goes to stderr."""
    faulthandler.enable()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0)
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from gradcli import queries
    from gradcli.verification.judging import judged
    from gradcli.verification.messages import case_of, line
    from gradcli.verification.options import SECONDS

    queries.warm_symbolic()
    import_module("gradcli.running")
    cases = _arriving()
    answers.write(line({"ready": True}))
    while (text := cases.get()) is not None:
        case = case_of(json.loads(text))
        faulthandler.dump_traceback_later(float(case.options.get("max_seconds", SECONDS)) + LATE)
        try:
            result = judged(case)
        finally:
            faulthandler.cancel_dump_traceback_later()
        _flush()
        answers.write(line(result))
    return 0


def _arriving() -> queue.SimpleQueue[bytes | None]:
    """The lines of stdin as they come, then None; where stdin ends in the middle of a case, nobody waits for it."""
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


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()


if __name__ == "__main__":
    sys.exit(main())
