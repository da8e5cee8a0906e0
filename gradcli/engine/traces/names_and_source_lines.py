"""The user's variable names and source lines for the rows of a tape, observed while the program runs.

Recording does not know about them: at each line that the interpreter reports, the watch compares the length of the tape
and the bound variables. Runs that only count or time do not pay for it.
"""

from __future__ import annotations

import copy
import gc
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from types import CodeType, FrameType
from typing import Any

import numpy as np

from gradcli import run_stack
from gradcli.engine.code.stack_frames import (
    NUMPY_CODES,
    PACKAGE_FOLDERS,
    Place,
    is_installed,
    is_ours_file,
    is_users,
    stands_for_library,
)
from gradcli.engine.tape.memory.reference_counts import holding
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import Value
from gradcli.engine.traces.library_call_log import LibraryCalls, RunLength
from gradcli.shared.pytree import CONTAINERS

_CONTAINER_LIMIT = 64  # the most items of a list, tuple or dict that are examined for names
_GENERATOR = 0x20  # a flag of code objects: inspect.CO_GENERATOR
_SIMPLE = (bool, int, float, str)
_NUMBERS = (int, float, np.float64, np.float32)
_COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>"}
_DEPTH = 3  # levels of nested containers examined


class Activation:
    """One call of a user's function.

    Attributes:
        name: the function, such as `power` or `Layer.forward`.
        code: its code, which distinguishes functions of the same name.
        caller: the number of the visit that called it; None for the outermost function.
        arguments: the plain numbers, texts and names of arrays among its parameters, as they would be typed.
        sources: the rows of the parameters that are recorded values.
        result: the row of its result; None if that is not a recorded value.
    """

    def __init__(
        self, name: str, code: CodeType, caller: int | None, arguments: dict[str, str], sources: dict[str, int]
    ) -> None:
        self.name, self.code, self.caller = name, code, caller
        self.arguments, self.sources = arguments, sources
        self.result: int | None = None


class Visits:
    """The lines that a run visited, in order.

    Attributes:
        rows: the number of rows at each visit.
        outcomes: the number of outcomes at each visit.
        places: the file and line of each visit.
        activations: the number of the call of each visit; comprehensions and generators belong to the call that
            consumes them.
        steps: whether each visit is a step within its call from one line to the next, and not a return to the calling
            line.
        calls: the calls, in order.
    """

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.outcomes: list[int] = []
        self.places: list[Place] = []
        self.activations: list[int] = []
        self.steps: list[bool] = []
        self.calls: list[Activation] = []

    def of_row(self, index: int) -> int | None:
        """The visit that made a row; None for an input."""
        at = bisect_right(self.rows, index) - 1
        return at if at >= 0 else None

    def of_outcome(self, number: int) -> int | None:
        """The visit that asked for an outcome, if known."""
        at = bisect_right(self.outcomes, number) - 1
        return at if at >= 0 else None


class Watch:
    """Observes one run: `names` by row, and `place(row)`, the file and line that made a row.

    Only the user's own code is observed, and the package that the function itself belongs to. The work of a library
    belongs to the line that calls it, unless `libraries` is set.

    Attributes:
        names: the first variable that held each row.
        bound: the visit that bound it.
        is_final: whether the names are unique.
        arrays: the plain arrays that variables and constants held last, by name.
        numbers: the plain numbers that variables and constants held, by name; None for a name of several numbers.
        visits: the lines and calls.
        library_calls: the calls of functions of libraries that are not watched.
    """

    def __init__(self, *, libraries: bool = False) -> None:
        self._libraries = libraries
        self.names: dict[int, str] = {}
        self.bound: dict[int, int] = {}
        self.is_final = False
        self.arrays: dict[str, Any] = {}
        self.numbers: dict[str, float | None] = {}
        self.visits = Visits()
        self.library_calls = LibraryCalls()
        self._package, self._is_typed = "", False
        self._seen: set[CodeType] = set()
        self._tape: Tape | None = None
        self._activations: dict[int, int] = {}
        self._bound: dict[tuple[int, str], int] = {}
        holding.add(self)

    @property
    def array_ids(self) -> tuple[int, ...]:
        """The identities of the arrays that this refers to, once for each time."""
        return tuple(map(id, self.arrays.values()))

    def call(self, tape: Tape, function: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """Call `function` as a run on `tape`, and observe it."""
        self.__init__(libraries=self._libraries)  # type: ignore[misc]  # discards the observations of an aborted run
        self._tape = tape
        self._package, self._is_typed = package_of(function), is_ours_file(file_of(function))
        before, collects = sys.gettrace(), gc.isenabled()
        try:
            gc.disable()  # a finalizer may run at any line, and its lines would be taken for the program's
            sys.settrace(self._enter)
            return run_stack.call(tape, function, arguments)
        finally:
            self._tape = None  # the tape already refers to the watch
            try:
                sys.settrace(before)
            finally:  # Ctrl-C may arrive when the other is done
                if collects:
                    gc.enable()

    def name(self, index: int, name: str) -> None:
        """Give row `index` a name, unless it has one. Several rows may have the same name."""
        if index not in self.names:
            self.names[index] = name
            self.bound[index] = len(self.visits.places) - 1

    def renamed(self, names: Mapping[int, str]) -> Watch:
        """The same observations with other names for rows, made unique."""
        again = copy.copy(self)
        again.names, again.is_final = distinct(names), True
        return again

    def place(self, index: int) -> Place | None:
        """The file and line that made row `index`, if known."""
        at = self.visits.of_row(index)
        return None if at is None else self.visits.places[at]

    def place_of_outcome(self, number: int) -> Place | None:
        """The file and line that asked for outcome `number`, if known."""
        at = self.visits.of_outcome(number)
        return None if at is None else self.visits.places[at]

    def _enter(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not run_stack.depth():  # plain numbers: what is inside of one step
            return None
        if not self._is_watched(frame):
            return self._enter_library(frame)
        self.library_calls.enter_users(self._length)
        if frame.f_code not in self._seen:
            self._seen.add(frame.f_code)
            self._hold_globals(frame)
        self._activate(frame)
        if not _is_generators(frame):  # the collector may close a generator anywhere; a running one will reach a line
            self._mark(frame, is_step=False)
        return self._step

    def _index_of(self, value: Any) -> int | None:
        return value.index if self._is_ours(value) else None

    def _enter_library(self, frame: FrameType) -> Any:
        """A frame that is not watched: the first one of a library's that the user's code calls is looked out for."""
        is_numpys = frame.f_code in NUMPY_CODES
        if self.library_calls.is_inside or not (is_numpys or is_users(frame) or stands_for_library(frame)):
            return None
        caller = self._caller(frame)
        if caller is None and (is_numpys or not self._is_typed):
            return None
        self.library_calls.enter(frame, caller, self._index_of, self._length)
        frame.f_trace_lines = False
        return self._leave_library

    def _leave_library(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "return":
            self.library_calls.leave(argument, self._index_of, self._length)
        return self._leave_library

    def _length(self) -> RunLength:
        tape = self._tape
        assert tape is not None
        return RunLength(len(tape.rows), len(tape.outcomes), len(self.visits.places))

    def _step(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event in ("line", "return"):
            self._bind(frame)
            if event == "line" or not _is_generators(frame):
                self._mark(frame, is_step=event == "line")
        if event == "return":
            self._leave(frame, argument)
            self.library_calls.leave_users(self._length)
        return self._step

    def _leave(self, frame: FrameType, result: Any) -> None:
        """Return to the calling line. An unnamed result of the outermost call is named `result`."""
        number = self._activations.pop(id(frame), 0)
        caller = self._caller(frame)
        if caller is not None:
            self._mark(caller, is_step=False)
        elif self._is_ours(result):
            self.name(result.index, "result")
        if self._is_ours(result) and not _is_part(frame):
            self.visits.calls[number].result = result.index

    def _caller(self, frame: FrameType) -> FrameType | None:
        return next(filter(self._is_watched, run_stack.frames(frame.f_back)), None)

    def _activate(self, frame: FrameType) -> None:
        """Assign a frame to its call when it starts or resumes."""
        caller = self._caller(frame)
        if caller is not None and _is_part(frame):
            self._activations[id(frame)] = self._activations.get(id(caller), 0)
            return
        self._activations[id(frame)] = len(self.visits.calls)
        called = len(self.visits.places) - 1 if caller is not None else None
        given = [(name, frame.f_locals[name]) for name in parameters(frame.f_code) if name in frame.f_locals]
        sources = {name: value.index for name, value in given if self._is_ours(value)}
        others = ((name, self._typed(value)) for name, value in given if name not in sources)
        plain = {name: text for name, text in others if text is not None}
        name = frame.f_code.co_qualname.rpartition("<locals>.")[2]
        self.visits.calls.append(Activation(name, frame.f_code, called, plain, sources))

    def _typed(self, value: Any) -> str | None:
        """A plain number or text as typed, or the name of an array's variable; None for anything else."""
        if type(value) is np.ndarray:
            return next((name for name, array in self.arrays.items() if array is value), None)
        return repr(value) if type(value) in _SIMPLE else None

    def _mark(self, frame: FrameType, *, is_step: bool = True) -> None:
        tape, visits = self._tape, self.visits
        assert tape is not None
        visits.rows.append(len(tape.rows))
        visits.outcomes.append(len(tape.outcomes))
        visits.places.append((frame.f_code.co_filename, frame.f_lineno))
        visits.activations.append(self._activations.get(id(frame), 0))
        visits.steps.append(is_step and not _is_part(frame))

    def _bind(self, frame: FrameType) -> None:
        # CPython 3.11 crashes in `items()` without memory for its tuple (PyObject_GC_UnTrack of what is not tracked)
        values = frame.f_locals
        for name in list(values):
            value = values[name]
            if self._is_ours(value):
                self._bind_one(frame, name, value)
            elif type(value) is np.ndarray or type(value) in _NUMBERS:
                self._hold(name, value)
            elif type(value) in CONTAINERS:
                for inner, item in self._items(name, value, _DEPTH):
                    if item.index not in self.names:
                        self._bind_one(frame, inner, item)

    def _hold_globals(self, frame: FrameType) -> None:
        """Hold the plain arrays and numbers bound to the global names in a frame's code."""
        for name in frame.f_code.co_names:
            value = frame.f_globals.get(name)
            if type(value) is np.ndarray or type(value) in _NUMBERS:
                self._hold(name, value)

    def _hold(self, name: str, value: Any) -> None:
        if type(value) is np.ndarray:
            self.arrays[name] = value
        elif self.numbers.setdefault(name, value) != value:
            self.numbers[name] = None

    def _items(self, name: str, value: Any, depth: int) -> Iterator[tuple[str, Any]]:
        """Yield the recorded values in a list, tuple or dict, with names such as `x[0]['a']`."""
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
        if not is_users(frame):
            return False
        return self._libraries or not is_installed(file) or bool(self._package and file.startswith(self._package))


def package_of(function: Any) -> str:
    """The folder of the installed package that defines a function, or its file; empty for the user's own code."""
    return _installed_package(file_of(function))


@cache
def _installed_package(file: str) -> str:
    """The folder of the installed package that contains `file`, or the file if the package is one; else empty."""
    for folder in PACKAGE_FOLDERS:
        before, separator, rest = file.rpartition(f"{os.sep}{folder}{os.sep}")
        if separator:
            first, _, inner = rest.partition(os.sep)
            return before + separator + first + (os.sep if inner else "")
    return ""


def file_of(function: Any) -> str:
    """The file that defines a function; empty if it is not written in Python."""
    while inner := getattr(function, "func", None) or getattr(function, "__wrapped__", None):
        function = inner
    code = getattr(function, "__code__", None) or getattr(type(function).__call__, "__code__", None)
    return code.co_filename if isinstance(code, CodeType) else ""


_ITEM = re.compile(r"(\w+)(\[[^\[\]]*\])+")


def distinct(names: Mapping[int, str]) -> dict[int, str]:
    """The names of a run's rows, made unique, without any that could be read as an item of another.

    A repeated name gets a number, `x#2`. So does an array `x` beside items `x[0]` of a list, or the items beside the
    array, whichever comes later.
    """
    kinds: dict[str, bool] = {}
    taken, used = set(names.values()), set[str]()
    unique: dict[int, str] = {}
    for index, name in names.items():
        stem, bracket = (item[1], "[") if (item := _ITEM.fullmatch(name)) else (name, "")
        given = name
        if name in used or kinds.setdefault(stem, bool(bracket)) != bool(bracket):
            given = next(other for k in count(2) if (other := f"{name}#{k}") not in taken)
        taken.add(given)
        used.add(given)
        unique[index] = given
    return unique


def _is_generators(frame: FrameType) -> bool:
    return bool(frame.f_code.co_flags & _GENERATOR)


def _is_part(frame: FrameType) -> bool:
    """Whether a frame belongs to the call that consumes it: a comprehension or a generator."""
    return _is_generators(frame) or frame.f_code.co_name in _COMPREHENSIONS


def parameters(code: CodeType) -> tuple[str, ...]:
    """The parameter names of a function, in order."""
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
