"""Files for the tests of queries: programs in a folder of their own, which is the current one."""

import sys
from pathlib import Path
from textwrap import dedent

import pytest


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch) -> Path:
    """An empty current folder; `sys.path` is restored after the test."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


@pytest.fixture
def program(folder):
    """A function that writes a program to `p.py` and returns the target of its function `f`."""

    def program(text: str) -> str:
        (folder / "p.py").write_text(dedent(text))
        return "p.py:f"

    return program
