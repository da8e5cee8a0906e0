"""Files and functions for the tests of targets: a folder of their own, and a target made of a function."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from gradcli.answers.targets import Target
from gradcli.answers.targets.functions import function_target

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty current folder; what a test adds to `sys.path` and `sys.modules` is gone after it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


@pytest.fixture
def write(folder: Path) -> Write:
    """A function that writes a text file into the current folder and returns its path."""

    def write(name: str, text: str | bytes) -> Path:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else dedent(text).encode())
        return path

    return write


@pytest.fixture
def hyperbox(write: Write) -> Path:
    """A file with a few functions."""
    return write(
        "hyperbox.py",
        """
        UNIT = 1.0

        def f3(sides):
            return sum(sides)

        def f4(side_lengths):
            a, b, c, d = side_lengths
            return a * b * c * d

        class Box:
            def area(self):
                return 1.0

            @staticmethod
            def volume(x):
                return x ** 3
        """,
    )


def target_of(function: Callable[..., Any]) -> Target:
    """The target of a function that is at hand."""
    return function_target("file.py:f4", "f4", function)
