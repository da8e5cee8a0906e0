"""The program as a function: arguments in, exit code, stdout and stderr out; the computing half is a stand-in."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import gradcli
from gradcli.cli import main


class Answer(NamedTuple):
    """What a call of the program left behind."""

    code: int
    out: str
    err: str


class Stream(io.TextIOWrapper):
    """A stream in memory with an encoding, which says that it is a terminal if it is to be one."""

    def __init__(self, encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)
        self.terminal = terminal

    def isatty(self) -> bool:
        """Whether the test wants a terminal."""
        return self.terminal

    def text(self) -> str:
        """What was written."""
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode(self.encoding)


Call = Callable[..., Answer]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Call:
    """The program as a function; `terminal` and `encoding` say what stdout and stderr are."""
    monkeypatch.delenv("COLUMNS", raising=False)
    monkeypatch.delenv("GRADCLI_DEBUG", raising=False)
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((80, 24)))

    def call(*arguments: str, terminal: bool = False, encoding: str = "utf-8") -> Answer:
        out, err = Stream(encoding, terminal), Stream(encoding, terminal)
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = main(arguments)
        return Answer(code, out.text(), err.text())

    return call


class Queries(ModuleType):
    """A stand-in for `gradcli.queries`: answers what a test gives it, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__("gradcli.queries")
        self.asked: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def answers(self, name: str, answer: Any) -> None:
        """Let the function `name` return `answer`, raise it if it is an exception, or call it if it can be called."""

        def query(*args: Any, **options: Any) -> Any:
            self.asked.append((name, args, options))
            if isinstance(answer, BaseException):
                raise answer
            return answer() if callable(answer) else answer

        setattr(self, name, query)


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> Queries:
    """The stand-in, in the place of the real module."""
    module = Queries()
    monkeypatch.setitem(sys.modules, "gradcli.queries", module)
    monkeypatch.setattr(gradcli, "queries", module, raising=False)
    return module
