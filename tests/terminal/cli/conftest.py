"""Calls of the program as a function, with stand-in queries: arguments in, exit code, stdout and stderr out."""

import io
import os
import shutil
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import pytest

import gradcli
from gradcli.terminal.cli import main


class Answer(NamedTuple):
    """The result of a call of the program."""

    code: int
    out: str
    err: str


class Stream(io.TextIOWrapper):
    """An in-memory stream with an encoding, which may claim to be a terminal."""

    def __init__(self, encoding: str = "utf-8", terminal: bool = False) -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)
        self.terminal = terminal

    def isatty(self) -> bool:
        """Whether the stream claims to be a terminal."""
        return self.terminal

    def text(self) -> str:
        self.flush()
        buffer = self.buffer
        assert isinstance(buffer, io.BytesIO)
        return buffer.getvalue().decode(self.encoding)


Call = Callable[..., Answer]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch) -> Call:
    """The program as a function; `terminal` and `encoding` describe stdout and stderr."""
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
    """A stand-in for `gradcli.queries`: returns the answers that a test sets, and records the calls."""

    def __init__(self) -> None:
        super().__init__("gradcli.queries")
        self.asked: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []

    def answers(self, name: str, answer: Any) -> None:
        """Make the function `name` return `answer`, or raise it if it is an exception, or call it if it is callable."""

        def query(*args: Any, **options: Any) -> Any:
            self.asked.append((name, args, options))
            if isinstance(answer, BaseException):
                raise answer
            return answer() if callable(answer) else answer

        setattr(self, name, query)


@pytest.fixture
def queries(monkeypatch: pytest.MonkeyPatch) -> Queries:
    module = Queries()
    monkeypatch.setitem(sys.modules, "gradcli.queries", module)
    monkeypatch.setattr(gradcli, "queries", module, raising=False)
    return module
