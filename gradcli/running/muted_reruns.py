"""Suppression of output while the user's code is run again."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from gradcli.ignored_warnings import ignored_warnings


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Suppress what the function prints."""
    nowhere = io.StringIO()
    with _streams(nowhere, nowhere):
        yield


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Suppress what the function prints, and all warnings."""
    before, _state.quiet = _state.quiet, True
    try:
        with muted(), np.errstate(all="ignore"), ignored_warnings():
            yield
    finally:
        _state.quiet = before


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
    with _streams(out, err):
        yield


@contextlib.contextmanager
def _streams(out: Any, err: Any) -> Iterator[None]:
    """Redirect the output. Unlike with `contextlib`, it is restored even if Ctrl-C arrives at the end of the block."""
    before = sys.stdout, sys.stderr
    try:
        sys.stdout, sys.stderr = out, err
        yield
    finally:
        sys.stdout, sys.stderr = before


def begin_again() -> None:
    """Note on the program's streams that the run will be repeated."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Once):
            stream.begin_again()
