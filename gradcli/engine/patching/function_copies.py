"""Copies of the user's functions with global names of their own, the replacements among them.

For a run of a copy nothing is exchanged in the user's modules, at most in those of SciPy: no other thread sees a
replacement, and nothing has to be restored. The copies must mean what the functions mean, so all code that a run can
reach must be known. Each name that it reads must hold data, a function, class or module that is not the user's, or a
function of the user's, which has one copy wherever it is held. Where the code reads anything else, such as a class or
an instance of the user's, or assigns a global name, there is no copy, and names are replaced in place.

A copy reads each name as its module binds it when the run begins.
"""

from __future__ import annotations

import collections
import dis
import functools
from collections.abc import Callable, Iterable, Sequence
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodDescriptorType, ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.reachable_objects import content, is_random, is_users_module
from gradcli.engine.patching.object_exchange import GroupedPlaces, call_with_replacements
from gradcli.engine.patching.patch_points import CODE, MISSING, Place, imports
from gradcli.engine.tape.memory.reference_counts import WeakList
from gradcli.engine.tape.value import KINDS, Value
from gradcli.shared import devices

if TYPE_CHECKING:
    from gradcli.engine.tape.tape import Tape

Names = dict[str, Any]
T = TypeVar("T")

# Built-in functions that reach the names of the code that calls them.
_READERS_OF_NAMES = frozenset(("__import__", "compile", "eval", "exec", "globals"))
# Modules whose functions look a function up by its name, and would find another one than the copy.
_LOOKING_UP = frozenset(("concurrent", "copyreg", "importlib", "inspect", "multiprocessing", "pickle", "shelve", "sys"))
_WRITING = frozenset(("STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_BUILD_CLASS"))
_READING = frozenset(("LOAD_GLOBAL", "LOAD_NAME"))
_SHOWN = "__warningregistry__"  # in a module's globals: the warnings shown
_ATOMS = frozenset((bool, int, float, complex, str, bytes, type(None), type(...), range, slice))
_CONTAINERS = frozenset((list, tuple, dict, set, frozenset, collections.deque))
_DATA = (np.generic, np.dtype, Value)
_MOST_ITEMS = 200  # of containers, which are searched at each run
_FUNCTIONS = (FunctionType, BuiltinFunctionType, MethodDescriptorType, np.ufunc, type(np.sum), type)


class NotCopiedError(Exception):
    """A function reaches what a copy could not reach with the same meaning."""


class FunctionCopies:
    """The copies for the runs of one program: of its function, and of the user's functions that it reaches.

    Args:
        function: the function of the program, or a partial application; another one that differs in data only has a
            copy too.
        places: where the program needs replacements.

    Attributes:
        modules: the globals of each module, with those of the copies of its functions.

    Raises:
        NotCopiedError: a copy would not have the meaning of the function, or needs replacements elsewhere.
    """

    def __init__(self, function: Callable[..., Any], places: Iterable[Place]) -> None:
        self._replaced: dict[tuple[int, Any], dict[int, Any]] = {}  # by spot, then by the identity of the original
        in_libraries = [place for place in places if not self._takes(place)]
        self._in_libraries = GroupedPlaces(in_libraries) if in_libraries else None
        self._own: dict[int, tuple[Names, Names]] = {}  # a module's globals and the copies', by the first's identity
        self._names: set[tuple[int, str]] = set()
        self._fixed: list[tuple[Names, str, Any]] = []
        self._data: list[tuple[Names, Names, str]] = []
        self._copies: dict[int, _Copy] = {}
        called = _called(function)
        if called is None or not _is_followed(called.__module__):
            raise NotCopiedError
        try:
            self._root = self._copied(called)
        except NotCopiedError:
            for _, own in self._own.values():
                own.clear()  # they would keep the program's data until the garbage collector finds them
            raise
        self._all = [*self._copies.values()]
        self.modules = [*self._own.values()]
        _existing.add(self)
        for pair in self.modules:
            if any(type(item) is FunctionType and item.__globals__ is pair[1] for item in pair[1].values()):
                _existing.add(_Uncollected(pair))

    def _takes(self, place: Place) -> bool:
        """Whether a place is the user's, so that a copy holds its replacement; others are in modules of libraries."""
        holder = place.holder
        if type(holder) is dict and "__name__" in holder and not _is_followed(holder["__name__"]):
            return False
        if isinstance(holder, (type, FunctionType)) and not _is_followed(holder.__module__):
            return False
        is_name = (type(holder) is dict and "__name__" in holder) or isinstance(holder, FunctionType)
        if holder is not None and (not is_name or place.key in {"__defaults__", "__kwdefaults__"}):
            raise NotCopiedError
        self._replaced.setdefault(place.spot, {})[id(place.original)] = place.replacement
        return True

    def serve(self, function: Callable[..., Any]) -> bool:
        """Whether a function has a copy among these. The names are read anew."""
        called, root = _called(function), self._root
        if called is not root.function and not (
            called is not None
            and called.__code__ is root.code
            and called.__globals__ is root.function.__globals__
            and root.closes(called)
        ):
            return False
        return all(map(_Copy.is_current, self._all)) and self._read()

    def _read(self) -> bool:
        """Read the names anew; False if one that must hold the same object does not."""
        for names, name, item in self._fixed:
            if names.get(name, MISSING) is not item:
                return False
        for names, own, name in self._data:
            item = names.get(name, MISSING)
            if not are_data((item,)):
                return False
            own[name] = item
        for names, own in self.modules:
            if _SHOWN in names:
                own[_SHOWN] = names[_SHOWN]
        return True

    def call(self, caller: Callable[..., T], tape: Tape, function: Callable[..., Any], arguments: Sequence[Any]) -> T:
        """Call the copy of a function as `caller` calls a function on a tape."""
        try:
            copy = self._copy_of(function)
            if self._in_libraries is None:
                return caller(tape, copy, arguments)
            return call_with_replacements(self._in_libraries, caller, tape, copy, arguments)
        finally:
            for names, own in self.modules:
                if _SHOWN in own:
                    names.setdefault(_SHOWN, own[_SHOWN])

    def _copy_of(self, function: Any) -> Callable[..., Any]:
        if type(function) is functools.partial:
            return functools.partial(self._copy_of(function.func), *function.args, **function.keywords)
        return self._root.of(function)

    def _copied(self, function: FunctionType) -> _Copy:
        """The copy of a function, with all that it reaches."""
        if id(function) in self._copies:
            return self._copies[id(function)]
        code = function.__code__
        changed: CodeType = self._replaced.get((id(function), CODE), {}).get(id(code), code)
        if changed is code and imports(code):
            raise NotCopiedError
        names = function.__globals__
        _, own = self._own.setdefault(id(names), (names, _of_module(names)))
        copy = self._copies[id(function)] = _Copy(function, changed, own)
        for cell, number in copy.cells:
            (item,) = content(function.__closure__[number])  # type: ignore[index]
            replaced = self._replaced.get((id(function), number), {})
            cell.cell_contents = replaced[id(item)] if id(item) in replaced else self._inside(item)
        for name in _globals_read(code):
            self._bind(names, own, name)
        return copy

    def _bind(self, names: Names, own: Names, name: str) -> None:
        """Bind a name that code reads in the copies' globals."""
        if (id(names), name) in self._names:
            return
        self._names.add((id(names), name))
        item = names.get(name, MISSING)
        replaced = self._replaced.get((id(names), name), {})
        if id(item) in replaced:
            own[name] = replaced[id(item)]
        elif item is MISSING:
            if name in _READERS_OF_NAMES:
                raise NotCopiedError
        elif are_data((item,)):
            own[name] = item
            self._data.append((names, own, name))
            return
        else:
            own[name] = self._inside(item)
        self._fixed.append((names, name, item))

    def _inside(self, item: Any) -> Any:
        """What copies hold in the place of an object that is not data."""
        if isinstance(item, FunctionType) and _is_followed(item.__module__):
            return self._copied(item).copy
        if type(item) is functools.partial and are_data((item.args, item.keywords)):
            return functools.partial(self._inside(item.func), *item.args, **item.keywords)
        if _is_foreign(item):
            return item
        raise NotCopiedError


class _Uncollected:
    """Keeps the globals of copies findable that refer to themselves, until the garbage collector finds them."""

    __slots__ = ("__weakref__", "modules")

    def __init__(self, pair: tuple[Names, Names]) -> None:
        self.modules = [pair]
        pair[1]["gradcli:uncollected"] = self


_existing = WeakList()  # of FunctionCopies, and of what is _Uncollected


def with_copies(names: Names) -> list[Names]:
    """The globals of a module and those of all copies of its functions; `names` are any of these."""
    pairs = [pair for copies in _existing for pair in copies.modules]
    module = next((module for module, own in pairs if own is names), names)
    return [module, *{id(own): own for original, own in pairs if original is module}.values()]


class _Copy:
    """One function and its copy.

    Attributes:
        function: the function.
        code: its code.
        copy: its copy.
        cells: the copy's own cells, with their numbers; it shares those that hold data.
    """

    def __init__(self, function: FunctionType, changed: CodeType, own: Names) -> None:
        if not _holds_data(function):
            raise NotCopiedError
        self.function = function
        self.code = function.__code__
        self._changed = changed
        self._own_names = own
        self._held = [
            (number, content(cell))
            for number, cell in enumerate(function.__closure__ or ())
            if not are_data(content(cell))
        ]
        self.cells = [(CellType(), number) for number, _ in self._held]
        if self.cells and names_in(self.code).keeps:  # it might bind what the cells hold
            raise NotCopiedError
        self.copy = self.of(function)

    def is_current(self) -> bool:
        """Whether the function is still the one that was copied."""
        function, copy = self.function, self.copy
        return (
            function.__code__ is self.code
            and function.__defaults__ is copy.__defaults__
            and function.__kwdefaults__ is copy.__kwdefaults__
            and self.closes(function)
        )

    def closes(self, function: FunctionType) -> bool:
        """Whether a function with this code holds data where this one does, and the same objects elsewhere."""
        if function.__closure__ is not None:
            cells = [content(cell) for cell in function.__closure__]
            for number, (item,) in self._held:
                if not cells[number] or cells[number][0] is not item:
                    return False
                cells[number] = ()
            if not are_data(cells):
                return False
        return _holds_data(function)

    def of(self, function: FunctionType) -> FunctionType:
        """The copy of a function with this code that encloses other data."""
        cells = [*(function.__closure__ or ())]
        for cell, number in self.cells:
            cells[number] = cell
        copy = FunctionType(self._changed, self._own_names, function.__name__, function.__defaults__, tuple(cells))
        copy.__kwdefaults__ = function.__kwdefaults__
        copy.__qualname__ = function.__qualname__
        copy.__dict__ = function.__dict__
        return copy


def _called(function: Any) -> FunctionType | None:
    """The function that is called with data, directly or as a partial application; None if there is none."""
    while type(function) is functools.partial and are_data((function.args, function.keywords)):
        function = function.func
    return function if type(function) is FunctionType else None


def _of_module(names: Names) -> Names:
    """Globals with what Python itself reads there: `__builtins__`, `__name__` and the like."""
    return {name: names[name] for name in list(names) if name.startswith("__") and name.endswith("__")}


@functools.lru_cache(maxsize=4096)
def _globals_read(code: CodeType) -> frozenset[str]:
    """The global names that a code object, and the codes in it, read.

    Raises:
        NotCopiedError: the code also writes global names, defines a class or imports a module of the user's.
    """
    names = set()
    for step in dis.get_instructions(code):
        if step.opname in _WRITING or (step.opname == "IMPORT_NAME" and _is_unsafe(step.argval)):
            raise NotCopiedError
        if step.opname in _READING:
            names.add(step.argval)
    return frozenset(names).union(
        *(_globals_read(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    )


def _holds_data(function: FunctionType) -> bool:
    """Whether a function has data only as default values and attributes."""
    if function.__defaults__ is None and function.__kwdefaults__ is None and not function.__dict__:
        return True
    attributes = [item for name, item in vars(function).items() if name != "__wrapped__"]
    return are_data((*attributes, function.__defaults__, function.__kwdefaults__))


def are_data(items: Iterable[Any]) -> bool:
    """Whether objects are numbers, texts, arrays of numbers, generators of random numbers, and containers of such."""
    waiting = [item for item in items if type(item) not in _ATOMS]
    for _ in range(_MOST_ITEMS):
        if not waiting:
            return True
        item = waiting.pop()
        kind = type(item)
        if kind in _CONTAINERS:
            inside = item.values() if kind is dict else item
            if [*map(type, inside)].count(KINDS[float]) < len(inside):  # recorded numbers alone are no search
                waiting += inside
        elif not (kind in _ATOMS or issubclass(kind, _DATA) or _is_plain_array(item) or is_random(item)):
            return False
    return not waiting


def _is_plain_array(item: Any) -> bool:
    return (type(item) is np.ndarray and item.dtype.kind != "O") or devices.on_device(item)


def _is_foreign(item: Any) -> bool:
    """Whether an object is a module, a class or a function that is neither the user's nor leads to the user's code."""
    if isinstance(item, ModuleType):
        return not _is_unsafe(item.__name__)
    if not isinstance(item, _FUNCTIONS):
        return False
    return not _is_unsafe(str(getattr(item, "__module__", None) or "builtins"))


def _is_followed(module: str | None) -> bool:
    """Whether copies are made of a module's functions."""
    return is_users_module(module) and (module or "").partition(".")[0] != "scipy"


def _is_unsafe(module: str) -> bool:
    """Whether a module's functions might reach the user's modules by their names."""
    return _is_followed(module) or module.partition(".")[0] in {"gradcli", *_LOOKING_UP}
