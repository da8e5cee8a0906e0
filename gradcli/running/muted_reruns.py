"""Running the user's code once more: it shows nothing again."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Hold back what the function prints."""
    nowhere = io.StringIO()
    with _streams(nowhere, nowhere):
        yield


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hold back what the function prints and warns of, and what we would."""
    before, _state.quiet = _state.quiet, True
    try:
        with muted(), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        _state.quiet = before


class _State(threading.local):
    quiet = False


_state = _State()


def is_quiet() -> bool:
    """Whether this thread runs the program once more for itself, so that there is nobody to warn."""
    return _state.quiet


class Once:
    """A stream that passes on what is new, where a run is given up and the next one says the same from the start.

    In all else it is the stream that it stands for.
    """

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.said = 0
        self.shown = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Pass on what goes beyond what was shown."""
        fresh = text[max(0, self.shown - self.said) :]
        self.said += len(text)
        self.shown = max(self.shown, self.said)
        if fresh:
            self.stream.write(fresh)
        return len(text)

    def writelines(self, texts: Iterable[str]) -> None:
        """Pass them on, one after the other."""
        for text in texts:
            self.write(text)

    def close(self) -> None:
        """The stream is not the program's to close."""
        self.stream.flush()

    def begin_again(self) -> None:
        """The run was given up."""
        self.said = 0


@contextlib.contextmanager
def said_once() -> Iterator[None]:
    """Show once what a run prints, although it may be done again with names lent."""
    out, err = (stream and Once(stream) for stream in (sys.stdout, sys.stderr))  # a process may have none
    with _streams(out, err):
        yield


@contextlib.contextmanager
def _streams(out: Any, err: Any) -> Iterator[None]:
    """Write there; unlike those of `contextlib`, these are put back where Ctrl-C comes as the block is left."""
    before = sys.stdout, sys.stderr
    try:
        sys.stdout, sys.stderr = out, err
        yield
    finally:
        sys.stdout, sys.stderr = before


def begin_again() -> None:
    """Tell the program's streams that what was said will be said again."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, Once):
            stream.begin_again()
