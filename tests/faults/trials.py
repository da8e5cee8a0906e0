"""The trials of the fault run: each returns whether `verify` kept its promise."""

import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from tests.verification.conftest import environment

PROGRAM = """
import os, subprocess, sys, threading, time
scale, copies = 1.0, []

def globals_(x):
    global scale
    scale = 7.0
    return x * x

def settings(x):
    sys.path[:] = []
    sys.setrecursionlimit(60)
    os.environ.clear()
    os.chdir("/")
    return x * x

def streams(x):
    sys.stdout = sys.stderr = None
    os.closerange(0, 100)
    return x * x

def loud(x):
    os.write(1, b'{"token": "0", "answer": null}\\n' * 9999)
    os.write(2, b"\\0\\x1b]0;title\\x07" * 999)
    return x * x

def thread(x):
    threading.Thread(target=time.sleep, args=(60,)).start()
    return x * x

def forks(x):
    if not copies:
        copies.append(os.fork())
    return x * x if copies[0] else 9 * x

def exits(x):
    os._exit(0)

def leaves(x):
    if not copies:
        copies.append(subprocess.Popen(["sleep", "300"], start_new_session=True))
    time.sleep(0.05)
    return x * x

def right(x):
    return scale * x * x

def wrong(x):
    return 5 * x * x

def slope(x):
    return 2 * x
"""
NAMES = ["# heading", "![i](http://127.0.0.1/x.png)", "<img src=x>", "\u202egnp", "a|b", "::error::x", "a]]>b&"]

Trial = Callable[[Path, random.Random], bool]


def _started(folder: Path, cases: list[tuple[str, str]], *options: str, mark: str = "") -> subprocess.Popen[str]:
    (folder / "p.py").write_text(PROGRAM)
    entries = [
        f'[[check]]\nname = {json.dumps(name)}\ntarget = "p.py:{function}"\nagainst = "slope"\nat = "3"\n'
        for name, function in cases
    ]
    (folder / "gradcli.toml").write_text("\n".join(entries))
    command = [sys.executable, "-m", "gradcli", "verify", *options]
    how = {"cwd": folder, "env": environment(GRADCLI_TEST_MARK=mark), "text": True}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)  # type: ignore[call-overload,no-any-return]


def _outcomes(folder: Path, cases: list[tuple[str, str]]) -> list[str]:
    out = _started(folder, cases, "--json").communicate(timeout=120)[0]
    return [case["outcome"] for case in json.loads(out)["cases"]]


def _is_all_gone(mark: str) -> bool:
    latest = time.monotonic() + 15
    while (found := _has_process(mark)) and time.monotonic() < latest:
        time.sleep(0.02)
    return not found


def _has_process(mark: str) -> bool:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (process / "environ").read_bytes():
                return True
        except OSError:
            continue
    return False


def keeps_verdicts(folder: Path, chance: random.Random) -> bool:
    """What a case does to its process changes no verdict."""
    hostile = chance.choice(["globals_", "settings", "streams", "loud", "thread"])
    found = _outcomes(folder, [("a", hostile), ("b", "right"), ("c", "wrong")])
    return found == ["pass", "pass", "fail"]


def takes_no_others_answer(folder: Path, chance: random.Random) -> bool:
    """A forked copy and an exit answer nothing."""
    found = _outcomes(folder, [("a", "forks"), ("b", "exits"), ("c", "wrong"), ("d", "right")])
    return found == ["pass", "crashed", "fail", "pass"]


def ends_with(number: signal.Signals) -> Trial:
    """The trial that a run ended by a signal leaves no process and no file."""

    def is_gone(folder: Path, chance: random.Random) -> bool:
        mark = uuid4().hex
        reports = ("--report", "json=r.json", "--report", "html=r.html")
        process = _started(folder, [("a", "leaves"), ("b", "thread")], *reports, mark=mark)
        time.sleep(chance.uniform(0, 3))
        process.send_signal(number)
        process.communicate(timeout=30)
        files = {each.name for each in folder.iterdir()}
        return _is_all_gone(mark) and files <= {"p.py", "gradcli.toml", "__pycache__", "r.json", "r.html"}

    return is_gone


def survives_a_full_disk(folder: Path, chance: random.Random) -> bool:
    """A report that cannot be written is an error, and the others are written."""
    process = _started(folder, [("a", "right")], "--report", "json=/dev/full", "--report", "junit=r.xml")
    process.communicate(timeout=60)
    return process.returncode == 2 and (folder / "r.xml").exists()


def escapes_names(folder: Path, chance: random.Random) -> bool:
    """A name is text in every report."""
    name = "".join(chance.sample(NAMES, 3))
    options = [each for form in ("markdown=r.md", "html=r.html") for each in ("--report", form)]
    process = _started(folder, [(name, "wrong")], *options)
    process.communicate(timeout=60)
    text = "".join((folder / each).read_text() for each in ("r.md", "r.html"))
    return process.returncode == 1 and not any(each in text for each in ("\u202e", "<img src=x>", "\n# heading"))


TRIALS: dict[str, tuple[Trial, int]] = {
    "a case that changes its process": (keeps_verdicts, 10),
    "forked copies and exits": (takes_no_others_answer, 5),
    "kills at random moments": (ends_with(signal.SIGKILL), 200),
    "terminations at random moments": (ends_with(signal.SIGTERM), 20),
    "interrupts at random moments": (ends_with(signal.SIGINT), 20),
    "full disks": (survives_a_full_disk, 3),
    "hostile names": (escapes_names, 10),
}
"""Each trial by name, and how often the fault run makes it."""
