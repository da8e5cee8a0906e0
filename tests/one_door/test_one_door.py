"""Every entry runs a user's function in the same way: programs that look at types take the branch that they take."""

import json
import subprocess
import sys

import pytest

from tests.one_door.entries import COMMANDS, ENTRIES, TYPED
from tests.one_door.programs import POINTS, PROGRAMS

EVERY_DAY = ("grad",)


def asked(entry):
    """What an entry says of all programs in a process of its own, so that no other one has run them before."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.one_door.entries", entry]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=200).stdout)


@pytest.mark.parametrize("entry", [e if e in EVERY_DAY else pytest.param(e, marks=pytest.mark.long) for e in ENTRIES])
def test_an_entry_of_the_library(entry):
    """The value is that of the plain run, and the gradient that of the branch that it takes."""
    assert {name: [f(POINTS[kind]), [2.0]] for name, (kind, f) in PROGRAMS.items()} == asked(entry)


@pytest.mark.parametrize("command", [c if c == "grad" else pytest.param(c, marks=pytest.mark.long) for c in COMMANDS])
def test_a_command(command):
    """The programs are in a file that gradcli loads, and what is typed is a float, an array or an object."""
    expected = {name: [f(POINTS[kind])] for name, (kind, f) in PROGRAMS.items() if kind in TYPED}

    assert asked(f"gradcli {command}") == expected


def test_the_prompt(tmp_path):
    (tmp_path / "lines").write_text("def f(x): return 2*x if type(x) is float else 3*x\n\ngrad f --at 1.5\n")
    command = [sys.executable, "-m", "gradcli", "run", str(tmp_path / "lines"), "--json"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout.splitlines()

    assert json.loads(said[-1])["gradient"] == 2.0
