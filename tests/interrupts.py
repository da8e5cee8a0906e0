"""Programs that hear Ctrl-C, however the tests were started."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heard() -> Iterator[None]:
    """Programs that are started inside are ended by SIGINT.

    A shell has what it starts in the background ignore SIGINT, and what is ignored stays so in every program that is
    started from there; a handler does not.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
