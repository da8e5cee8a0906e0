"""The terminal as it was before a screen is drawn, put back where SIGTERM or SIGHUP ends the process."""

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

# No attributes, no marked pastes, no mouse, and the cursor shown; then the screen of before, or a line of its own.
PLAIN = b"\x1b[0m\x1b[?2004l\x1b[?1000;1003;1006;1015l\x1b[?25h"
WHOLE_SCREEN, PROMPT = b"\x1b[?1049l", b"\x1b[J\n"


@contextmanager
def restored_when_ended(*, full_screen: bool = False) -> Iterator[None]:
    """Put the terminal back where a signal ends the process inside; it then ends by that signal, as without this.

    Nothing is unwound: neither a terminal that is gone nor a thread or an event loop can hold it up.  A signal that is
    ignored, as by `nohup`, or has another handler, is left as it is; on Windows, which sends none, so are all.

    Args:
        full_screen: whether what is drawn inside has a screen of its own.
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
    """How the terminal reads keys; None without one."""
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
