"""Control of the cyclic garbage collector, which is off during start-up and ignores the objects created there.

Imports create hundreds of thousands of objects that live until exit. Scanning them for garbage, at exit once more,
takes a fifth of the time of a short command.
"""

from __future__ import annotations

import gc

_waits = False


def wait() -> None:
    """Disable the collector until `resume`; call it only in gradcli's own process."""
    global _waits  # noqa: PLW0603 - the collector is global to the process as well
    _waits = gc.isenabled()
    gc.disable()


def resume() -> None:
    """Enable the collector before the user's code runs, and exempt all existing objects; does nothing a second time."""
    global _waits  # noqa: PLW0603
    if _waits:
        _waits = False
        gc.freeze()
        gc.enable()
