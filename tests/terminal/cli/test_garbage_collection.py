"""The collector of cycles waits while the program starts, and goes on before the user's code runs."""

import gc
import subprocess
import sys
from pathlib import Path

import pytest

from gradcli.terminal.cli import garbage_collection, main

ROOT = Path(__file__).parents[3]
ASKING = """
import gc
COLLECTS, FROZEN = gc.isenabled(), gc.get_freeze_count()
def f(x):
    print(COLLECTS, gc.isenabled(), FROZEN > 10_000, gc.get_freeze_count() <= FROZEN)
    return x * x
"""


def test_the_users_code_is_collected(tmp_path: Path) -> None:
    """A file and its function run with the collector on, and what the start has loaded lies behind it."""
    (tmp_path / "asking.py").write_text(ASKING, encoding="utf-8")
    command = [sys.executable, "-m", "gradcli", "grad", f"{tmp_path / 'asking.py'}:f", "--at", "3"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert run.stderr == "True True True True\n"


AFTERWARDS = """
import gc
from gradcli.terminal.cli import garbage_collection
garbage_collection.wait()
seen = []
for _ in range(2):
    with garbage_collection.resumed():
        seen.append((gc.isenabled(), gc.get_freeze_count()))
        made = [[] for _ in range(5000)]
    seen.append(gc.isenabled())
(first, frozen), after, (second, again), _ = seen
print(first, after, second, 0 < again <= frozen)
garbage_collection.resume()
print(gc.isenabled(), gc.get_freeze_count() <= frozen)
"""


def test_what_the_users_code_makes_is_never_exempt() -> None:
    """Between two runs of the user's code the collector waits, and objects are exempt only before the first."""
    run = subprocess.run([sys.executable, "-c", AFTERWARDS], cwd=ROOT, capture_output=True, text=True, check=True)

    assert run.stdout == "True False True True\nTrue True\n"


AT_EXIT = """
import atexit, os, string, sys
import click
from gradcli.terminal.cli import garbage_collection

class Noted:
    def __init__(self, name):
        self.name = name

    def __del__(self, write=os.write):
        write(1, self.name)

garbage_collection.wait()
atexit.register(garbage_collection.keep_libraries)
garbage_collection.resume()
click.kept, string.kept = Noted(b"library"), Noted(b"other")
"""


def test_only_libraries_are_not_freed_at_exit() -> None:
    """Freeing one takes as long as importing click, and nothing depends on it."""
    run = subprocess.run([sys.executable, "-c", AT_EXIT], cwd=ROOT, capture_output=True, text=True, check=True)

    assert (run.stdout, run.stderr) == ("other", "")


def test_a_process_of_others_is_left_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Called with arguments, the program neither stops the collector nor takes anything out of its sight."""
    frozen = gc.get_freeze_count()
    main(["grad", "x * x", "--at", "3"])

    assert gc.isenabled()
    assert gc.get_freeze_count() <= frozen  # what was frozen before may end meanwhile
    assert "6.0" in capsys.readouterr().out


def test_who_does_not_collect_is_not_made_to() -> None:
    """Where the collector was off before the start, it stays off."""
    gc.disable()
    try:
        garbage_collection.wait()
        garbage_collection.resume()
        assert not gc.isenabled()
    finally:
        gc.enable()
