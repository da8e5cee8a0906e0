"""Ctrl-C after the result: the exit code of the command stays, and Python prints nothing."""

import os
import subprocess
import sys

import pytest

from tests.interrupts import heard

pytestmark = [pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX"), pytest.mark.sampled(3)]

START = """
import atexit, os, signal, sys, threading

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class Last:
    def __del__(self, kill=os.kill, own=os.getpid(), number=signal.SIGINT):
        kill(own, number)

def after_main():
    threading.main_thread().join()
    for _ in range(300):  # Python misses a signal just before it begins to wait
        interrupt()
        threading.Event().wait(0.1)
"""
END = """
sys.argv[1:] = ["grad", "x^2", "--at", at]
from gradcli.terminal.cli import main
sys.exit(main())
"""
INSTANTS = {
    "while Python waits for a thread": "threading.Thread(target=after_main).start()",
    "among the exit functions": "atexit.register(interrupt)",
    "when modules are freed": "sys.kept = Last()",
}


@pytest.mark.parametrize(("at", "code"), [("x=3", 0), ("y=3", 2)])
@pytest.mark.parametrize("instant", INSTANTS)
def test_an_interrupt_after_the_result_changes_nothing(instant: str, at: str, code: int) -> None:
    usual, interrupted = (run(text, at) for text in ("", INSTANTS[instant]))

    assert code == usual.returncode
    assert (usual.returncode, usual.stdout, usual.stderr) == (
        interrupted.returncode,
        interrupted.stdout,
        interrupted.stderr,
    )


def run(text: str, at: str) -> subprocess.CompletedProcess[str]:
    """A command in a process that has been prepared by some code."""
    with heard():
        return subprocess.run(
            [sys.executable, "-c", f"{START}at = {at!r}\n{text}\n{END}"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
