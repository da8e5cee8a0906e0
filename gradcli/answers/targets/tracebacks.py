"""The user's frames of a traceback, without those of gradcli, imports and NumPy, and with recursion folded."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from itertools import groupby
from types import TracebackType

from gradcli.errors import UserCodeError

Frame = tuple[str, int, str]

OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
MACHINERY = ("<frozen ", "<gradcli ")
MACHINERY_FILES = (importlib.__file__, os.path.join(os.path.dirname(os.__file__), "runpy.py"))
MOST_FRAMES = 40
MODULES = {"np": "import numpy as np", "numpy": "import numpy", "math": "import math", "sp": "import scipy as sp"}


def user_frames(exception: BaseException) -> tuple[Frame, ...]:
    """The user's frames `(file, line, function)` of the exception's traceback, outermost first.

    A frame repeated by recursion is kept once, with `f, 998 times` as its function. Frames inside NumPy are kept only
    if there are no others.
    """
    frames = [frame for frame in _frames(exception.__traceback__) if not _ours(frame[0])]
    if isinstance(exception, SyntaxError) and exception.filename and not _ours(exception.filename):
        frames.append((exception.filename, exception.lineno or 1, "<module>"))
    return tuple(_shortened(list(_folded([frame for frame in frames if not _numpys(frame[0])] or frames))))


def raised(exception: BaseException, doing: str) -> UserCodeError:
    """Make the error for an exception that the user's code raised while `doing`, with the user's frames only."""
    frames = user_frames(exception)
    file, line = frames[-1][:2] if frames else (None, None)
    message = f"{type(exception).__name__} {doing}: {exception_message(exception)}".removesuffix(": ")
    return UserCodeError(message, hint=_missing_import(exception), file=file, line=line, frames=frames)


def _missing_import(exception: BaseException) -> str | None:
    """What to type for an unknown name that NumPy, or a module in general use, is likely to be meant by."""
    name = (exception.name if type(exception) is NameError else None) or ""
    meant = f"from numpy import {name}" if hasattr(sys.modules.get("numpy"), name) else MODULES.get(name)
    return f"Import it first: {meant}" if meant else None


def exception_message(exception: BaseException) -> str:
    """The exception's message on one line; empty if the exception cannot be printed."""
    if isinstance(exception, SyntaxError):
        return exception.msg or ""
    try:
        return " ".join(str(exception).split())
    except Exception:
        return ""


def _frames(traceback: TracebackType | None) -> Iterator[Frame]:
    while traceback is not None:
        code = traceback.tb_frame.f_code
        yield code.co_filename, traceback.tb_lineno or code.co_firstlineno, code.co_name
        traceback = traceback.tb_next


def _ours(file: str) -> bool:
    return file.startswith(MACHINERY) or file in MACHINERY_FILES or _inside(file, OURS)


def _numpys(file: str) -> bool:
    numpy = getattr(sys.modules.get("numpy"), "__file__", None)
    return numpy is not None and _inside(file, os.path.dirname(numpy))


def _inside(file: str, folder: str) -> bool:
    return file.startswith(os.path.join(folder, ""))


def _folded(frames: list[Frame]) -> Iterator[Frame]:
    """Keep a frame once if it repeats more than three times."""
    for (file, line, name), group in groupby(frames):
        times = len(list(group))
        yield from [(file, line, f"{name}, {times} times")] if times > 3 else [(file, line, name)] * times


def _shortened(frames: list[Frame]) -> list[Frame]:
    """At most `MOST_FRAMES` frames: the outermost and the innermost, with the number of omitted ones between them."""
    if len(frames) <= MOST_FRAMES:
        return frames
    head, tail = frames[: MOST_FRAMES // 2], frames[-MOST_FRAMES // 2 :]
    file, line, name = head[-1]
    return [*head[:-1], (file, line, f"{name}, then {len(frames) - MOST_FRAMES} calls left out"), *tail]
