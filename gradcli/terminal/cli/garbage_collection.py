"""Control of the cyclic garbage collector, which runs with the user's code and ignores the objects of the start.

Imports create hundreds of thousands of objects that live until exit. Scanning them for garbage, and freeing them one by
one at exit, takes a fourth of the time of a short command.
"""

from __future__ import annotations

import gc
import sys

from gradcli.shared.module_finder import PACKAGES

TYPE_CHECKING = False  # not that of `typing`: what is imported before a command's process starts is copied into it

if TYPE_CHECKING:
    from typing import Any

LIBRARIES = PACKAGES | {"scipy"}

_waits = False
_is_exempt = False  # whether the objects of the start are exempt; objects of the user's code must never be
_kept: list[Any] = []
_kept.append(_kept)  # refers to itself, so it is freed by nothing but the collector, from which it is exempt


def wait() -> None:
    """Disable the collector until `resume`; call it only in gradcli's own process."""
    global _waits  # noqa: PLW0603 - the collector is global to the process as well
    _waits = gc.isenabled()
    gc.disable()


def keep_libraries() -> None:
    """Keep Python from freeing the libraries at exit. All other modules are cleared, as at every exit.

    Not finalised are objects that the user's code has set as attributes of a library's module. Exit functions that were
    registered before gradcli's start run later, and cannot import a library.
    """
    _kept.extend(sys.modules.values())  # so that a module is cleared even if only its functions are still in use
    for name in [name for name in sys.modules if name.partition(".")[0] in LIBRARIES]:
        del sys.modules[name]


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
