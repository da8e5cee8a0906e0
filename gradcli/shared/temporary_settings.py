"""Settings of Python and NumPy that gradcli changes for a while, and that Ctrl-C does not leave changed.

Ctrl-C may arrive between any two steps, and also before the first one of `__exit__`. So a change is noted before it is
made, with the frame that needs it. What an interrupt has left is restored when Python frees the context; if a traceback
keeps it alive, when the next setting of this thread is changed or `restore_abandoned` is called.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from inspect import CO_GENERATOR
from types import FrameType
from typing import Any

Noted = tuple[FrameType, Callable[[], object]]


class _SettingsOfThread(threading.local):
    def __init__(self) -> None:
        self.changed: list[Noted] = []  # innermost last


_thread = _SettingsOfThread()


@contextmanager
def temporary_setting(change: Callable[[], object], restore: Callable[[], object]) -> Iterator[None]:
    """A context in which a setting has another value. It restores what is left of inner ones, too.

    Args:
        change: changes the setting.
        restore: restores the setting, if it was changed. It may be called again after an interrupt.
    """
    restore_abandoned()
    noted = _frame_of_body(sys._getframe(1)), restore
    try:
        _thread.changed.append(noted)
        change()
        yield
    finally:
        try:
            _restore_back_to(noted)
        except BaseException:
            _restore_back_to(noted)
            raise


def restore_abandoned() -> None:
    """Restore the settings that an interrupt has left changed in this thread."""
    while _thread.changed and not _is_running(_thread.changed[-1][0]):
        _restore_last()


def _restore_back_to(noted: Noted) -> None:
    while noted in _thread.changed:
        _restore_last()


def _restore_last() -> None:
    _thread.changed[-1][1]()
    _thread.changed.pop()


def _is_running(wanted: FrameType) -> bool:
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame is not wanted:
        frame = frame.f_back
    return frame is not None


def _frame_of_body(frame: FrameType) -> FrameType:
    """The frame that runs the body of a `with` statement, outside the generators that make it a context."""
    while (frame.f_code.co_flags & CO_GENERATOR or frame.f_globals.get("__name__") == "contextlib") and frame.f_back:
        frame = frame.f_back
    return frame


def temporary_attributes(holder: Any, **values: Any) -> AbstractContextManager[None]:
    """A context in which attributes of an object, such as the streams of `sys`, have other values."""
    before = {name: getattr(holder, name) for name in values}
    return temporary_setting(lambda: _set(holder, values), lambda: _set(holder, before))


def _set(holder: Any, values: dict[str, Any]) -> None:
    for name, value in values.items():
        setattr(holder, name, value)
