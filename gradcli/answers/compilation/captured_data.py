"""What a program reads besides its arguments: guarded by equality, or read anew as hidden inputs at each call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from gradcli.answers.compilation.call_signatures import signature
from gradcli.answers.compilation.hidden_inputs import MISSING, HiddenInput
from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.reachable_objects import ReachableObjects, slots_of

_ATOMS = frozenset((bool, int, str, bytes, complex, type(None), type(...), range, slice))
_CONTAINERS = (list, tuple, dict, set, frozenset)
LARGEST = 1 << 20  # bytes of arrays that are compared at each call


class TooLargeError(Exception):
    """An array that is guarded by equality is so large that comparing it would take too long."""


class CapturedData:
    """The captured data of a program.

    Args:
        reached: the objects reachable from the function.
        hidden: those that the program takes as inputs.

    Attributes:
        names: what is guarded, for the report.

    Raises:
        TooLargeError: an array is too large to be compared at each call.
    """

    def __init__(self, reached: ReachableObjects, hidden: Sequence[HiddenInput]) -> None:
        self._hidden = [(read.read, read.signature) for read in hidden]
        self._places = {item.place for item in hidden}
        reads = {(id(holder), key): (holder, key, kind) for holder, key, kind in _reads(reached)}
        guarded = [(step, _value(*step)) for place, step in reads.items() if place not in self._places]
        self._size = 0
        self._names: list[tuple[dict[Any, Any], Any, Any, Callable[[Any], bool]]] = []
        self._guards: list[tuple[Callable[[], Any], Callable[[Any], bool]]] = []
        for (holder, key, kind), value in guarded:
            is_same = self._snapshot(value)
            if kind == "item" and type(value) not in (*_CONTAINERS, np.ndarray):
                self._names.append((holder, key, value, is_same))
            elif kind != "code" or type(value) is not CodeType:
                self._guards.append((partial(_value, holder, key, kind), is_same))
        self._codes = [(holder, holder.__code__) for (holder, key, _), _ in guarded if key == "__code__"]
        data = [key for (_, key, kind), value in guarded if not _is_code(value) and kind != "code"]
        self.names = tuple(dict.fromkeys(key for key in data if isinstance(key, str) and not key.startswith("__")))

    def inputs(self) -> tuple[Any, ...] | None:
        """The values of the hidden inputs; None if they or other captured data are no longer as they were."""
        for function, code in self._codes:
            if function.__code__ is not code:
                return None
        for holder, key, value, is_same in self._names:
            if (now := holder.get(key, MISSING)) is not value and not is_same(now):
                return None
        for look, is_same in self._guards:
            if not is_same(look()):
                return None
        if not self._hidden:
            return ()
        values = []
        for read, known in self._hidden:
            try:
                value = read()
            except (LookupError, AttributeError, ValueError):
                return None
            if signature(value) != known:
                return None
            values.append(value)
        return tuple(values)

    def _snapshot(self, value: Any) -> Callable[[Any], bool]:
        """A function that tells whether a value is as it is now."""
        kind = type(value)
        if kind in _ATOMS:
            return lambda now: type(now) is kind and now == value
        if kind is float or issubclass(kind, np.generic):
            text = value.hex() if kind is float else value.tobytes()
            return lambda now: type(now) is kind and (now.hex() if kind is float else now.tobytes()) == text
        if kind is np.ndarray:
            return self._snapshot_of_array(value)
        if kind in _CONTAINERS:
            return self._snapshot_of_container(value)
        return lambda now: now is value

    def _snapshot_of_array(self, value: Any) -> Callable[[Any], bool]:
        self._size += value.nbytes
        if self._size > LARGEST or value.dtype == object:
            raise TooLargeError("it captures an array that is too large to be compared at each call")
        known, data = signature(value), value.tobytes()
        return lambda now: type(now) is np.ndarray and signature(now) == known and now.tobytes() == data

    def _snapshot_of_container(self, value: Any) -> Callable[[Any], bool]:
        kind = type(value)
        if kind in (set, frozenset):
            held = kind(value)
            return lambda now: type(now) is kind and now == held
        keys = list(value) if kind is dict else None
        parts = [
            _is_read_anew if (id(value), key) in self._places else self._snapshot(item)
            for key, item in (value.items() if kind is dict else enumerate(value))
        ]

        def is_same(now: Any) -> bool:
            if type(now) is not kind or len(now) != len(parts) or (keys is not None and list(now) != keys):
                return False
            items = now.values() if keys is not None else now
            return all(part(item) for part, item in zip(parts, items, strict=True))

        return is_same


def _is_read_anew(now: Any) -> bool:
    """Whether an item that is a hidden input is as it was: it need not be."""
    return True


def _is_code(value: Any) -> bool:
    return value is MISSING or callable(value) or isinstance(value, ModuleType)


def _value(holder: Any, key: Any, kind: str) -> Any:
    """What is read at a place; MISSING if there is nothing."""
    if kind == "count":
        return len(holder)
    try:
        return holder[key] if kind == "item" else getattr(holder, key)
    except (LookupError, AttributeError, ValueError):
        return MISSING


def _reads(reached: ReachableObjects) -> Iterator[tuple[Any, Any, str]]:
    """Yield the holder, the key and the kind of each place that a program reads."""
    for function in reached.functions:
        yield from _reads_of(function)
    for holder in reached.holders:
        if isinstance(holder, FunctionType):
            continue
        if type(holder) in (list, dict, set):  # compared where they are held
            continue
        if isinstance(holder, type):
            yield from ((vars(holder), name, "item") for name in vars(holder) if not name.startswith("__"))
        elif isinstance(held := getattr(holder, "__dict__", None), dict):
            yield from ((held, name, "item") for name in held)
            yield held, None, "count"
        yield from ((holder, name, "attribute") for name in slots_of(type(holder)))
    for holder, key, _ in reached.items:
        if type(holder) is dict and "__builtins__" in holder:  # the names of a module
            yield holder, key, "item"


def _reads_of(function: FunctionType) -> Iterator[tuple[Any, Any, str]]:
    for name in ("__code__", "__defaults__", "__kwdefaults__"):
        if getattr(function, name) is not None or name == "__defaults__":
            yield function, name, "code"
    for name in names_in(function.__code__).read:
        if name in function.__globals__ or not name.startswith("__"):
            yield function.__globals__, name, "item"
    for cell in function.__closure__ or ():
        yield cell, "cell_contents", "cell"
