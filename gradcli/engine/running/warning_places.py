"""The places of warnings: one raised in a line of gradcli's is shown at the line that the plain run would name.

Python counts what it has shown by module and line, so a warning that stayed in a line of gradcli's would be shown for
the first of the user's lines only. A filter is the one hook that sees a warning before it is counted. Python asks the
filter whether the text matches, then the module, then the category, which issues the warning again, elsewhere.
"""

from __future__ import annotations

import sys
import threading
import warnings
from types import FrameType, SimpleNamespace
from typing import Any

from gradcli.engine.code.stack_frames import is_ours


class _Asked(threading.local):
    """The warning that a filter is asked about: its text, and whether it is placed in a module of gradcli's."""

    text = ""
    is_ours = False

    def has_text(self, text: str) -> bool:
        self.text = text
        return True

    def has_module(self, module: str) -> bool:
        self.is_ours = module.partition(".")[0] == "gradcli"
        return self.is_ours


class _Categories(type):
    """Asked for the category last: issues a warning of gradcli's again, where it belongs."""

    def __subclasscheck__(cls, category: type) -> bool:
        if not _asked.is_ours or (frame := _frame_of_caller(sys._getframe(1))) is None:
            return False
        names = frame.f_globals
        warnings.warn_explicit(
            _asked.text,
            category,
            frame.f_code.co_filename,
            frame.f_lineno,
            names.get("__name__"),
            names.setdefault("__warningregistry__", {}),
        )
        return True


class _AnyCategory(Warning, metaclass=_Categories):
    pass


def _frame_of_caller(frame: FrameType | None) -> FrameType | None:
    """The innermost frame that called gradcli, from which NumPy or SciPy may have been called in its turn."""
    while frame is not None and not is_ours(frame):
        frame = frame.f_back
    while frame is not None and is_ours(frame):
        frame = frame.f_back
    return frame


_asked = _Asked()

# Shows the warnings of a run at the lines of the code that called gradcli, while it is the first of `warnings.filters`.
# The filters of all threads' runs are the same, so any of them may be removed.
FILTER: Any = (
    "ignore",
    SimpleNamespace(match=_asked.has_text),
    _AnyCategory,
    SimpleNamespace(match=_asked.has_module),
    0,
)
