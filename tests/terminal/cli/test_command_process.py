"""A command whose process the user's code ends says so, and has an exit code of its own."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.interrupts import heard

if not hasattr(os, "fork"):
    pytest.skip("a command has no process of its own", allow_module_level=True)

ROOT = Path(__file__).parents[3]
PROGRAM = """
import ctypes, faulthandler, os, signal, sys, threading, time

calls = []

def square(x):
    return x * x

def slope(x):
    return 2 * x

def leaves(x):
    os._exit(0)

def leaves_in_c(x):
    ctypes.CDLL(None).exit(0)

def leaves_late(x):
    calls.append(x)
    return x * x if len(calls) < 4 else os._exit(0)

def crashes(x):
    ctypes.string_at(0)

def aborts(x):
    os.abort()

def kills_itself(x):
    os.kill(os.getpid(), signal.SIGKILL)

def becomes_another(x):
    os.execvp("true", ["true"])

def leaves_in_a_thread(x):
    threading.Thread(target=os._exit, args=(0,)).start()
    time.sleep(60)

def leaves_to_a_copy(x):
    if os.fork():
        os._exit(0)
    time.sleep(0.01)
    return x * x

def forks(x):
    os.fork()
    return x * x

def writes_to_every_file(x):
    for number in range(3, 20):
        try:
            os.write(number, b"0\\n")
        except OSError:
            pass
    os._exit(0)

def exits_in_a_thread(x):
    thread = threading.Thread(target=sys.exit)
    thread.start()
    thread.join()
    return x * x

def waits(x):
    print("waiting", os.getpid(), flush=True)
    time.sleep(60)

def waits_for_nothing(x):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    while True:
        try:
            time.sleep(60)
        except BaseException:
            pass

def halts():  # C code that holds the interpreter
    lock = ctypes.create_string_buffer(64)
    for _ in range(2):
        ctypes.PyDLL(None).pthread_mutex_lock(lock)

def halts_in_c(x):
    print("waiting", flush=True)
    halts()

def tidies_up(x):
    try:
        print("waiting", flush=True)
        time.sleep(60)
    finally:
        for _ in range(15):
            time.sleep(0.1)

def crashes_at_exit(x):
    import atexit
    atexit.register(os._exit, 9)
    return x * x
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the program, and with a file that ends the process when it is loaded."""
    (tmp_path / "p.py").write_text(PROGRAM)
    (tmp_path / "gone.py").write_text("import os\nos._exit(0)\n")
    (tmp_path / "lines.gradcli").write_text("grad p.py:leaves --at 2\n")
    return tmp_path


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "gradcli", *arguments]


def environment() -> dict[str, str]:
    """The environment of a process that imports this package."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"}


def gradcli(folder: Path, *arguments: str, **how: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*arguments), cwd=folder, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )


ENDS = {
    "leaves": "exit code 0",
    "leaves_in_c": "exit code 0",
    "leaves_late": "exit code 0",
    "crashes": "Segmentation fault (SIGSEGV)",
    "aborts": "Aborted (SIGABRT)",
    "kills_itself": "Killed (SIGKILL)",
    "becomes_another": "exit code 0",
    "leaves_in_a_thread": "exit code 0",
    "leaves_to_a_copy": "exit code 0",
    "writes_to_every_file": "exit code 0",
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("name", "reason"), ENDS.items())
def test_an_ended_process_is_an_error_of_the_code(name: str, reason: str, folder: Path) -> None:
    """It has no verdict, whatever its own exit code was, and nothing is printed but the error."""
    done = gradcli(folder, "check", f"p.py:{name}", "--against", "slope", "--at", "2")

    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr.startswith(f"error[G905]: the interpreter ended without a result: {reason}\n")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "p.py:square", "--against", "leaves", "--at", "2"),
        ("check", "gone.py:f", "--at", "2"),
        ("compare", "p.py:square", "p.py:leaves", "--at", "2"),
        ("run", "lines.gradcli"),
    ],
    ids=lambda words: words[0],
)
def test_wherever_the_code_runs(arguments: tuple[str, ...], folder: Path) -> None:
    """While its file is loaded, as the derivative, in a script."""
    done = gradcli(folder, *arguments)

    assert (done.returncode, done.stdout) == (5, "")
    assert "the interpreter ended without a result: exit code 0" in done.stderr


def test_a_crash_has_the_lines_of_the_code(folder: Path) -> None:
    done = gradcli(folder, "grad", "p.py:crashes", "--at", "2", "--json")
    error = json.loads(done.stderr)["error"]

    assert (done.returncode, done.stdout, error["kind"]) == (5, "", "ended")
    line = next(number for number, text in enumerate(PROGRAM.splitlines(), 1) if "string_at" in text)
    assert (str(folder / "p.py"), line) == (error["file"], error["line"])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["exits_in_a_thread", "crashes_at_exit"])
def test_what_ends_no_process_changes_nothing(name: str, folder: Path) -> None:
    """An exception in a thread; the end of a process that has its result."""
    done = gradcli(folder, "check", f"p.py:{name}", "--against", "slope", "--at", "2")

    assert (done.returncode, done.stderr) == (0, "")


def test_a_copy_of_the_process_answers_nothing(folder: Path) -> None:
    done = gradcli(folder, "grad", "p.py:forks", "--at", "2", "--json")

    assert (done.returncode, done.stdout.count("\n")) == (0, 1)
    assert json.loads(done.stdout)["value"] == 4.0


@pytest.mark.long
def test_a_process_that_goes_on_after_its_time_has_the_exit_code_of_that(folder: Path) -> None:
    """The process is ended by gradcli itself, which is a result."""
    done = gradcli(folder, "check", "p.py:waits_for_nothing", "--against", "slope", "--at", "2", "--max-seconds", "0.1")

    assert done.returncode == 7


def begun(line: list[str], folder: Path) -> subprocess.Popen[str]:
    """A process with a group of its own, which hears Ctrl-C."""
    with heard():
        return subprocess.Popen(
            line,
            cwd=folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("is_group", [False, True], ids=["alone", "group"])
def test_a_signal_ends_both_processes(number: signal.Signals, is_group: bool, folder: Path) -> None:
    """The command ends as one process does that receives the signal."""
    process = begun(command("grad", "p.py:waits", "--at", "2"), folder)
    assert process.stderr is not None
    child = int(process.stderr.readline().split()[1])
    (os.killpg if is_group else os.kill)(process.pid, number)
    out, err = process.communicate(timeout=30)

    expected = (130, "interrupted\n") if number == signal.SIGINT else (-number, "")
    assert (out, process.returncode, err) == ("", *expected)
    assert is_gone(child)


IMPATIENT = """
import sys
from gradcli.answers.checks.problem import time_budget
from gradcli.terminal.cli import command_process, main

command_process.PATIENCE = command_process.ANSWERING = 0.3
time_budget.GRACE = time_budget.LATE = time_budget.MARGIN = 0.1
sys.exit(main())
"""


def ended(folder: Path, *arguments: str, presses: bool) -> subprocess.CompletedProcess[str]:
    """A command of a parent without patience; Ctrl-C is pressed, or it has a time limit."""
    typed = [*arguments, *([] if presses else ["--max-seconds", "3"])]
    process = begun([sys.executable, "-c", IMPATIENT, *typed], folder)
    assert process.stderr is not None
    if presses:
        process.stderr.readline()
        os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    return subprocess.CompletedProcess(typed, process.returncode, out, err)


@pytest.mark.long
def test_a_time_limit_ends_c_code_that_does_not_return(folder: Path) -> None:
    """The error shows its line."""
    done = ended(folder, "check", "p.py:halts_in_c", "--against", "slope", "--at", "2", presses=False)

    assert (done.returncode, done.stdout) == (7, "")
    assert "error[G908]: The time limit of 3 s" in done.stderr
    assert "ctypes.PyDLL(None).pthread_mutex_lock(lock)" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("command", ["grad", "explain"])
def test_ctrl_c_ends_c_code_that_does_not_return(command: str, folder: Path) -> None:
    done = ended(folder, command, "p.py:halts_in_c", "--at", "2", presses=True)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.long
def test_python_code_that_goes_on_after_ctrl_c_is_not_ended(folder: Path) -> None:
    """As in a process of its own; such code may save what it has."""
    started = time.monotonic()
    done = ended(folder, "grad", "p.py:tidies_up", "--at", "2", presses=True)

    assert (done.returncode, done.stderr) == (130, "interrupted\n")
    assert time.monotonic() - started > 1.5


@pytest.mark.long
def test_interrupts_at_any_moment(folder: Path) -> None:
    moments, is_kept = random.Random(0), 0
    for _ in range(12):
        check = command("check", "p.py:square", "--against", "slope", "--at", "2", "--points", "100000")
        process = begun(check, folder)
        time.sleep(moments.uniform(1.5, 3.5))  # not while the interpreter starts, on a busy machine either
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=30)

        assert process.returncode == 130
        assert ("interrupted" in err, "Traceback" not in err) == (True, True)
        is_kept += bool(out)
    assert is_kept  # the first one keeps the finished rows, and there is no second one


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a child with its parent")
def test_a_killed_command_leaves_no_process(folder: Path) -> None:
    """The process of the code ends with the one that waits for it."""
    process = subprocess.Popen(
        command("grad", "p.py:waits", "--at", "2"), cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    child = int(process.stderr.readline().split()[1])
    process.kill()
    process.communicate(timeout=30)

    assert is_gone(child)


def is_gone(number: int) -> bool:
    """Whether a process has ended, or ends soon."""
    for _ in range(100):
        try:
            if Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] in "ZX":
                return True
            os.kill(number, 0)
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False
