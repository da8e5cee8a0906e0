"""Each case starts from the state after the import of its file, whatever the cases before it have done."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gradcli.shared.records.verification import CaseResult, GradientCase
from gradcli.verification import worker_process
from gradcli.verification.worker_process import WorkerProcess

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="other systems start a process for each case"),
    pytest.mark.sampled(3),
]

PROGRAM = """
import os, sys, threading, time
import numpy as np

print("the import")
scale, copies = 1.0, []
START

def globals_(x):
    global scale
    scale = 7.0
    return x * x

def path(x):
    sys.path[:] = []
    sys.modules["json"] = None
    return x * x

def recursion(x):
    sys.setrecursionlimit(60)
    return x * x

def hooks(x):
    sys.excepthook = sys.displayhook = None
    sys.settrace(None)
    return x * x

def numpy_(x):
    np.seterr(all="raise")
    np.float64 = None
    return x * x

def folder(x):
    os.chdir("/")
    return x * x

def environment(x):
    os.environ.clear()
    return x * x

def streams(x):
    sys.stdout = sys.stderr = None
    os.closerange(0, 100)
    return x * x

def loud(x):
    os.write(1, b'{"token": "0000000000000000", "answer": null}\\n')
    os.write(2, b"\\0" * 1000)
    return x * x

def forks(x):
    if not copies:
        copies.append(os.fork())
    return x * x if copies[0] else 9 * x

def thread(x):
    threading.Thread(target=time.sleep, args=(60,)).start()
    return x * x

def exits(x):
    os._exit(0)

def right(x):
    assert os.environ and sys.path and sys.getrecursionlimit() > 500
    return scale * x * x

def slope(x):
    return 2 * x

"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("warm")
    (path / "p.py").write_text(PROGRAM.replace("START", ""))
    return path


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTHONUNBUFFERED", raising=False)  # what a case prints is not lost where it is killed
        process = WorkerProcess()
        yield process
        process.end()


def judged(worker: WorkerProcess, folder: Path, name: str, file: str = "p.py") -> CaseResult:
    """The result of a function of the program."""
    return worker.judged(GradientCase(name, f"{file}:{name}", "slope", {"at": "3"}, folder=str(folder)))


CHANGES = ["globals_", "path", "recursion", "hooks", "numpy_", "folder", "environment", "streams", "loud", "thread"]


@pytest.mark.parametrize("name", CHANGES)
def test_no_case_changes_the_next(name: str, worker: WorkerProcess, folder: Path) -> None:
    assert (name, "pass") == (name, judged(worker, folder, name).outcome)
    assert ("right", judged(worker, folder, "right").outcome) == ("right", "pass")


def test_a_forked_copy_answers_nothing(worker: WorkerProcess, folder: Path) -> None:
    """The answer of the case is that of the process that was started for it."""
    assert judged(worker, folder, "forks").outcome == "pass"
    assert judged(worker, folder, "right").outcome == "pass"


def test_an_exit_without_an_answer_is_none(worker: WorkerProcess, folder: Path) -> None:
    result = judged(worker, folder, "exits")

    assert (result.outcome, result.message) == ("crashed", "the interpreter ended: exit code 0")


STARTS = [
    "threading.Thread(target=time.sleep, args=(60,), daemon=True).start()",
    "np.linalg.inv(np.eye(600))",
    "os.chdir('/')",
    "import subprocess; subprocess.Popen(['sleep', '60'])",
]


@pytest.mark.parametrize("start", STARTS)
def test_a_file_whose_import_cannot_be_forked(start: str, worker: WorkerProcess, tmp_path: Path) -> None:
    (tmp_path / "q.py").write_text(PROGRAM.replace("START", start))
    results = [judged(worker, tmp_path, name, f"{tmp_path}/q.py") for name in ("globals_", "right")]

    assert [each.outcome for each in results] == ["pass"] * 2


SHARED = [
    ("import mmap; held = mmap.mmap(-1, 8)", "held[:1] = b'x'", "held[0]"),
    ("import multiprocessing; held = multiprocessing.Value('d')", "held.value = 1", "held.value"),
    ("held = os.open(__file__, os.O_RDONLY)", "os.lseek(held, 1, os.SEEK_SET)", "os.lseek(held, 0, os.SEEK_CUR)"),
    ("held = open(__file__)", "held.readline()", "os.lseek(held.fileno(), 0, os.SEEK_CUR)"),
    (
        "import socket; held = socket.socketpair()",
        "held[0].send(b'x')",
        "len(held[1].recv(9, socket.MSG_DONTWAIT | 64))",
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(("start", "write", "read"), SHARED)
def test_cases_do_not_share_what_an_import_opens(
    start: str, write: str, read: str, worker: WorkerProcess, tmp_path: Path
) -> None:
    """A forked copy would have the same memory, or the same position in a file."""
    both = f"""
def writes(x):
    {write}
    return x * x

def reads(x):
    try:
        seen = {read}
    except BlockingIOError:
        seen = 0
    return x * x if not seen else 9 * x
"""
    (tmp_path / "q.py").write_text(PROGRAM.replace("START", start) + both)
    results = [judged(worker, tmp_path, name, "q.py") for name in ("reads", "writes", "reads")]

    assert [each.outcome for each in results] == ["pass"] * 3


@pytest.mark.long
def test_a_file_that_an_import_opens_stays_open(worker: WorkerProcess, tmp_path: Path) -> None:
    held = "held = [os.open(__file__, os.O_RDONLY) for _ in range(20)]"
    used = "\ndef reads(x):\n    return x * x + 0 * sum(os.fstat(each).st_nlink for each in held)\n"
    (tmp_path / "q.py").write_text(PROGRAM.replace("START", held) + used)
    results = [judged(worker, tmp_path, "reads", "q.py") for _ in range(2)]

    assert [each.outcome for each in results] == ["pass"] * 2


@pytest.mark.long
def test_what_an_import_prints_is_shown_once(worker: WorkerProcess, tmp_path: Path) -> None:
    (tmp_path / "q.py").write_text(PROGRAM.replace("START", ""))
    results = [judged(worker, tmp_path, "right", "q.py") for _ in range(2)]

    assert [each.output for each in results] == ["the import\n", ""]


@pytest.mark.long
def test_an_import_that_does_not_end_is_waited_for_once(
    worker: WorkerProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each case of its file is out of time, with the line of the import; one with a longer limit tries again."""
    monkeypatch.setattr(worker_process, "GRACE", 1.0)
    (tmp_path / "q.py").write_text(
        PROGRAM.replace("START", "import os; os.write(os.open('n', 1025 | 64), b'.'); time.sleep(60)")
    )
    case = GradientCase("right", "q.py:right", "slope", {"at": "3", "max_seconds": 5.0}, folder=str(tmp_path))
    results = [worker.judged(each) for each in (case, case, case.changed(options={**case.options, "max_seconds": 6.0}))]

    assert [each.outcome for each in results] == ["timeout"] * 3
    assert [each.output for each in results] == ["the import\n", "", "the import\n"]
    assert all("q.py:7 in <module>" in each.message for each in results)
    assert (tmp_path / "n").read_text() == ".."
