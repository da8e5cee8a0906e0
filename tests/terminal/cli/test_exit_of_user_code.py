"""What Python does for a program at exit happens for the user's code: threads, exit functions, files, finalizers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="reads a pipe that C and Python write to")

FILE = """
import atexit, ctypes, multiprocessing, os, threading, time, warnings
import gradcli

def write(text):
    os.write(1, f"{text}\\n".encode())

class Noted:
    def __init__(self, name):
        self.name, self.itself = name, None

    def __del__(self, write=os.write):
        write(1, f"{self.name}\\n".encode())

    def __call__(self, x):
        return x * x * gradcli.grad(cube)(x)

def cube(x):
    return x * x * x

def ring(name):
    made = Noted(name)
    made.itself = made
    return made

def cell():
    held = Noted("cell of a function")
    return lambda x: held(x)

def late():
    time.sleep(0.1)
    write("thread")

def run_once():
    global opened, global_ring
    opened = open(1, "w", closefd=False)
    opened.write("open file\\n")
    global_ring = ring("ring of a global")
    ring("ring of garbage")
    cube.attribute = Noted("attribute of a function")
    atexit.register(write, "exit function")
    child = multiprocessing.get_context("fork").Process(target=write, args=("child",))
    child.start()
    threading.Thread(target=late).start()
    ctypes.CDLL(None).printf(b"text of C\\n")

model = Noted("target")
warnings.kept = Noted("attribute of another module")
by_cell = cell()
ran = []

def f(x):
    if not ran:
        ran.append(x)
        run_once()
    return model(x) * by_cell(x)
"""
ENDS = {
    *("open file", "ring of a global", "ring of garbage", "attribute of a function", "exit function", "child"),
    *("thread", "text of C", "target", "attribute of another module", "cell of a function"),
}
START = (
    "import sys, threading; {before}; sys.argv[1:] = {arguments!r}; "
    "from gradcli.terminal.cli import main; sys.exit(main())"
)
# A command runs in gradcli's own process where other threads run already.
OTHER_THREAD = "threading.Thread(target=threading.Event().wait, daemon=True).start()"


def written(folder: Path, *arguments: str, before: str = "pass") -> list[str]:
    """The lines that a command writes, with the file in its folder."""
    (folder / "ends.py").write_text(FILE, encoding="utf-8")
    command = [sys.executable, "-c", START.format(before=before, arguments=[*arguments, "--at", "2"])]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    run = subprocess.run(command, cwd=folder, env=environment, **both, text=True, check=False, timeout=60)
    return run.stdout.splitlines()


@pytest.mark.parametrize("before", ["pass", OTHER_THREAD])
def test_everything_ends_as_in_python(tmp_path: Path, before: str) -> None:
    """Once each, in the process of a command and in gradcli's own."""
    lines = written(tmp_path, "grad", "ends.py:f", before=before)

    assert sorted(ENDS) == sorted(line for line in lines if line in ENDS)


def test_a_target_is_finalised(tmp_path: Path) -> None:
    """An object that was the target itself is, which gradcli has looked at."""
    assert "target" in written(tmp_path, "grad", "ends.py:model")


def test_after_an_error_as_well(tmp_path: Path) -> None:
    """The traceback of an error holds the frames of the program."""
    lines = written(tmp_path, "derive", "ends.py:f")

    assert {"cell of a function", "open file", "ring of a global", "target"} <= {*lines}
