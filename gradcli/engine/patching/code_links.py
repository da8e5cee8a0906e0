"""What led from a program to its code when it was read: names, attributes, items, enclosed variables and arguments.

Where one of them leads elsewhere, the program reaches other code, which must be read before it runs. Numbers, texts,
arrays and containers of them lead nowhere, and may be exchanged for others.
"""

from __future__ import annotations

import builtins
import functools
from collections import OrderedDict, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import call, is_
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import ALWAYS_BUILT_IN, added_built_ins, names_in
from gradcli.engine.code.function_contents import content, held_values, wrapped
from gradcli.engine.code.reachable_objects import ReachableObjects, is_of_user, is_random, is_users_module, slots_of
from gradcli.engine.patching.name_replacement import unapplied
from gradcli.engine.patching.patch_points import MISSING, reference
from gradcli.engine.tape.value import Value
from gradcli.shared import devices

_DATA = frozenset((
    bool, int, float, complex, str, bytes, type(None), type(...), range, slice, np.ndarray, np.bool_, np.int64,
    np.float32, np.float64, GetSetDescriptorType, MemberDescriptorType,
))  # fmt: skip
_DICTS = frozenset((dict, OrderedDict, defaultdict))
_CONTAINERS = frozenset((list, tuple, deque, set, frozenset, *_DICTS))
_MOST_ITEMS = 64  # of a container, by which it is judged
_DEEPEST = 4  # levels of containers
_MOST_HOLDERS = 1000  # instances and classes: the nearest ones


class CodeLinks:
    """What leads to the code of one program.

    Args:
        function: the program's function, as it is called.
        reachable: the objects reachable from it and the arguments.
        arguments: those of the call; None if they do not matter.

    Attributes:
        lead_on: whether anything besides the arguments leads from the function to other code than that of libraries.
    """

    def __init__(self, function: Any, reachable: ReachableObjects, arguments: Sequence[Any] | None) -> None:
        root, origin = unapplied(function), _origin(function)
        held = [*_held_with_the_code(function)]
        is_object = origin is not function or not hasattr(root, "__code__")
        # Another function with the same code may reach other objects.
        self._origin = reference(origin) if is_object or reachable.items or not _are_data(held) else None
        self._asks_arguments = arguments is not None
        self._globals = getattr(root, "__globals__", None)
        self._enclosed = _Links(_cells(root)) if _cells(root) else None
        self._arguments = None if not arguments or _are_data(arguments) else _Links(dict(enumerate(arguments)))
        self._modules = [(names, _Links(names, read)) for names, read in _names_read(reachable)]
        holders = [holder for holder in reachable.holders if _leads_somewhere(holder, root)][:_MOST_HOLDERS]
        self._holders = [(reference(x), way := _way_into(x), _Links(way(x))) for x in holders]
        self.lead_on = bool(self._origin or self._holders or any(links.lead_on for _, links in self._modules))

    def hold(self, function: Any, arguments: Sequence[Any]) -> bool:
        """Whether all of it leads to the same objects, in a call of such a function with these arguments."""
        if self._origin is not None and self._origin() is not _origin(function):
            return False
        root = unapplied(function)
        if self._globals is not getattr(root, "__globals__", None):
            return False
        if self._enclosed is not None and not self._enclosed.hold(_cells(root)):
            return False
        if self._arguments is not None:
            if not self._arguments.hold(dict(enumerate(arguments))):
                return False
        elif self._asks_arguments and not _DATA.issuperset(map(type, arguments)) and not _are_data(arguments):
            return False
        for names, links in self._modules:
            if not links.hold(names):
                return False
        for reference_to, items, links in self._holders:
            if (holder := reference_to()) is not None and not links.hold(items(holder)):
                return False
        return True


class _Links:
    """The items of one holder that lead to code.

    Args:
        items: what the holder holds.
        keys: the keys of the items that the program reads; by default all, the number of which must stay.
    """

    def __init__(self, items: Mapping[Any, Any], keys: Iterable[Any] | None = None, depth: int = 0) -> None:
        self._length = len(items) if keys is None else None
        wanted = [*(items if keys is None else keys)]
        held = {key: item for key in wanted if (item := items.get(key, MISSING)) is not MISSING}
        self._absent = [key for key in wanted if key not in held]
        others = {key: item for key, item in held.items() if not _is_data(item)}
        data = held.keys() - others.keys()
        self._data = [key for key in data if type(held[key]) not in _CONTAINERS]
        self._containers = [key for key in data if type(held[key]) in _CONTAINERS]
        inner = {key: item for key, item in others.items() if type(item) in _CONTAINERS and depth < _DEEPEST}
        self._inner = [(key, _Links(_items(item), depth=depth + 1)) for key, item in inner.items()]
        self._fixed = {key: reference(item) for key, item in others.items() if key not in inner}

    @property
    def lead_on(self) -> bool:
        """Whether any of them is no module of a library, or is missing."""
        return bool(self._inner or not ALWAYS_BUILT_IN.issuperset(self._absent)) or not all(
            map(_is_of_library, map(call, self._fixed.values()))
        )

    def hold(self, items: Mapping[Any, Any]) -> bool:
        """Whether they are the same objects, and data where there was data."""
        fixed = self._fixed
        if fixed and not all(map(is_, map(items.get, fixed), map(call, fixed.values()))):
            return False
        if self._absent and not items.keys().isdisjoint(self._absent):
            return False
        data = self._data
        if data and not _DATA.issuperset(map(type, map(items.get, data))) and not _are_data([*map(items.get, data)]):
            return False
        if self._length is not None and len(items) != self._length and not _are_data([*items.values()]):
            return False
        if self._containers and not all(map(_is_data, map(items.get, self._containers))):
            return False
        for key, links in self._inner:
            if type(item := items.get(key)) not in _CONTAINERS or not links.hold(_items(item)):
                return False
        return True


def _is_data(item: Any, depth: int = 0) -> bool:
    kind = type(item)
    if kind in _DATA or issubclass(kind, (Value, np.generic, np.dtype)):
        return True
    if kind in _CONTAINERS:
        inside = [*islice(item.values() if kind in _DICTS else item, _MOST_ITEMS)]
        return depth < _DEEPEST and _are_data(inside, depth + 1)
    return issubclass(kind, np.ndarray) or devices.on_device(item) or is_random(item)


def _are_data(items: Collection[Any], depth: int = 0) -> bool:
    return _DATA.issuperset(map(type, items)) or all(_is_data(item, depth) for item in items)


def _is_of_library(item: Any) -> bool:
    """Whether an object is a module of a library, or belongs to one, so that a name which holds it is not rebound."""
    module = item.__name__ if isinstance(item, ModuleType) else getattr(item, "__module__", None)
    return isinstance(module, str) and not is_users_module(module)


def _origin(function: Any) -> Any:
    """The object that distinguishes a function from others with its code: a method's object, or the function."""
    return getattr(function, "__self__", function)


def _held_with_the_code(function: Any) -> Iterator[Any]:
    """Yield what a function holds beside its code: enclosed values, defaults, what decorators and partials apply."""
    while function is not None:
        yield from held_values(function)
        inner = wrapped(function)
        if type(function) is functools.partial:
            yield from (*function.args, *function.keywords.values())
        elif inner is not None:
            yield inner
        function = inner


def _items(holder: Any) -> Mapping[Any, Any]:
    """The items of a container."""
    return holder if type(holder) in _DICTS else dict(enumerate(holder))


def _way_into(holder: Any) -> Callable[[Any], Mapping[Any, Any]]:
    """The function that gives the attributes of a class or an instance, or what a function encloses."""
    if isinstance(holder, FunctionType):
        return _cells
    return vars if hasattr(holder, "__dict__") else _slots


def _slots(holder: Any) -> dict[str, Any]:
    return {name: getattr(holder, name, MISSING) for name in slots_of(type(holder))}


def _cells(function: Any) -> dict[int, Any]:
    cells = getattr(function, "__closure__", None)
    return {number: content(cell) for number, cell in enumerate(cells)} if isinstance(cells, tuple) else _NO_CELLS


_NO_CELLS: dict[int, Any] = {}


def _leads_somewhere(holder: Any, root: Any) -> bool:
    """Whether a holder is another function that encloses variables, a class of the user's, or an instance of one."""
    if isinstance(holder, FunctionType):
        return holder.__closure__ is not None and holder is not root
    kind = holder if isinstance(holder, type) else type(holder)
    return kind is SimpleNamespace or is_of_user(kind)


def _names_read(reachable: ReachableObjects) -> Iterable[tuple[dict[str, Any], set[str]]]:
    """The globals of each module, and the names that the user's functions read there."""
    read: dict[int, tuple[dict[str, Any], set[str]]] = {}
    for function in reachable.functions:
        if not str(function.__module__).startswith("scipy."):
            names = read.setdefault(id(function.__globals__), (function.__globals__, set()))[1]
            names |= names_in(function.__code__).globals_read
    for holder, name, _ in reachable.items:
        if type(holder) is dict and "__loader__" in holder:  # the names of a module
            read.setdefault(id(holder), (holder, set()))[1].add(name)
    missing = {name for held, names in read.values() for name in names if name not in held} - ALWAYS_BUILT_IN
    if built_in := missing.union(added_built_ins()):
        read[id(vars(builtins))] = vars(builtins), built_in
    return read.values()
