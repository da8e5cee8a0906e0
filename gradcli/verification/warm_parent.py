"""A process that has imported the file of some cases, and forks a child for each, which starts from that state."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import socket
import time
from typing import Any

from gradcli.answers.targets.target_resolution import load, module_of
from gradcli.shared.process_control import adopt_orphans
from gradcli.verification.case_process import CaseProcess
from gradcli.verification.forked_child import ForkedChild, children
from gradcli.verification.worker_messages import case_of, line, read_line

END = 6.0  # seconds that it may take to end the processes of a case

_SHARED = re.compile(r"\S+ rw.s")
_RUNTIME = re.compile(r"/lib(gomp|iomp5|omp|tbb|cuda|cudart|mpi|torch\w*|tensorflow\w*|jax\w*)[-.\w]*\.so")


class WarmParent:
    """The process of one file, as seen by its own parent.

    Args:
        asked: the first case as a message.
        process: what runs a case.
        seconds: how long the import may take.
        watched: a descriptor that becomes readable when the run ends.

    Attributes:
        is_warm: whether the file was imported and the process can be forked: one thread runs, no process has been
            started, no device or threaded runtime is loaded, no file was left open and no memory shared, and the
            working folder is unchanged.
        is_late: whether the import takes longer.
    """

    def __init__(self, asked: dict[str, Any], process: CaseProcess, seconds: float, watched: int) -> None:
        own, others = socket.socketpair()
        self._watched = watched

        def serve() -> None:
            own.close()
            _serve(asked, process, others.fileno())

        self._socket, self._child = own, ForkedChild(serve)
        others.close()
        latest = time.monotonic() + seconds
        self.is_warm = self._reply(seconds) == {"warm": True}
        self.is_late = not self.is_warm and time.monotonic() >= latest

    def code(self, asked: dict[str, Any], seconds: float) -> int | None:
        """The exit code of the process of a case; None after the time limit."""
        with contextlib.suppress(OSError):
            self._socket.sendall(line(asked))
        reply = self._reply(seconds + END)
        self.is_warm = "code" in reply
        return reply.get("code", reply.get("ended"))

    def end(self) -> None:
        """End the process and its children."""
        self._child.end()
        self._socket.close()

    def _reply(self, seconds: float) -> dict[str, Any]:
        """The next message, or the exit code of the process; empty if there is none in time or the run ends."""
        with contextlib.suppress(OSError):
            if text := read_line(self._socket.fileno(), seconds, self._watched):
                return dict(json.loads(text))
        return {"ended": self._child.code(0.0, self._watched)}


def _serve(asked: dict[str, Any], process: CaseProcess, channel: int) -> None:
    """Import the file, and fork a child for each case that comes."""
    adopt_orphans()
    printed = process.printed_aside()
    with contextlib.suppress(BaseException):
        is_warm = _is_imported(asked, process)
        process.print_again(printed, is_warm)
        if is_warm:
            gc.collect()
            gc.freeze()
            os.write(channel, line({"warm": True}))
            while text := read_line(channel):
                request = json.loads(text)
                child = ForkedChild(lambda request=request: process.run(request, channel))  # type: ignore[misc]
                code = child.code(request["seconds"], channel)
                child.end()
                os.write(channel, line({"code": code}))


def _is_imported(asked: dict[str, Any], process: CaseProcess) -> bool:
    """Import the file of a case, and return whether this process can be forked after it."""
    case = case_of(asked["case"])
    module = module_of(case.marked or case.target)
    if module is None:
        return True
    os.chdir(case.folder)
    before = _shared_by_copies()
    with process.dumping(case):
        load(module)
    return (
        os.getcwd() == os.path.realpath(case.folder)
        and _shared_by_copies() == before
        and not children()
        and _is_single()
    )


def _shared_by_copies() -> list[str]:
    """The open files of this process, whose positions its copies share, and its shared memory."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return sorted(os.listdir("/proc/self/fd")) + [line for line in maps if _SHARED.match(line)]


def _is_single() -> bool:
    """Whether one thread runs that a fork does not end, and no threaded runtime is loaded.

    A fork ends and restarts the threads of OpenBLAS, so those that are left are counted after one.
    """
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        if _RUNTIME.search(maps.read()):
            return False
    if len(os.listdir("/proc/self/task")) > 1:
        child = os.fork()
        if not child:
            os._exit(0)
        os.waitpid(child, 0)
    return len(os.listdir("/proc/self/task")) == 1
