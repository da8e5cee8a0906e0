"""Suppression of output while the user's code is run again."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any

from gradcli.float_errors import ignored_float_errors
from gradcli.ignored_warnings import ignored_warnings
from gradcli.temporary_settings import temporary_attributes


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Suppress what the function prints."""
    nowhere = io.StringIO()
    with temporary_attributes(sys, stdout=nowhere, stderr=nowhere):
        yield


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress what the function prints, and all warnings."""
    with temporary_attributes(_state, quiet=True), muted(), ignored_float_errors(), ignored_warnings():
        yield


class _State(threading.local):
    quiet = False


_state = _State()


def is_quiet() -> bool:
    """Whether this thread is running the program again for gradcli's own use, so that warnings would be repeated."""
    return _state.quiet


class Once:
    """A stream that passes on only new text when an aborted run is repeated and prints the same from the start.

    Otherwise it behaves like the stream that it wraps.
    """

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.said = 0
        self.shown = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Pass on the part of the text that has not been shown."""
        fresh = text[max(0, self.shown - self.said) :]
        self.said += len(text)
        self.shown = max(self.shown, self.said)
        if fresh:
            self.stream.write(fresh)
        return len(text)

    def writelines(self, texts: Iterable[str]) -> None:
        """Write texts one after another."""
        for text in texts:
            self.write(text)

    def close(self) -> None:
        """Flush the stream, which the program does not own."""
        self.stream.flush()

    def begin_again(self) -> None:
        """Note that the run was aborted and will be repeated."""
        self.said = 0


@contextlib.contextmanager
def said_once() -> Iterator[None]:
    """Show the output of a run once, even if the run is repeated."""
    out, err = (stream and Once(stream) for stream in (sys.stdout, sys.stderr))  # a process may have none
    with temporary_attributes(sys, stdout=out, stderr=err):
        yield


def begin_again() -> None:
    """Note on the program's streams that the run will be repeated."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Once):
            stream.begin_again()
