"""The user's variable names and source lines for the rows of a tape, watched from outside while the program runs.

Recording itself knows nothing of this: the watch looks at the length of the tape at each line that the interpreter
reports, and at the variables that are bound then.  What only counts or times does not pay for it.
"""

from __future__ import annotations

import sys
import sysconfig
from bisect import bisect_right
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from gradcli.tape import active
from gradcli.tape.tape import Tape
from gradcli.tape.value import Value

_INTERNAL = (str(Path(__file__).resolve().parents[1]), "<frozen", "<gradcli")
_LIBRARY = sysconfig.get_path("stdlib")
_CONTAINER_LIMIT = 64  # how many items of a list or tuple are looked at for names

Place = tuple[str, int]


class Watch:
    """Watches one run: `names` by row, and `place(row)`, the file and line that made a row."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self._tape: Tape | None = None
        self._rows: list[int] = []
        self._outcomes: list[int] = []
        self._places: list[Place] = []
        self._bound: dict[tuple[int, str], int] = {}
        self._count: dict[str, int] = {}

    def call(self, tape: Tape, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Call `function` as a run on `tape`, watching."""
        self.__init__()  # type: ignore[misc]  # a run that was given up leaves nothing
        self._tape = tape
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            return active.call(tape, function, arguments)
        finally:
            sys.settrace(before)

    def name(self, index: int, name: str) -> None:
        """Give row `index` a name, unless it has one; a name bound again is `y#2`, `y#3`."""
        if index not in self.names:
            self._count[name] = count = self._count.get(name, 0) + 1
            self.names[index] = name if count == 1 else f"{name}#{count}"

    def place(self, index: int) -> Place | None:
        """The file and line that made row `index`, where known."""
        at = bisect_right(self._rows, index) - 1
        return self._places[at] if at >= 0 else None

    def place_of_outcome(self, number: int) -> Place | None:
        """The file and line that asked for outcome `number`, where known."""
        at = bisect_right(self._outcomes, number) - 1
        return self._places[at] if at >= 0 else None

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not is_users(frame):
            return None
        self._mark(frame)
        return self._step

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event in ("line", "return"):
            self._bind(frame)
            self._mark(frame)
        if event == "return":
            self._leave(frame, argument)
        return self._step

    def _leave(self, frame: FrameType, result: Any) -> None:
        """Back to the caller's line; the outermost result without a name is `result`."""
        caller = frame.f_back
        if caller is not None and is_users(caller):
            self._mark(caller)
        elif self._is_ours(result):
            self.name(result.index, "result")

    def _mark(self, frame: FrameType) -> None:
        tape = self._tape
        assert tape is not None
        self._rows.append(len(tape.rows))
        self._outcomes.append(len(tape.outcomes))
        self._places.append((frame.f_code.co_filename, frame.f_lineno))

    def _bind(self, frame: FrameType) -> None:
        for name, value in frame.f_locals.items():
            if self._is_ours(value):
                self._bind_one(frame, name, value)
            elif type(value) in (list, tuple) and len(value) <= _CONTAINER_LIMIT:
                for n, item in enumerate(value):
                    if self._is_ours(item) and item.index not in self.names:
                        self._bind_one(frame, f"{name}[{n}]", item)

    def _bind_one(self, frame: FrameType, name: str, value: Any) -> None:
        key = (id(frame), name)
        if self._bound.get(key) != value.index:
            self._bound[key] = value.index
            if not name.startswith("."):
                self.name(value.index, name)

    def _is_ours(self, value: Any) -> bool:
        return issubclass(type(value), Value) and value.tape is self._tape


def is_users(frame: FrameType) -> bool:
    """Whether a frame is the user's: neither ours, nor NumPy's, nor the standard library's."""
    file = frame.f_code.co_filename
    if file.startswith(_INTERNAL) or (file.startswith(_LIBRARY) and "site-packages" not in file):
        return False
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] != "numpy"
