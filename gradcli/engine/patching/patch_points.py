"""Places where a program holds a replaceable object, and the exchange of that object.

A place is an item of a module's globals, of a list, a deque or a dict, an attribute of a class or an instance, an
enclosed cell, the default values of a function's parameters, or the code of a function.
"""

from __future__ import annotations

import builtins
import collections
import functools
import itertools
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.function_contents import content, enclosed_values
from gradcli.engine.code.reachable_objects import Item
from gradcli.mathematics.rules.function_registry import ITERATIVE_MODULES, SCIPYS

# C code that accepts numbers of Python's own types only, by module.
PLAIN_ONLY = {
    "decimal": ("Decimal",), "datetime": ("timedelta",), "json": ("dumps",), "marshal": ("dumps",),
    "time": ("sleep", "ctime", "gmtime", "localtime"),
}  # fmt: skip
IMPORTED = (
    "builtins", "math", "cmath", "numpy", "numpy.lib.stride_tricks", "numpy.linalg", "numpy.fft", "statistics",
    *ITERATIVE_MODULES, *SCIPYS, *PLAIN_ONLY,
)  # fmt: skip
BUILT_IN = frozenset(("complex", "float", "type"))
MISSING = object()
_SEQUENCES = (list, collections.deque)
CODE = "__code__"
OF_FUNCTIONS = (CODE, "__defaults__", "__kwdefaults__")

Table = dict[int, Any]  # the replacements by the identity of the original
FindReplacement = Callable[[Any], Any]  # returns the replacement of an object, or MISSING

# Functions that create a replacement for an instance of a class.
WRAPPERS: dict[type, Callable[[Any, FindReplacement], Any]] = {}


class Place:
    """One place, the object found there, and its replacement. The holder is not kept alive if that can be avoided."""

    __slots__ = ("_holder", "identity", "key", "original", "replacement", "spot")

    def __init__(self, holder: Any, key: Any, original: Any = None, replacement: Any = None) -> None:
        self._holder = reference(holder)
        self.spot = id(holder), key
        self.identity = *self.spot, id(original)  # changes when the program puts another object there
        self.key = key
        self.original = original
        self.replacement = replacement

    @property
    def holder(self) -> Any:
        """The holder of the object; None if it no longer exists."""
        return self._holder()

    @property
    def storage(self) -> tuple[int, Any]:
        """The spot, with the dict of an instance in place of the instance."""
        holder = self._holder()
        in_dict = not isinstance(holder, (dict, list, type, FunctionType))
        return (id(holder.__dict__) if in_dict and hasattr(holder, "__dict__") else self.spot[0]), self.key

    def exchange(self, before: Any, after: Any) -> bool:
        """Replace `before` by `after` and return True. If the place holds another object by now, leave it unchanged."""
        holder, key = self._holder(), self.key
        if type(holder) is dict and after is not MISSING:
            if holder.get(key, MISSING) is not before:
                return False
            holder[key] = after
        elif key == CODE and type(holder) is FunctionType:  # the most frequent one
            if holder.__code__ is not before:
                return False
            holder.__code__ = after
        elif holder is None or self.read() is not before:
            return False
        else:
            self.write(after)
        return True

    def read(self) -> Any:
        """The object there now."""
        holder, key = self._holder(), self.key
        if type(holder) is dict:
            return holder.get(key, MISSING)
        if isinstance(holder, _SEQUENCES):
            return holder[key] if key < len(holder) else MISSING
        if isinstance(holder, FunctionType):
            return getattr(holder, key) if key in OF_FUNCTIONS else _content(holder.__closure__, key)
        if isinstance(holder, type):
            return vars(holder).get(key, MISSING)
        return holder.get(key, MISSING) if isinstance(holder, dict) else getattr(holder, key, MISSING)

    def write(self, item: Any) -> None:
        """Put an object there; MISSING removes the object."""
        holder, key = self._holder(), self.key
        if type(holder) is dict and item is not MISSING:
            holder[key] = item
        elif item is MISSING:
            _remove(holder, key)
        elif isinstance(holder, FunctionType) and key in OF_FUNCTIONS:
            setattr(holder, key, item)
        elif isinstance(holder, FunctionType):
            holder.__closure__[key].cell_contents = item  # type: ignore[index]
        elif isinstance(holder, type):
            type.__setattr__(holder, key, item)
        elif isinstance(holder, (dict, *_SEQUENCES)):
            holder[key] = item
        else:
            object.__setattr__(holder, key, item)


def _remove(holder: Any, key: Any) -> None:
    if isinstance(holder, FunctionType):
        del holder.__closure__[key].cell_contents  # type: ignore[index]
    elif isinstance(holder, (dict, *_SEQUENCES)):
        del holder[key]
    else:
        (type if isinstance(holder, type) else object).__delattr__(holder, key)


def reference(item: Any) -> Callable[[], Any]:
    """A reference that keeps an object alive only if that cannot be avoided, as of a dict or a list."""
    try:
        return weakref.ref(item)
    except TypeError:
        return itertools.repeat(item).__next__


def _content(cells: tuple[Any, ...] | None, number: int) -> Any:
    held = content(cells[number]) if cells and number < len(cells) else ()
    return held[0] if held else MISSING


def find_replacement(table: Table, value: Any) -> Any:
    """The replacement of `value`, also inside a tuple or a partial application; MISSING if there is none."""
    if id(value) in table:
        return table[id(value)]
    if type(value) in WRAPPERS:
        return WRAPPERS[type(value)](value, functools.partial(find_replacement, table))
    if type(value) is tuple:
        inner = [find_replacement(table, item) for item in value]
        return MISSING if all(item is MISSING for item in inner) else _merged(inner, value)
    if type(value) is functools.partial:
        parts = (value.func, value.args, value.keywords)
        inner = [find_replacement(table, part) for part in parts[:2]]
        if any(part is not MISSING for part in inner):
            function, arguments = _merged(inner, parts)
            return functools.partial(function, *arguments, **value.keywords)
    return MISSING


def _merged(replacements: list[Any], originals: Any) -> tuple[Any, ...]:
    return tuple(old if new is MISSING else new for new, old in zip(replacements, originals, strict=False))


def of_globals(names: dict[str, Any], table: Table) -> Iterator[Place]:
    """Yield the places in a module's globals, and of the built-in names that the module does not define.

    NumPy's number types are left out: they may be compared with the type of a value or with a dtype.
    """
    for name, value in list(names.items()):
        if name == "__builtins__" or (isinstance(value, type) and issubclass(value, np.generic)):
            continue
        if (replacement := find_replacement(table, value)) is not MISSING:
            yield Place(names, name, value, replacement)
    for name in BUILT_IN - names.keys():
        yield Place(names, name, MISSING, table[id(getattr(builtins, name))])


def of_function(function: FunctionType, table: Table) -> Iterator[Place]:
    """Yield the places of what one function holds: its default values and its enclosed variables."""
    if (replacement := find_replacement(table, function.__defaults__)) is not MISSING:
        yield Place(function, "__defaults__", function.__defaults__, replacement)
    by_name = function.__kwdefaults__ or {}
    shims = {name: find_replacement(table, value) for name, value in by_name.items()}
    if any(replacement is not MISSING for replacement in shims.values()):
        defaults = {name: value if shims[name] is MISSING else shims[name] for name, value in by_name.items()}
        yield Place(function, "__kwdefaults__", by_name, defaults)
    for number, value in enumerate(enclosed_values(function)):
        if (replacement := find_replacement(table, value)) is not MISSING:
            yield Place(function, number, value, replacement)


def of_items(items: Iterable[Item], table: Table) -> Iterator[Place]:
    """Yield the places among the contents of containers, classes and instances."""
    for holder, key, item in items:
        if isinstance(holder, (tuple, set, frozenset, types.MappingProxyType)):
            continue  # the holder of the tuple gets another tuple
        replacement = for_class(table, item) if isinstance(holder, type) else find_replacement(table, item)
        if replacement is not MISSING:
            yield Place(holder, key, item, replacement)


def for_class(table: Table, item: Any) -> Any:
    """The replacement of a class attribute. Like the C function it replaces, it must not be bound as a method."""
    inner = item.__func__ if isinstance(item, staticmethod) else item
    replacement = find_replacement(table, inner)
    return staticmethod(replacement) if isinstance(replacement, FunctionType) else replacement


def imports(code: CodeType) -> bool:
    """Whether `code`, or a function nested in it, imports a module that has a replacement."""
    names = names_in(code)
    return any(
        module in IMPORTED and not names.read.isdisjoint(PLAIN_ONLY.get(module, names.read))
        for module in names.imported
    )
