"""Every entry runs a user's function in the same way: programs that look at types take the branch that they take."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.one_door.entries import ENTRIES
from tests.one_door.programs import POINTS, PROGRAMS


@pytest.mark.parametrize("entry", ENTRIES)
def test_all_entries_take_the_branch_of_the_plain_run(entry):
    """In a process of its own, so that no other entry has run the programs before."""
    asked = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.one_door.entries", entry],
        capture_output=True, text=True, check=True, timeout=100,
    )  # fmt: skip
    expected = {name: [f(POINTS[kind]), [2.0]] for name, (kind, f) in PROGRAMS.items()}

    assert expected == json.loads(asked.stdout)
