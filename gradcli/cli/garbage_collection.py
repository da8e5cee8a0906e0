"""The collector of cycles: it waits while the program starts, and never looks at what the start has loaded.

Importing makes hundreds of thousands of objects that last to the end.  To look for garbage among them, at the exit once
more, takes a fifth of a short command's time.
"""

from __future__ import annotations

import gc

_waits = False


def wait() -> None:
    """Let the collector wait for `resume`, in a process that is our own."""
    global _waits  # noqa: PLW0603 - the collector is the process's too
    _waits = gc.isenabled()
    gc.disable()


def resume() -> None:
    """Before the user's code runs: the collector goes on, and passes over all that is there by now; once."""
    global _waits  # noqa: PLW0603
    if _waits:
        _waits = False
        gc.freeze()
        gc.enable()
