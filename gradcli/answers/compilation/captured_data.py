"""What a program reads besides its arguments: guarded by equality, or read anew as hidden inputs at each call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from gradcli.answers.compilation.call_signatures import signature, signatures
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
        self._hidden, self._known = tuple(hidden), tuple(item.signature for item in hidden)
        self._places = {item.place for item in hidden}
        reads = {(id(holder), key): (holder, key, kind) for holder, key, kind in _reads(reached)}
        guarded = [(step, _value(*step)) for place, step in reads.items() if place not in self._places]
        self._size = 0
        self._scope: dict[str, Any] = {"MISSING": MISSING, "value_of": _value}
        self._tests = [self._test(f"_{n}", step, value) for n, (step, value) in enumerate(guarded)]
        self._scope |= {f"root_{n}": item.root for n, item in enumerate(hidden)}
        self._read = self.guarded("({inputs})")
        data = [key for (_, key, kind), value in guarded if not _is_code(value) and kind != "code"]
        self.names = tuple(dict.fromkeys(key for key in data if isinstance(key, str) and not key.startswith("__")))

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

    def _test(self, end: str, step: tuple[Any, Any, str], value: Any) -> str:
        """The condition, as text, under which what is read in a step is no longer as it was."""
        holder, key, kind = step
        self._scope |= {f"holder{end}": holder, f"key{end}": key, f"value{end}": value}
        if key == "__code__":
            return f"holder{end}.__code__ is not value{end}"
        read = f"value_of(holder{end}, key{end}, {kind!r})"
        if kind == "item":
            read = f"holder{end}.get(key{end}, MISSING)"
        elif kind == "cell" and value is not MISSING:
            read = f"holder{end}.cell_contents"
        self._scope[f"is_same{end}"] = self._snapshot(value)
        if type(value) in (*_CONTAINERS, np.ndarray):
            return f"not is_same{end}({read})"
        return f"(now := {read}) is not value{end} and not is_same{end}(now)"

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
