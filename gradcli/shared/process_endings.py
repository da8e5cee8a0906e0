"""How a process ended: the signal or exit code in words, and the user's lines in the interpreter's stack dump."""

from __future__ import annotations

import os
import re
import signal

MOST_FRAMES = 20

_FRAME = re.compile(r'^  File "(.+?)", line (\d+) in (.+)$', re.MULTILINE)
_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def reason(code: int) -> str:
    """The exit code of a process, or its signal if negative, in words."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"{signal.strsignal(-code)} ({signal.Signals(-code).name})"
    except ValueError:
        return f"signal {-code}"


def user_frames(dump: str) -> tuple[tuple[str, int, str], ...]:
    """The file, line and function of the user's own frames in a dump by `faulthandler`, innermost first."""
    frames = ((file, int(line), name) for file, line, name in _FRAME.findall(dump))
    return tuple(frame for frame in frames if not frame[0].startswith(NOT_USERS))[:MOST_FRAMES]


NOT_USERS = (os.path.join(_OURS, ""), "<frozen", os.path.join(os.path.dirname(os.__file__), ""))
"""Beginnings of the file names of gradcli, of frozen modules and of the standard library."""
