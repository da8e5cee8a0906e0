"""Suppression of output while the user's code is run again."""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections.abc import Iterator

from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.ignored_warnings import ignored_warnings
from gradcli.shared.temporary_settings import temporary_attributes


class Nowhere(io.TextIOBase):
    """A stream that drops what is written to it."""

    def write(self, text: str) -> int:
        """Drop a text."""
        return len(text)


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Suppress what the function prints."""
    with temporary_attributes(sys, stdout=Nowhere(), stderr=Nowhere()):
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
