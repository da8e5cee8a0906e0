"""The user's variable names and source lines for the rows of a tape, watched from outside while the program runs.

Recording itself knows nothing of this: the watch looks at the length of the tape at each line that the interpreter
reports, and at the variables that are bound then.  What only counts or times does not pay for it.
"""

from __future__ import annotations

import copy
import gc
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from types import CodeType, FrameType
from typing import Any

import numpy as np

from gradcli.code.stack_frames import Place, installed_package, is_installed, is_users
from gradcli.pytree import CONTAINERS
from gradcli.tape import context
from gradcli.tape.tape import Tape
from gradcli.tape.value import Value

_CONTAINER_LIMIT = 64  # how many items of a list, tuple or dict are looked at for names
_GENERATOR = 0x20  # of a code's flags: inspect.CO_GENERATOR
_DEPTH = 3  # and how far containers inside of containers are


class Watch:
    """Watches one run: `names` by row, and `place(row)`, the file and line that made a row.

    Only the user's own code is watched, and the package that the function itself is of; what happens in a library is
    the work of the line that calls it.  `arrays` holds the plain arrays that variables and constants were last seen to
    hold, by name.
    """

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.arrays: dict[str, Any] = {}
        self._package = ""
        self._seen: set[CodeType] = set()
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
        self._package = package_of(function)
        before, collects = sys.gettrace(), gc.isenabled()
        try:
            gc.disable()  # a finalizer would run in the middle, and its lines would pass for the program's
            sys.settrace(self._enter)
            return context.call(tape, function, arguments)
        finally:
            self._tape = None  # the tape keeps its watch
            try:
                sys.settrace(before)
            finally:  # Ctrl-C may come when the other is done
                if collects:
                    gc.enable()

    def name(self, index: int, name: str) -> None:
        """Give row `index` a name, unless it has one; a name bound again is `y#2`, `y#3`."""
        if index not in self.names:
            self._count[name] = count = self._count.get(name, 0) + 1
            self.names[index] = name if count == 1 else f"{name}#{count}"

    def renamed(self, names: Mapping[int, str]) -> Watch:
        """The same with other names for rows, each with one of its own."""
        again = copy.copy(self)
        again.names = distinct(names)
        return again

    def place(self, index: int) -> Place | None:
        """The file and line that made row `index`, where known."""
        at = bisect_right(self._rows, index) - 1
        return self._places[at] if at >= 0 else None

    def visit(self, index: int) -> int:
        """Which of the visits to any line made row `index`, by number."""
        return bisect_right(self._rows, index) - 1

    def place_of_outcome(self, number: int) -> Place | None:
        """The file and line that asked for outcome `number`, where known."""
        at = bisect_right(self._outcomes, number) - 1
        return self._places[at] if at >= 0 else None

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not self._is_watched(frame):
            return None
        if frame.f_code not in self._seen:
            self._seen.add(frame.f_code)
            self.arrays |= arrays_in(frame)
        if not _is_generators(frame):  # the collector closes one anywhere; one that goes on comes to a line
            self._mark(frame)
        return self._step

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event in ("line", "return"):
            self._bind(frame)
            if event == "line" or not _is_generators(frame):
                self._mark(frame)
        if event == "return":
            self._leave(frame, argument)
        return self._step

    def _leave(self, frame: FrameType, result: Any) -> None:
        """Back to the line of the user's that called; the outermost result without a name is `result`."""
        caller = next(filter(self._is_watched, context.frames(frame.f_back)), None)
        if caller is not None:
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
        for name, value in list(frame.f_locals.items()):
            if self._is_ours(value):
                self._bind_one(frame, name, value)
            elif type(value) is np.ndarray:
                self.arrays[name] = value
            elif type(value) in CONTAINERS:
                for inner, item in self._items(name, value, _DEPTH):
                    if item.index not in self.names:
                        self._bind_one(frame, inner, item)

    def _items(self, name: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
        """The recorded values in a list, tuple or dict, by names such as `x[0]['a']`."""
        if len(value) <= _CONTAINER_LIMIT:
            for key, item in list(value.items() if type(value) is dict else enumerate(value)):
                if self._is_ours(item):
                    yield f"{name}[{key!r}]", item
                elif type(item) in CONTAINERS and depth > 1:
                    yield from self._items(f"{name}[{key!r}]", item, depth - 1)

    def _bind_one(self, frame: FrameType, name: str, value: Any) -> None:
        key = (id(frame), name)
        if self._bound.get(key) != value.index:
            self._bound[key] = value.index
            if not name.startswith("."):
                self.name(value.index, name)

    def _is_ours(self, value: Any) -> bool:
        return issubclass(type(value), Value) and value.tape is self._tape

    def _is_watched(self, frame: FrameType) -> bool:
        file = frame.f_code.co_filename
        return is_users(frame) and (not is_installed(file) or bool(self._package and file.startswith(self._package)))


def arrays_in(frame: FrameType) -> dict[str, Any]:
    """The arrays that the global names of a frame's code hold."""
    held = ((name, frame.f_globals.get(name)) for name in frame.f_code.co_names)
    return {name: value for name, value in held if type(value) is np.ndarray}


def package_of(function: Any) -> str:
    """The folder of the installed package that a function is of, or its file; empty for the user's own."""
    while inner := getattr(function, "func", None) or getattr(function, "__wrapped__", None):
        function = inner
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return installed_package(code.co_filename) if isinstance(code, CodeType) else ""


def distinct(names: Mapping[int, str]) -> dict[int, str]:
    """The names of a run's rows, each for one row alone, and none that could be read as a place of another.

    A name that comes again has a number, `x#2`; so has an array `x` beside the items `x[0]` of a list, or these beside
    an array, whichever comes later.
    """
    kinds: dict[str, bool] = {}
    taken, used = set(names.values()), set[str]()
    found: dict[int, str] = {}
    for index, name in names.items():
        stem, bracket, _ = name.partition("[")
        given = name
        if name in used or kinds.setdefault(stem, bool(bracket)) != bool(bracket):
            given = next(other for k in count(2) if (other := f"{name}#{k}") not in taken)
        taken.add(given)
        used.add(given)
        found[index] = given
    return found


def _is_generators(frame: FrameType) -> bool:
    return bool(frame.f_code.co_flags & _GENERATOR)
