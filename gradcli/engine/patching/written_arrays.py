"""Plain arrays that a program writes recorded values into: a constant of the tape takes their place.

The program must find the constant wherever it finds the array, or a derivative would be lost silently. So every
reference to the array must be known: Python's count of references says how many there are, and as many must be found
among the variables of the functions that run and what these lead to. A view counts as a reference to the array whose
memory it shares, and is found in the same way. Where one is missing, as in a default value, a tuple or a suspended
generator, the array stays plain and the write is refused.

Variables hold the constant from then on. Attributes, items, globals and enclosed variables hold the array again after
the run, with the numbers that a plain run would have left.
"""

from __future__ import annotations

import copy
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable
from inspect import CO_OPTIMIZED
from types import FrameType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from gradcli import run_stack
from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.function_contents import module_values
from gradcli.engine.code.reachable_objects import is_of_user, is_users_module, slots_of
from gradcli.engine.code.stack_frames import is_ours, release_variables
from gradcli.engine.patching.marked_code import MARK
from gradcli.engine.patching.patch_points import Place
from gradcli.engine.tape.inputs import enter
from gradcli.engine.tape.memory.reference_counts import holding, referrers
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.values.array import Array, array_ufunc_method, constant
from gradcli.mathematics.rules.indexing import STRIDED
from gradcli.shared import devices
from gradcli.shared.lazy_imports import method_on_first_use

_MOST = 5000  # the most objects searched
_IN_PYTHON = (FunctionType, MethodType)
_COUNTED = sys.version_info < (3, 14)  # later a variable that is an operand need not count as a reference
_PLAIN = frozenset((float, int, complex, str, bool, bytes, type(None), types.BuiltinFunctionType, np.float64))


class WrittenArrays:
    """The arrays of one run whose places constants of its tape have taken."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._lasting: list[tuple[Place, Any, Any, Any]] = []  # places, their holders and arrays, and the replacements
        self._owners: list[tuple[Any, Any]] = []  # the arrays that own the memory, with the constants

    def take(self, array: Any, operation: Any) -> Any:
        """What takes the place of an array: a constant or a view of it; None if a reference to it is unknown.

        Args:
            array: the array.
            operation: what writes into it, and refers to it too, as one of the samples does.
        """
        if not _is_suitable(array):
            return None
        # A debugger's or profiler's function is left out meanwhile: each call of it refers to variables.
        trace, profile = sys.gettrace(), sys.getprofile()
        try:
            if isinstance(trace, _IN_PYTHON):
                sys.settrace(None)
            if isinstance(profile, _IN_PYTHON):
                sys.setprofile(None)
            search = _Search(array, operation[0], _references_by_write(operation, self._tape))
            return self._exchange(search, id(array)) if search.completed(run_stack.frames(sys._getframe())) else None
        finally:
            if isinstance(trace, _IN_PYTHON):
                sys.settrace(trace)
            if isinstance(profile, _IN_PYTHON):
                sys.setprofile(profile)

    def _exchange(self, search: _Search, wanted: int) -> Any:
        owner = search.arrays[search.owner]
        lasting = any(isinstance(place, Place) for place, _ in search.places.values())
        handle = constant(self._tape, owner.copy("K") if lasting else owner)
        handles = {search.owner: handle}
        for number, view in search.arrays.items():
            if number != search.owner:
                handles[number] = handle.apply_rule(STRIDED, (handle,), {"places": _elements(view, owner)})
        if lasting:
            self._owners.append((owner, handle))
        for place, number in search.places.values():
            if isinstance(place, Place):
                self._lasting.append((place, place.holder, search.arrays[number], handles[number]))
            place.write(handles[number])
        return handles[wanted]

    def put_back(self) -> None:
        """Put the arrays back where they were, with the numbers that were written into the constants."""
        for place, _, array, handle in self._lasting:
            if place.read() is handle:
                place.write(array)
        for owner, handle in self._owners:
            np.copyto(owner, handle._value)
        self._lasting.clear()
        self._owners.clear()


def _is_suitable(array: Any) -> bool:
    """Whether a constant may take the place of an array, if all references to it are known."""
    if type(array) is not np.ndarray or not _COUNTED or devices.has_chosen_device():
        return False
    owner = _owner(array)
    if type(owner) is not np.ndarray or owner.base is not None or owner.dtype != array.dtype:
        return False
    is_float = owner.dtype.kind in "fc" and owner.flags.writeable and array.flags.writeable
    return is_float and not weakref.getweakrefcount(owner) and not weakref.getweakrefcount(array)


def _owner(array: Any) -> Any:
    while type(array) is np.ndarray and array.base is not None:
        array = array.base
    return array


def _elements(view: Any, owner: Any) -> Any:
    """The elements of its owner that a view shows, numbered in C order."""
    numbers = np.empty_like(owner, dtype=np.intp)
    numbers[...] = np.arange(owner.size).reshape(owner.shape)
    in_memory = numbers.ravel("K")
    scale = in_memory.itemsize / owner.itemsize
    start = (view.__array_interface__["data"][0] - owner.__array_interface__["data"][0]) // owner.itemsize
    strides = [int(step * scale) for step in view.strides]
    return np.lib.stride_tricks.as_strided(in_memory[start:], view.shape, strides).copy()


class _Variable:
    """A variable of a running function."""

    def __init__(self, frame: FrameType, name: str) -> None:
        self._frame = frame
        self._name = name

    def write(self, item: Any) -> None:
        """Bind the variable."""
        variables = self._frame.f_locals
        variables[self._name] = item
        _bind(self._frame, variables)


def _bind(frame: FrameType, variables: Any) -> None:
    """Bind a function's variables as they are in `frame.f_locals`, a dict before Python 3.13."""
    if type(variables) is dict:
        import ctypes

        ctypes.pythonapi.PyFrame_LocalsToFast(ctypes.py_object(frame), ctypes.c_int(0))
        release_variables(frame, variables)


def _nowhere() -> None:
    """No place yet."""


class _Search:
    """The search for all references to an array, its owner and the views of that.

    Attributes:
        owner: the identity of the array that owns the memory.
        arrays: the arrays that share the memory, by their identity.
        places: where they are held, with their identity.
    """

    def __init__(self, array: Any, label: str, known: int) -> None:
        owner = _owner(array)
        self._label = label
        self.owner = id(owner)
        self.arrays = {self.owner: owner, id(array): array}
        self.places: dict[Any, tuple[Any, int]] = {}
        self._known = {id(array): known}
        self._waiting: list[Any] = []
        self._last: list[dict[str, Any]] = []
        self._seen: set[int] = set()
        self._names: set[str] = set()

    def completed(self, frames: Iterable[FrameType]) -> bool:
        """Whether all references are found, from the functions that run outwards."""
        for frame in frames:
            if frame.f_code is run_stack.call.__code__:
                variables = frame.f_locals
                self._see(variables["function"])
                release_variables(frame, variables)
            elif is_ours(frame):
                release_variables(frame, frame.f_locals)  # a debugger may have read them
            elif frame.f_code.co_flags & CO_OPTIMIZED:
                self._frame(frame)
        while not self._is_complete():
            if not self._waiting:  # what no function reads comes last
                self._waiting = [item for names in self._last for item in list(names.values())]
                self._last = []
            level, self._waiting = self._waiting, []
            if not level or len(self._seen) > _MOST:
                return False
            for holder in level:
                if id(holder) not in self._seen:
                    self._seen.add(id(holder))
                    self._into(holder)
        return True

    def _is_complete(self) -> bool:
        counts = {**dict.fromkeys(self.arrays, 0), **self._known}
        counts[self.owner] += len(self.arrays) - 1
        for place, number in self.places.values():
            counts[number] += place is not None
        for holder in holding:
            for number in counts.keys() & holder.array_ids:
                counts[number] += holder.array_ids.count(number)
        if not self.places and self._label != "operator":
            return False
        return all(referrers(self.arrays, number) == counts[number] for number in counts)

    def _see(self, item: Any, make_place: Callable[[], Any] | None = None, key: Any = None) -> None:
        """Note one of the arrays at its place, or search a holder later."""
        if type(item) in _PLAIN:
            return
        if type(item) is not np.ndarray:
            self._waiting.append(item)
        elif make_place is not None and id(_owner(item)) == self.owner:
            place = make_place()
            key = key or place.storage
            self.arrays[id(item)] = item
            if place is not None or key not in self.places:
                self.places[key] = place, id(item)

    def _frame(self, frame: FrameType) -> None:
        code, variables = frame.f_code, frame.f_locals
        for name in list(variables):
            key = ("cell", name) if name in code.co_cellvars or name in code.co_freevars else (id(frame), name)
            is_enclosed = name in code.co_freevars  # what encloses it is found with the function
            self._see(variables[name], _nowhere if is_enclosed else functools.partial(_Variable, frame, name), key)
        release_variables(frame, variables)
        self._globals(frame.f_globals, names_in(code).read)

    def _globals(self, names: dict[str, Any], read: Iterable[str]) -> None:
        self._names.update(read)
        arrays = [name for name, item in list(names.items()) if type(item) is np.ndarray]
        for name in {*arrays, *module_values(names, read)}:
            self._see(names.get(name), functools.partial(Place, names, name))
        self._last.append(names)

    def _into(self, holder: Any) -> None:
        """Search what an object holds."""
        if isinstance(holder, dict):
            self._items(holder, list(holder) if "__builtins__" not in holder else ())
        elif isinstance(holder, list):
            self._items(holder, range(len(holder)))
        elif isinstance(holder, FunctionType):
            self._function(holder)
        elif isinstance(holder, ModuleType):
            if is_users_module(holder.__name__):
                self._globals(vars(holder), self._names)
        elif isinstance(holder, type):
            for kind in filter(is_of_user, holder.__mro__):
                self._items(kind, list(vars(kind)), vars(kind))
        elif isinstance(holder, types.SimpleNamespace) or is_of_user(type(holder)):
            own = getattr(holder, "__dict__", {})
            self._items(holder, [*own, *slots_of(type(holder))], own)
            self._see(type(holder))

    def _items(self, holder: Any, keys: Iterable[Any], held: Any = None) -> None:
        for key in keys:
            make_place = functools.partial(Place, holder, key)
            self._see(make_place().read() if held is None or key not in held else held[key], make_place)

    def _function(self, function: FunctionType) -> None:
        for number, name in enumerate(function.__code__.co_freevars):
            make_place = functools.partial(Place, function, number)
            self._see(make_place().read(), make_place, ("cell", name))
        if is_users_module(function.__module__):
            self._globals(function.__globals__, names_in(function.__code__).read)


# The ways of writing into an array, as code like the user's.
_WAYS = {"item": "(MARK % w)[...] = x", "operator": "w += x"}
# The number of references that a write holds to its array, by the operation: its label, and what else tells it apart.
_held_by_write: dict[Any, int] = {}
_measured: set[str] = set()  # the labels whose samples have run


def _references_by_write(operation: Any, tape: Tape) -> int:
    """The number of references to an array by the operation that writes into it, as measured once; -1 if unknown."""
    label = operation[0]
    if label not in _measured:
        names: dict[str, Any] = {"MARK": MARK, "zeros": np.zeros}
        exec(f"def write(x):\n    w = zeros((1, 1))\n    {_WAYS[label]}", names)
        # The function in between refers to the array too.
        method_on_first_use(Array, "__array_ufunc__", array_ufunc_method)
        for x in (np.ones((1, 1)), np.ones((1, 1)), 1.0):
            other = Tape(copy.copy(tape.run))
            other.run.written_arrays = _Measuring(other)
            run_stack.call(other, names["write"], (enter(other, x),))
        _measured.add(label)  # last, so that an interrupted measurement is repeated
    return _held_by_write.get(operation, -1)


class _Measuring:
    """Counts the references to an array that one variable refers to, besides that variable."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    def take(self, array: Any, operation: Any) -> Any:
        """Note the number of references, and return a constant."""
        references = referrers([array], 0) - 1
        _held_by_write[operation] = min(references, _held_by_write.get(operation, references))
        return constant(self._tape, np.zeros((1, 1)))
