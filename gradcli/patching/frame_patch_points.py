"""The places that the frames of an aborted run lead to: in globals, in functions, and in the objects of their names."""

from __future__ import annotations

import sys
import types
from collections.abc import Collection, Iterable, Iterator, Set
from types import CodeType, FrameType, FunctionType
from typing import TYPE_CHECKING, Any

from gradcli.code.bytecode_names import names_in
from gradcli.code.reachable_objects import is_of_user, is_users_module, module_values
from gradcli.patching.patch_points import (
    BUILT_IN,
    CODE,
    MISSING,
    Place,
    Table,
    find_replacement,
    for_class,
    imports,
    of_function,
    of_globals,
)

if TYPE_CHECKING:
    from gradcli.code.functions_of_code import Maker

_DEPTH = 4  # levels of objects followed from a name
_MOST = 2000  # the most objects visited


def in_globals(frame: FrameType, table: Table) -> Iterator[Place]:
    """Yield the places in the globals of a frame, if its code uses any of them."""
    names = names_in(frame.f_code)
    found = list(of_globals(frame.f_globals, table, names.called - names.passed))
    if len(found) > len(BUILT_IN) or not BUILT_IN.isdisjoint(frame.f_code.co_names):
        yield from found


def in_functions(frame: FrameType, table: Table, known: Set[Any] = frozenset()) -> Iterator[Place]:
    """Yield the places of functions that import or enclose a module: the function of the frame, and those that create
    it.

    They are not searched for if only places with known identities could be found.
    """
    from gradcli.code.functions_of_code import creating_codes, functions_of_frames

    found = creating_codes(frame) if frame.f_code.co_freevars else creating_codes(frame)[:1]
    if any(_has_new_places(maker, table, known) for maker in found):
        for function in functions_of_frames([frame]):
            yield from of_function(function, table)


def _has_new_places(maker: Maker, table: Table, known: Set[Any]) -> bool:
    """Whether a function has new places. If the function is unknown, its frame's variables decide."""
    code, function, frame = maker
    if function is not None:
        return any(place.identity not in known for place in of_function(function, table))
    held = map(frame.f_locals.get, (*_parameters(code), *code.co_freevars)) if frame else ()
    return imports(code) or any(find_replacement(table, item) is not MISSING for item in held)


def makers_of(frames: Collection[FrameType], places: Iterable[Place], everywhere: bool) -> set[FunctionType]:
    """The functions with the frames' codes, and the functions that create them, by recompiled or original code.

    No function has recompiled code between two runs: its place holds it. Unless functions are recompiled `everywhere`,
    the others are searched for only if that would change the code of one.
    """
    from gradcli.code.functions_of_code import creating_codes, functions_of_frames
    from gradcli.patching.instrumented_code import owning

    recompiled = [place for place in places if place.key == CODE and place.holder is not None]
    holders = {place.holder for frame in frames for place in recompiled if _is_code_of(place, frame)}
    frames = [frame for frame in frames if not any(_is_code_of(place, frame) for place in recompiled)]
    codes = (code for frame in frames for code, _, _ in creating_codes(frame))
    searched = everywhere or any(owning(code, everywhere) for code in codes)
    return {*(functions_of_frames(frames) if searched else ()), *holders}


def _is_code_of(place: Place, frame: FrameType) -> bool:
    """Whether a frame runs the recompiled code of a place, or of a function nested in it."""
    from gradcli.code.functions_of_code import defines_code

    return place.replacement is frame.f_code or defines_code(place.replacement, frame.f_code)


def _parameters(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def in_objects(frame: FrameType, table: Table) -> Iterator[Place]:
    """Yield the places reachable from the names in a frame's code, in tables, classes, instances and modules."""
    names = frame.f_code.co_names
    walk = _Walk(table, frozenset(names))
    module = sys.modules.get(str(frame.f_globals.get("__name__")))
    for root in module_values(frame.f_globals, names).values():
        yield from walk.into(root, _DEPTH, module)
    for root in list(frame.f_locals.values()):
        yield from walk.into(root, _DEPTH)


class _Walk:
    """A walk over objects that visits each of them once."""

    def __init__(self, table: Table, names: frozenset[str]) -> None:
        self.table = table
        self.names = names
        self.seen: dict[int, Any] = {}

    def into(self, value: Any, depth: int, owner: Any = None) -> Iterator[Place]:
        """Yield the places in `value` and in its contents; `owner` lives as long as they do."""
        if depth == 0 or id(value) in self.seen or len(self.seen) > _MOST:
            return
        self.seen[id(value)] = value
        if isinstance(value, FunctionType) and is_users_module(value.__module__):
            yield from self._of_called(value)
        for holder, key, item in list(self._items(value)):
            replacement = (
                for_class(self.table, item) if isinstance(holder, type) else find_replacement(self.table, item)
            )
            if replacement is not MISSING and type(holder) is not tuple:  # the holder of the tuple gets another tuple
                yield Place(holder, key, item, replacement, owner)
            else:
                yield from self.into(item, depth - 1, owner if isinstance(holder, (dict, list, tuple)) else holder)

    def _of_called(self, function: FunctionType) -> Iterator[Place]:
        """Yield the places of a called function and of the module that defines it."""
        yield from of_function(function, self.table)
        names = function.__globals__
        if id(names) not in self.seen:
            self.seen[id(names)] = names
            yield from of_globals(names, self.table)

    def _items(self, value: Any) -> Iterator[tuple[Any, Any, Any]]:
        """Yield the contents of `value` as holder, key and item, if its type is one that the walk enters."""
        if isinstance(value, dict):
            if value is sys.modules or ("__loader__" in value and not is_users_module(str(value.get("__name__")))):
                return  # shared by all programs, such as the built-in names
            yield from ((value, key, item) for key, item in list(value.items()))
        elif isinstance(value, (list, tuple)):
            yield from ((value, n, item) for n, item in enumerate(value))
        elif isinstance(value, types.ModuleType):
            names = vars(value) if is_users_module(value.__name__) else {}
            yield from ((names, name, item) for name, item in module_values(names, self.names).items())
        elif isinstance(value, type):
            if is_of_user(value):
                yield from ((value, name, item) for name, item in list(vars(value).items()))
        elif is_of_user(type(value)):
            yield from ((value, name, item) for name, item in list(getattr(value, "__dict__", {}).items()))
            for kind in filter(is_of_user, type(value).__mro__):
                yield from ((kind, name, item) for name, item in list(vars(kind).items()))
