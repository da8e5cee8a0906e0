"""Programs that respond to Ctrl-C, however the tests were started."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heard() -> Iterator[None]:
    """Let programs started inside this context be ended by SIGINT.

    A shell makes background processes ignore SIGINT, and their children inherit that; handlers are not
    inherited.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
