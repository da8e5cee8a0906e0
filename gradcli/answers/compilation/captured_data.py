"""What a program reads besides its arguments: guarded by equality, or read anew as hidden inputs at each call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from gradcli.answers.compilation.call_signatures import signature, signatures
from gradcli.answers.compilation.compilation_report import named
from gradcli.answers.compilation.hidden_inputs import MISSING, HiddenInput, ReadPlace
from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.reachable_objects import ReachableObjects, slots_of
from gradcli.errors import UnsupportedError

_ATOMS = frozenset((bool, int, str, bytes, complex, type(None), type(...), range, slice))
_CONTAINERS = (list, tuple, dict, set, frozenset)
LARGEST = 1 << 20  # bytes of arrays that are compared at each call

Test = Callable[[Any], bool]  # whether a value is as it was


class CapturedData:
    """The captured data of a program.

    Args:
        reached: the objects reachable from the function.
        hidden: those that the program takes as inputs.

    Attributes:
        names: what is guarded, with what it was, for the report.

    Raises:
        UnsupportedError: an array is too large to be compared at each call.
    """

    def __init__(self, reached: ReachableObjects, hidden: Sequence[HiddenInput]) -> None:
        self._hidden, self._known = tuple(hidden), signatures([item.value for item in hidden])
        last = [item.places[-1] for item in hidden]
        self._read_anew = {(id(vars(at.holder) if at.kind == "attribute" else at.holder), at.key) for at in last}
        by_id = {(id(place.holder), place.key): place for place in _read_places(reached)}
        guarded = [place for key, place in by_id.items() if key not in self._read_anew]
        self._size = 0
        self._scope: dict[str, Any] = {"MISSING": MISSING}
        self._tests = [self._test(f"_{n}", place, self._snapshot(place.value)) for n, place in enumerate(guarded)]
        self._scope |= {f"root_{n}": item.root for n, item in enumerate(hidden)}
        self._read = self.guarded("({inputs})")
        data = [place for place in guarded if place.kind != "code" and not _is_code(place.value)]
        shown = (named(place.name or str(place.key), place.value) for place in data)
        self.names = tuple(dict.fromkeys(text for text in shown if not text.startswith("__")))

    def inputs(self) -> tuple[Any, ...] | None:
        """The values of the hidden inputs; None if they or other captured data are no longer as they were."""
        values: tuple[Any, ...] | None = self._read()
        return None if values is None or signatures(values) != self._known else values

    def guarded(self, result: str, **names: Any) -> Callable[..., Any]:
        """A function of any arguments that gives an expression, or None if captured data are no longer as they were.

        It is written out, so that a call costs no loop over what is compared. Of the hidden inputs, `{inputs}` in the
        expression, it does not compare the signatures.
        """
        inputs = [f"input_{n} = {item.access(f'root_{n}')}" for n, item in enumerate(self._hidden)]
        lines = [
            "def guarded(*arguments):", " try:", *(f"  if {test}: return None" for test in self._tests),
            *(f"  {line}" for line in inputs), "  pass", " except (LookupError, AttributeError, ValueError):",
            "  return None", " return " + result.format(inputs="".join(f"input_{n}, " for n in range(len(inputs)))),
        ]  # fmt: skip
        scope = {**self._scope, **names}
        exec("\n".join(lines), scope)
        made: Callable[..., Any] = scope["guarded"]
        return made

    def _test(self, end: str, place: ReadPlace, is_same: Test) -> str:
        """The condition, as text, under which what is read at a place is no longer as it was."""
        value = place.value
        objects = {"place": place, "holder": place.holder, "key": place.key, "value": value, "is_same": is_same}
        self._scope |= {f"{name}{end}": held for name, held in objects.items()}
        if place.key == "__code__":
            return f"holder{end}.__code__ is not value{end}"
        read = f"place{end}.value"
        if place.kind == "item":
            read = f"holder{end}.get(key{end}, MISSING)"
        elif place.kind == "cell" and value is not MISSING:
            read = f"holder{end}.cell_contents"
        if type(value) in (*_CONTAINERS, np.ndarray):
            return f"not is_same{end}({read})"
        return f"(now := {read}) is not value{end} and not is_same{end}(now)"

    def _snapshot(self, value: Any) -> Test:
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

    def _snapshot_of_array(self, value: Any) -> Test:
        self._size += value.nbytes
        if self._size > LARGEST or value.dtype == object:
            raise UnsupportedError("it captures an array that is too large to be compared at each call")
        known, data = signature(value), value.tobytes()
        return lambda now: type(now) is np.ndarray and signature(now) == known and now.tobytes() == data

    def _snapshot_of_container(self, value: Any) -> Test:
        kind = type(value)
        if kind in (set, frozenset):
            held = kind(value)
            return lambda now: type(now) is kind and now == held
        keys = list(value) if kind is dict else None
        items = value.items() if kind is dict else enumerate(value)
        tests: list[Test] = [
            (lambda now: True) if (id(value), key) in self._read_anew else self._snapshot(item) for key, item in items
        ]

        def is_same(now: Any) -> bool:
            if type(now) is not kind or len(now) != len(tests) or (keys is not None and list(now) != keys):
                return False
            parts = now.values() if keys is not None else now
            return all(test(part) for test, part in zip(tests, parts, strict=True))

        return is_same


def _is_code(value: Any) -> bool:
    return value is MISSING or callable(value) or isinstance(value, ModuleType)


def _read_places(reached: ReachableObjects) -> Iterator[ReadPlace]:
    """Yield the places that a program reads, some of them several times."""
    for function in reached.functions:
        yield from _places_of_function(function)
    names = frozenset().union(*(names_in(function.__code__).read for function in reached.functions), ("__call__",))
    for holder in reached.holders:  # a list, a dict or a set is compared where it is held
        if not isinstance(holder, FunctionType) and type(holder) not in (list, dict, set):
            yield from _places_of_object(holder, names)
    for holder, key, _ in reached.items:
        if type(holder) is dict and "__builtins__" in holder:  # the names of a module
            yield ReadPlace(holder, key, "item")


def _places_of_function(function: FunctionType) -> Iterator[ReadPlace]:
    for name in ("__code__", "__defaults__", "__kwdefaults__"):
        if getattr(function, name) is not None or name == "__defaults__":
            yield ReadPlace(function, name, "code")
    for name in names_in(function.__code__).read:
        if name in function.__globals__ or not name.startswith("__"):
            yield ReadPlace(function.__globals__, name, "item")
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield ReadPlace(cell, "cell_contents", "cell", name)


def _places_of_object(holder: Any, names: frozenset[str]) -> Iterator[ReadPlace]:
    """Yield the places of the attributes with some names, also of those that an object may come to have itself."""
    slots = [name for name in slots_of(type(holder)) if name in names]
    if isinstance(holder, type):
        yield from (ReadPlace(vars(holder), name, "item") for name in vars(holder) if name in names)
    elif isinstance(held := getattr(holder, "__dict__", None), dict):
        of_classes = {name: None for kind in type(holder).__mro__ for name in vars(kind) if name not in slots}
        yield from (ReadPlace(held, name, "item") for name in {**held, **of_classes} if name in names)
    yield from (ReadPlace(holder, name, "attribute") for name in slots)
