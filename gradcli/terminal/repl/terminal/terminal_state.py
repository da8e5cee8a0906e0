"""Restoring the terminal when SIGTERM or SIGHUP ends the process while a screen is drawn."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
PATIENCE = 0.2  # seconds that the terminal may take to accept the text

# Reset attributes, line wrap, bracketed paste, mouse and cursor; then leave the full screen, or start a new line.
PLAIN = b"\x1b[0m\x1b[?7h\x1b[?2004l\x1b[?1000;1003;1006;1015l\x1b[?25h"
WHOLE_SCREEN, PROMPT = b"\x1b[?1049l", b"\x1b[J\n"


@contextmanager
def restored_when_ended(*, full_screen: bool = False) -> Iterator[None]:
    """Restore the terminal if a signal ends the process inside this context; the process still ends by that signal.

    Nothing is unwound, so a lost terminal, a thread or an event loop cannot block it. A signal that is ignored, as by
    `nohup`, or has another handler is left alone; so are all signals on Windows, which sends none.

    Args:
        full_screen: whether the context uses the alternate screen.
    """
    handled = [number for number in SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    attributes = _attributes()
    if attributes is None or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        _restore(attributes, PLAIN + (WHOLE_SCREEN if full_screen else PROMPT))
        os.kill(os.getpid(), number)

    for number in handled:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in handled:
            signal.signal(number, signal.SIG_DFL)


def _attributes() -> list[Any] | None:
    """The terminal's attributes; None without a terminal."""
    try:
        import termios
    except ImportError:
        return None
    with suppress(OSError, ValueError, AttributeError, termios.error):
        return termios.tcgetattr(sys.__stdin__.fileno())  # type: ignore[union-attr]
    return None


def _restore(attributes: list[Any], text: bytes) -> None:
    import termios

    with suppress(OSError, ValueError, AttributeError, termios.error):
        termios.tcsetattr(sys.__stdin__.fileno(), termios.TCSANOW, attributes)  # type: ignore[union-attr]
    with suppress(OSError, ValueError, AttributeError):
        screen = sys.__stdout__.fileno()  # type: ignore[union-attr]
        if select.select([], [screen], [], PATIENCE)[1]:
            os.write(screen, text)
