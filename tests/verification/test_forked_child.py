"""No process of a case outlives it, nor the run, however either ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from gradcli.shared.records.verification import CaseResult, GradientCase
from gradcli.verification.worker_process import KEPT, WorkerProcess
from tests.interrupts import heard
from tests.verification.conftest import environment

WORKER = 2  # the processes of a worker: itself, and the parent that has imported the file

if sys.platform != "linux":
    pytest.skip("processes are found by /proc", allow_module_level=True)

PROGRAM = """
import ctypes, itertools, os, subprocess, sys, time
from concurrent.futures import ProcessPoolExecutor

pool = ProcessPoolExecutor(2)
forked = []

def square(t):
    return t * t

def slope(x):
    return 2 * x

def sleeping(x, **how):
    if not forked:
        forked.append(subprocess.Popen(["sleep", "300"], **how))

def fine(x):
    return x * x

def leaves_one(x):
    sleeping(x)
    return x * x

def leaves_one_of_its_own_session(x):
    sleeping(x, start_new_session=True)
    return x * x

def leaves_an_orphan(x):
    if not forked:
        forked.append(1)
        subprocess.run(["setsid", "sh", "-c", "sleep 300 & exit 0"])
    return x * x

def crashes_with_a_pool(x):
    list(pool.map(square, [1.0, 2.0]))
    ctypes.string_at(0)

def hangs_with_a_pool(x):
    list(pool.map(square, [1.0, 2.0]))
    sum(itertools.count())

def hangs(x):
    sleeping(x)
    print("hangs", flush=True)
    sum(itertools.count())

def forks(x):
    if not forked:
        forked.append(os.fork())
    return x * x

def ends_its_group(x):
    sleeping(x, start_new_session=True)
    os.killpg(0, 9)

def loud(x):
    if not forked:
        forked.append(1)
        print("first")
        sys.stdout.flush()
        for _ in range(40):
            os.write(1, b"A" * 1_000_000)
        os.write(1, b"last\\n")
    return x * x

def complains(x):
    raise ValueError("A" * 400_000_000)

def greedy(x):
    return x * x + 0 * bytearray(2_000_000_000)[0]
"""


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """What all processes of a test have in their environment."""
    monkeypatch.setenv("GRADCLI_TEST_MARK", found := uuid4().hex)
    return found


@pytest.fixture
def worker(tmp_path: Path, mark: str) -> Iterator[WorkerProcess]:
    """A worker in a folder with the program."""
    (tmp_path / "p.py").write_text(PROGRAM)
    process = WorkerProcess()
    yield process
    process.end()
    assert left(mark) == []


def judged(worker: WorkerProcess, folder: Path, name: str, **options: object) -> CaseResult:
    """The result of a function of the program."""
    case = GradientCase(name, f"p.py:{name}", "slope", {"at": "2", **options}, folder=str(folder))
    return worker.judged(case)


def left(mark: str, seconds: float = 5.0, kept: int = 0) -> list[str]:
    """The command lines of the processes with a mark, if not all but a number of them end within some seconds."""
    latest = time.monotonic() + seconds
    while len(found := list(marked(mark))) > kept and time.monotonic() < latest:
        time.sleep(0.02)
    return found if len(found) > kept else []


def marked(mark: str) -> Iterator[str]:
    """The command lines of the running processes with a mark, other than this one."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.name != str(os.getpid()) and mark.encode() in (process / "environ").read_bytes():
                yield (process / "cmdline").read_text()
        except OSError:
            continue


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("leaves_one_of_its_own_session", "pass"),
        pytest.param("crashes_with_a_pool", "crashed", marks=pytest.mark.long),
        pytest.param("leaves_one", "pass", marks=pytest.mark.long),
        pytest.param("leaves_an_orphan", "pass", marks=pytest.mark.long),
        pytest.param("forks", "pass", marks=pytest.mark.long),
        pytest.param("ends_its_group", "crashed", marks=pytest.mark.long),
    ],
)
def test_no_process_outlives_its_case(
    name: str, outcome: str, worker: WorkerProcess, tmp_path: Path, mark: str
) -> None:
    """Not one of the group, of another session, nor one whose parent has ended; the next case is judged."""
    result = judged(worker, tmp_path, name)

    assert (outcome, "") == (result.outcome, "" if outcome == result.outcome else result.message)
    assert left(mark, kept=WORKER) == []
    assert judged(worker, tmp_path, "fine").outcome == "pass"


@pytest.mark.long
@pytest.mark.parametrize("name", ["hangs_with_a_pool", pytest.param("hangs", marks=pytest.mark.long)])
def test_a_case_that_hangs_in_c_ends_with_its_processes(
    name: str, worker: WorkerProcess, tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They hold the pipes of the worker open, and the run all the same goes on."""
    monkeypatch.setattr("gradcli.verification.worker_process.GRACE", 1.0)
    result = judged(worker, tmp_path, name, max_seconds=1.0)

    assert (result.outcome, "p.py" in result.message) == ("timeout", True)
    assert left(mark, kept=WORKER) == []


@pytest.mark.long
def test_the_beginning_and_the_end_of_what_is_printed(worker: WorkerProcess, tmp_path: Path) -> None:
    result = judged(worker, tmp_path, "loud")

    assert result.outcome == "pass"
    assert 2 * KEPT <= len(result.output) < 3 * KEPT
    assert (result.output.startswith("first\nAAA"), "AAAlast\n" in result.output) == (True, True)
    assert "bytes are left out here" in result.output


@pytest.mark.long
def test_the_beginning_of_a_message(worker: WorkerProcess, tmp_path: Path) -> None:
    result = judged(worker, tmp_path, "complains")

    assert (result.outcome, result.message[:50]) == ("raised", "ValueError in complains: " + "A" * 25)
    assert len(result.message) <= KEPT


@pytest.mark.parametrize("size", ["700M", pytest.param("900m", marks=pytest.mark.long)])
def test_a_case_has_a_limit_of_memory(size: str, tmp_path: Path, mark: str) -> None:
    """Beyond it, an allocation raises, and the error has its line; the next case has its memory again."""
    (tmp_path / "p.py").write_text(PROGRAM)
    process = started(tmp_path, "greedy", "--max-memory", size, "--json")
    out = process.communicate(timeout=60)[0]
    (case,) = json.loads(out)["cases"]

    assert (process.returncode, case["outcome"], case["message"]) == (5, "raised", "MemoryError in greedy")
    assert "return x * x + 0 * bytearray" in case["details"][0]


ENDS = [
    signal.SIGKILL,
    *(pytest.param(number, marks=pytest.mark.long) for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)),
]


@pytest.mark.parametrize("number", ENDS)
def test_no_process_outlives_the_run(number: signal.Signals, tmp_path: Path, mark: str) -> None:
    (tmp_path / "p.py").write_text(PROGRAM)
    process = started(tmp_path, "hangs")
    latest = time.monotonic() + 30
    while "sleep\x00300\x00" not in marked(mark) and time.monotonic() < latest:
        time.sleep(0.05)
    process.send_signal(number)
    process.communicate(timeout=20)

    assert (130 if number == signal.SIGINT else -number) == process.returncode
    assert left(mark) == []


def started(folder: Path, name: str, *options: str) -> subprocess.Popen[bytes]:
    """A run over a function of the program."""
    (folder / "gradcli.toml").write_text(f'[[check]]\ntarget = "p.py:{name}"\nagainst = "slope"\nat = "3"\n')
    command = [sys.executable, "-m", "gradcli", "verify", *options]
    with heard():
        return subprocess.Popen(command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
