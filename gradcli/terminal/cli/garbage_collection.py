"""Control of the cyclic garbage collector, which runs with the user's code and ignores the objects of the start.

Imports create hundreds of thousands of objects that live until exit. Scanning them for garbage takes a fifth of the
time of a short command.
"""

from __future__ import annotations

import gc

_waits = False
_is_exempt = False  # whether the objects of the start are exempt; objects of the user's code must never be


def wait() -> None:
    """Disable the collector until `resume`; call it only in gradcli's own process."""
    global _waits  # noqa: PLW0603 - the collector is global to the process as well
    _waits = gc.isenabled()
    gc.disable()


def resume() -> None:
    """Enable the collector, and the first time exempt all existing objects; does nothing unless it waits."""
    global _waits, _is_exempt
    if _waits:
        if not _is_exempt:
            gc.freeze()
        _waits, _is_exempt = False, True
        gc.enable()


class resumed:
    """A context in which the collector is enabled; afterwards it waits again if it waited before."""

    def __enter__(self) -> None:
        self._waited = _waits
        resume()

    def __exit__(self, *_: object) -> None:
        if self._waited:
            wait()
