"""Arrays that a program created before its run and writes into: constants during the run, plain again afterwards.

`OUT[:] = x` and `self.buf[i] = x` need a recorded array in every place where the program finds that array. Afterwards
the array holds the numbers that a plain run would leave there. If an array is also reachable in a way that cannot be
exchanged, such as a view of it or an item of a tuple, it is left unchanged and the write is refused.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Callable, Iterable, Iterator
from types import FrameType, FunctionType, MappingProxyType, ModuleType
from typing import Any

import numpy as np

from gradcli.code.bytecode_names import names_in
from gradcli.code.reachable_objects import ReachableObjects, is_users_module, module_values, slots_of
from gradcli.code.written_array_origins import parsed
from gradcli.patching.object_exchange import GroupedPlaces, call_with_replacements
from gradcli.patching.patch_points import MISSING, Place
from gradcli.tape.tape import Tape
from gradcli.tape.values.array import constant


def places_of_written(frames: Iterable[tuple[FrameType, int]], found: ReachableObjects) -> list[Place]:
    """The places of the arrays that a line of these frames writes into; empty if they cannot be exchanged.

    Args:
        frames: the frames with their lines, innermost first.
        found: what the program leads to.
    """
    for frame, line in frames:
        for arrays in (_written(frame, line), _on_line(frame, line)):
            wanted = {id(array): array for array in arrays if array.dtype.kind in "fc" and array.flags.writeable}
            places = [place for array in wanted.values() for place in _places(array, found)]
            if places:
                return places
    return []


def _written(frame: FrameType, line: int) -> Iterator[np.ndarray]:
    """Yield the arrays behind the targets of a line's assignments and behind its `out=`."""
    for node in _nodes(frame, line):
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Subscript) or isinstance(node, ast.AugAssign):
                    yield from _arrays(_value(target, frame))
        elif isinstance(node, ast.keyword) and node.arg == "out":
            yield from _arrays(_value(node.value, frame))


def _on_line(frame: FrameType, line: int) -> Iterator[np.ndarray]:
    """Yield the arrays behind the names on a line."""
    for node in _nodes(frame, line):
        if isinstance(node, (ast.Name, ast.Attribute)):
            yield from _arrays(_value(node, frame))


def _nodes(frame: FrameType, line: int) -> Iterator[Any]:
    file = frame.f_code.co_filename
    tree = parsed(file, "".join(linecache.getlines(file)))
    nodes = ast.walk(tree) if tree else ()
    return (node for node in nodes if getattr(node, "lineno", line + 1) <= line <= getattr(node, "end_lineno", 0))


def _value(node: ast.expr, frame: FrameType) -> Any:
    """The value of names, attributes and indices, as far as it takes no code of the program."""
    if isinstance(node, ast.Name):
        return frame.f_locals.get(node.id, frame.f_globals.get(node.id))
    if isinstance(node, ast.Attribute):
        holder = _value(node.value, frame)
        return Place(holder, node.attr).read() if node.attr in slots_of(type(holder)) else _attribute(holder, node.attr)
    return _value(node.value, frame) if isinstance(node, ast.Subscript) else None


def _attribute(holder: Any, name: str) -> Any:
    own = getattr(holder, "__dict__", {})
    of_class = (vars(kind).get(name) for kind in type(holder).__mro__ if name in vars(kind))
    return own[name] if name in own else holder if isinstance(holder, np.ndarray) else next(of_class, None)


def _arrays(value: Any) -> Iterator[np.ndarray]:
    """Yield an array's base, or the bases of the arrays in a list, tuple or dict."""
    if isinstance(value, dict):
        value = list(value.values())
    for item in value if isinstance(value, (list, tuple)) else (value,):
        if type(item) is np.ndarray:
            yield _owner(item)


def _owner(array: np.ndarray) -> np.ndarray:
    while type(array.base) is np.ndarray:
        array = array.base
    return array


def _places(array: np.ndarray, found: ReachableObjects) -> list[Place]:
    """Every place of an array; empty if it is reachable in another way too."""
    held = [each for each in found.holders if type(each) is np.ndarray]
    if any(_owner(each) is array for each in held if each is not array):
        return []
    places = {}
    for holder, key, item in _holdings(found):
        if item is array:
            if not _exchangeable(holder, key):
                return []
            place = Place(holder, key, item)
            places[place.spot] = place
    return list(places.values())


def _exchangeable(holder: Any, key: Any) -> bool:
    return isinstance(holder, (dict, list, FunctionType)) or (type(key) is str and not isinstance(holder, _FIXED))


_FIXED = (tuple, MappingProxyType)


def _holdings(found: ReachableObjects) -> Iterator[tuple[Any, Any, Any]]:
    """Yield the contents of modules, functions, containers, classes and instances as holder, key and item."""
    yield from ((holder, key, item) for holder, key, item, _ in found.items)
    for function in found.functions:
        yield from _of_function(function)
    for holder in found.holders:
        yield from ((holder, name, getattr(holder, name, MISSING)) for name in slots_of(type(holder)))


def _of_function(function: FunctionType) -> Iterator[tuple[Any, Any, Any]]:
    names = names_in(function.__code__).read
    for name, item in module_values(function.__globals__, names).items():
        yield function.__globals__, name, item
        if isinstance(item, ModuleType) and is_users_module(item.__name__):
            yield from ((vars(item), key, inner) for key, inner in module_values(vars(item), names).items())
    for number in range(len(function.__closure__ or ())):
        yield function, number, Place(function, number).read()
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    yield from ((defaults, number, item) for number, item in enumerate(defaults))


def call_with_arrays(
    places: Iterable[Place], tape: Tape, call: Callable[..., Any], function: Callable[..., Any], given: list[Any]
) -> Any:
    """Call a function with constants of a tape in the places of arrays. Afterwards the arrays hold what was written."""
    made: dict[int, tuple[np.ndarray, Any]] = {}
    exchanged = []
    for place in places:
        array = place.read()
        if type(array) is np.ndarray:
            if id(array) not in made:
                made[id(array)] = array, constant(tape, array.copy("K"))
            exchanged.append(Place(place.holder, place.key, array, made[id(array)][1]))
    try:
        return call_with_replacements(GroupedPlaces(exchanged), call, tape, function, given)
    finally:
        if tape.run.lost is None:
            for array, handle in made.values():
                np.copyto(array, handle._value)
