"""Objects reachable from a function before it runs: functions, what they hold, and state that outlives the call."""

from __future__ import annotations

import builtins
import collections
import contextlib
import functools
import importlib
import io
import re
import sys
import types
import weakref
from collections.abc import Callable, Iterable
from itertools import islice
from types import FunctionType
from typing import Any

import numpy as np

from gradcli.engine.code.bytecode_names import CodeNames, added_built_ins, names_in
from gradcli.engine.code.function_contents import content, enclosed_values, held_values, module_values
from gradcli.mathematics.rules.function_registry import ITERATIVE_MODULES, SOLVERS, UNFOLLOWED

SERVED = ("scipy.special", "scipy.linalg", "scipy.fft", "scipy.sparse._")  # modules whose functions are replaced
_FARTHEST = 10_000  # objects visited
_HEAP_TYPE = 1 << 9  # a class flag: created by a class statement or by `type`
_ATOMS = frozenset((bool, int, float, complex, str, bytes, type(None), range, slice))
_CONTAINERS = (dict, types.MappingProxyType, list, tuple, collections.deque, set, frozenset)
_LEADING_NOWHERE = (
    types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType,
    types.ClassMethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType, types.SimpleNamespace,
    types.NotImplementedType, types.EllipsisType, types.GenericAlias, types.UnionType, np.ufunc, np.generic, np.dtype,
    type(np.sum), io.IOBase, memoryview, bytearray, re.Pattern, property, staticmethod, classmethod,
    functools.cached_property, functools._lru_cache_wrapper,
)  # fmt: skip
# What finds attributes by names that are not in the code.
_FINDERS = frozenset((
    "__dict__", "__getattribute__", "asdict", "astuple", "attrgetter", "eval", "exec", "getattr", "getmembers",
    "methodcaller", "vars",
))  # fmt: skip
# Methods that run where an instance is created, and what leads from an instance to its class.
CONSTRUCTORS = ("__init__", "__init_subclass__", "__new__", "__post_init__", "__set_name__")
_TO_CLASS = frozenset(("__class__", "replace", "type"))
# Libraries with replacements, which are made of imported modules only.
_REPLACED = frozenset((
    "cmath", "datetime", "decimal", "json", "marshal", "math", "numpy", "scipy", "statistics", "time",
))  # fmt: skip
# Libraries whose Python code does not lead to the user's, and calls compiled code that cannot be followed.
_OF_NOBODY = frozenset((
    "gradcli", "numpy", "cupy", "cupyx", "sympy", "mpmath", "numba", "llvmlite",
    "torch", "jax", "jaxlib", "tensorflow", "dask", "pandas",
))  # fmt: skip

Item = tuple[Any, Any, Any]  # the holder of an object, its key there, and the object


class ReachableObjects:
    """The objects reachable from a function through the names in its code.

    Attributes:
        functions: in the order of discovery.
        items: the contents of containers, classes and instances, each with its holder.
        holders: writable objects that outlive a call: instances, containers, arrays, functions, classes.
        generators: random generators of Python and NumPy.
        iterators: iterators, which cannot be rewound.
        is_partial: whether an object may lead to code in a way that is not followed, such as a queue.
    """

    def __init__(self) -> None:
        self.functions: dict[FunctionType, None] = {}
        self.items: list[Item] = []
        self.holders: list[Any] = []
        self.generators: list[Any] = []
        self.iterators: list[Any] = []
        self.is_partial = False


def reachable_objects(*roots: Any, into_scipy: bool = True) -> ReachableObjects:
    """The objects reachable from functions, methods and callable objects, nearest first, each visited once.

    Of a class or an instance these are the special attributes and those whose names stand in a reached function, or
    all of them if such a function can find attributes otherwise, as with `getattr`. Constructors are reached by a class
    only, not by its instances. Without `into_scipy`, SciPy's modules, functions and classes are left out, which keep
    nothing of a call, and its instances have all their attributes.
    """
    return _ReachableObjects(into_scipy).read(roots)


class _ReachableObjects:
    """One walk over reachable objects."""

    def __init__(self, into_scipy: bool) -> None:
        self.into_scipy = into_scipy
        self.reached = ReachableObjects()
        self.waiting: collections.deque[Any] = collections.deque()
        self.seen: dict[int, Any] = {}
        self.mentioned: set[str] = set()  # in the functions reached
        self.unmentioned: dict[str, list[Item]] = {}  # attributes, by name
        self.classes: dict[type, None] = {}
        self.built_in = added_built_ins()

    def read(self, roots: Iterable[Any]) -> ReachableObjects:
        """Walk from the roots."""
        for root in roots:
            self._into(root, anyone=True)
        while self.waiting and len(self.seen) < _FARTHEST:
            self._into(*self.waiting.popleft())
        self.reached.is_partial |= bool(self.waiting)
        return self.reached

    def _later(self, values: Iterable[Any], names: Iterable[str] = ()) -> None:
        seen = self.seen
        self.waiting += [(value, names) for value in values if type(value) not in _ATOMS and id(value) not in seen]

    def _into(self, value: Any, names: Iterable[str] = (), anyone: bool = False) -> None:
        """Visit a value that is reached from code with these names.

        The code of a function is read if the function is the user's, or if `anyone` is set.
        """
        if id(value) in self.seen:
            return
        self.seen[id(value)] = value
        if type(value) is FunctionType:
            self._function(value, anyone)
        elif type(value) in _INNER:
            self._later(_INNER[type(value)](value), names)
        elif isinstance(value, types.ModuleType):
            if is_users_module(value.__name__) and not self._is_left_out(value.__name__):
                held = module_values(vars(value), names)
                self.reached.items += ((vars(value), name, item) for name, item in held.items())
                self._later(held.values(), names)
        elif isinstance(value, type):
            if is_of_user(value) and not self._is_left_out(value.__module__):
                self._class(value)
        elif isinstance(value, _CONTAINERS):
            self._container(value)
        else:
            self._object(value)

    def _is_left_out(self, module: str | None) -> bool:
        return not self.into_scipy and str(module).partition(".")[0] == "scipy"

    def _object(self, value: Any) -> None:
        kind = type(value)
        self.reached.is_partial |= not _is_followed(value)
        if isinstance(value, np.ndarray):
            self.reached.holders.append(value)
        elif is_random(value):
            self.reached.generators.append(value)
        elif kind is types.SimpleNamespace or is_of_user(kind):
            self._instance(value)
        elif _is_ours(kind):  # a target, a session's names or a matrix of a check, which hold the user's functions
            attributes = (item for _, item in _attributes_of(value))
            held = (x for item in attributes for x in (item.values() if type(item) is dict else (item,)))
            self._later(x for x in held if callable(x) or _is_ours(type(x)))
        elif hasattr(kind, "__next__") and _gives_items(value):
            self.reached.iterators.append(value)
        elif hasattr(value, "__wrapped__"):  # such as `functools.lru_cache`
            self._later((value.__wrapped__,))

    def _function(self, function: FunctionType, anyone: bool) -> None:
        """Visit a function. In gradcli's and the standard library's functions, only enclosed variables are searched."""
        is_followed = is_users_module(function.__module__) and not has_rule(function)
        is_followed = is_followed and not self._is_left_out(function.__module__)
        is_ours = str(function.__globals__.get("__name__")).partition(".")[0] == "gradcli"
        names = names_in(function.__code__).read if is_followed or anyone else frozenset[str]()
        self._mention(names - self.mentioned)
        is_read = (is_followed or anyone) and not is_ours
        self._later((*(held_values if is_read else enclosed_values)(function), *vars(function).values()), names)
        if not is_read:
            return
        self.reached.functions[function] = None
        self.reached.holders.append(function)
        self._later(imported_modules(names_in(function.__code__)), names)
        self._later(module_values(function.__globals__, names).values(), names)
        if self.built_in:
            self._later(module_values(self.built_in, self.built_in if self._finds_any else names).values(), names)

    def _mention(self, names: frozenset[str]) -> None:
        """Visit the attributes of these names that were passed over."""
        self.mentioned |= names
        for name in list(self.unmentioned) if self._finds_any else names & self.unmentioned.keys():
            self._attributes(self.unmentioned.pop(name))
        if not _TO_CLASS.isdisjoint(names):
            self._later(self.classes)

    @property
    def _finds_any(self) -> bool:
        return not _FINDERS.isdisjoint(self.mentioned)

    def _class(self, kind: type) -> None:
        self._of_class(kind)
        self._later((*map(vars(kind).get, CONSTRUCTORS), *kind.__mro__, type(kind)))
        self._later(type.__subclasses__(kind) if "__subclasses__" in self.mentioned else ())

    def _of_class(self, kind: type) -> None:
        """Visit what the instances of a class have from it."""
        if kind not in self.classes:
            self.classes[kind] = None
            self.reached.holders.append(kind)
            held = list(vars(kind).items())
            self._attributes((kind, name, item) for name, item in held if name not in CONSTRUCTORS)

    def _instance(self, value: Any) -> None:
        self.reached.holders.append(value)
        if self._is_left_out(type(value).__module__):
            held = [(value, name, item) for name, item in _attributes_of(value)]
            self.reached.items += held
            self._later(item for _, _, item in held)
            return
        for kind in type(value).__mro__:
            if is_of_user(kind) and not self._is_left_out(kind.__module__):
                self._of_class(kind)
        if not _TO_CLASS.isdisjoint(self.mentioned):
            self._later((type(value),))
        self._attributes((value, name, item) for name, item in _attributes_of(value))

    def _attributes(self, held: Iterable[Item]) -> None:
        """Visit the attributes whose names the reached functions mention, and special ones."""
        everything = self._finds_any
        for item in held:
            holder, name, value = item
            if type(value) in _ATOMS:
                continue
            if everything or name in self.mentioned or str(name).startswith("__"):
                self.reached.items.append(item)
                self._later((_unbound(value) if isinstance(holder, type) else value,))
                if isinstance(value, classmethod):  # it may create an instance
                    self._later((holder,))
            else:
                self.unmentioned.setdefault(name, []).append(item)

    def _container(self, value: Any) -> None:
        if value is sys.modules or value is vars(builtins) or (isinstance(value, dict) and "__builtins__" in value):
            return  # shared by all programs, gradcli's own code included, or the names of a module
        if not isinstance(value, (tuple, frozenset)):
            self.reached.holders.append(value)
        keyed = isinstance(value, (dict, types.MappingProxyType))
        items = islice(list(value.items()) if keyed else enumerate(value), _FARTHEST)
        held = [(value, key, item) for key, item in items if type(item) not in _ATOMS]
        self.reached.items += held
        self._later(item for _, _, item in held)


def _is_followed(value: Any) -> bool:
    """Whether an object, which is no container, leads to code only by its attributes that code mentions, or to none."""
    if issubclass(type(value), np.ndarray):
        return value.dtype != object  # type: ignore[no-any-return]
    if type(value) in _ATOMS or isinstance(value, _LEADING_NOWHERE) or is_random(value) or _is_ours(type(value)):
        return True
    bases = (kind for kind in type(value).__mro__ if kind is not object and kind.__module__ not in ("abc", "typing"))
    return all(map(is_of_user, bases))


def _attributes_of(value: Any) -> list[tuple[str, Any]]:
    own = getattr(value, "__dict__", None)
    held = list(own.items()) if isinstance(own, dict) else []
    return held + [(name, getattr(value, name, None)) for name in slots_of(type(value))]


def _is_ours(kind: type) -> bool:
    return str(kind.__module__).startswith("gradcli.")


def imported_modules(names: CodeNames) -> list[types.ModuleType]:
    """The modules that code imports when it runs, those of a few libraries even if nothing has imported them yet."""
    modules = []
    for name in names.imported:
        if name.partition(".")[0] in _REPLACED and name not in sys.modules:
            with contextlib.suppress(ImportError):  # a name in a module
                importlib.import_module(name)
        if isinstance(module := sys.modules.get(name), types.ModuleType):
            modules.append(module)
    return modules


def slots_of(kind: type) -> list[str]:
    """The slots of a class and of its base classes."""
    slotted = (list(vars(class_).items()) for class_ in kind.__mro__ if "__slots__" in vars(class_))  # not those in C
    return [name for items in slotted for name, item in items if type(item) is types.MemberDescriptorType]


def _unbound(item: Any) -> Any:
    """The function of a static or class method, a property or a cached property; anything else unchanged."""
    if type(item) in _INNER:
        return item
    return getattr(item, "__func__", None) or getattr(item, "fget", None) or getattr(item, "func", None) or item


_INNER: dict[type, Callable[[Any], Iterable[Any]]] = {
    types.MethodType: lambda method: (method.__func__, method.__self__),
    functools.partial: lambda partial: (partial.func, *partial.args, *partial.keywords.values()),
    functools.partialmethod: lambda partial: (partial.func, *partial.args, *partial.keywords.values()),
    types.CellType: content,
    weakref.ref: lambda reference: (reference(),),
    functools.singledispatchmethod: lambda method: (method.func, method.dispatcher),
}


def imported(module: str, last: str) -> Any:
    """A module if it is imported as far as this name; None also while another thread imports it."""
    loaded = sys.modules.get(module)
    return loaded if hasattr(loaded, last) else None


def is_random(value: Any) -> bool:
    """Whether a value is a random generator of Python or NumPy."""
    if (python := imported("random", "getstate")) and isinstance(value, python.Random):
        return True
    numpys = imported("numpy.random", "get_state")
    return numpys is not None and isinstance(value, (numpys.RandomState, numpys.Generator))


def is_of_user(kind: type) -> bool:
    """Whether a class is written in Python, outside the standard library and gradcli."""
    return bool(kind.__flags__ & _HEAP_TYPE) and is_users_module(str(getattr(kind, "__module__", "")))


def is_users_module(module: str | None) -> bool:
    """Whether a module is the user's: not the standard library, NumPy, CuPy or gradcli, whose state is shared.

    SymPy and mpmath are excluded too, as they split numbers into integers, and Numba, whose machine code goes when the
    state of the function is put back that it was compiled for.
    """
    top = (module or "").partition(".")[0]  # code run by `exec` need not name a module
    return top == "__main__" or (top not in sys.stdlib_module_names and top not in _OF_NOBODY)


def has_rule(function: FunctionType) -> bool:
    """Whether a function of SciPy is replaced as a whole, or refused, so that its code meets no recorded values."""
    module = function.__module__ or ""
    if not module.startswith("scipy."):
        return False
    names = (f"{module}.{function.__name__}" for module in ITERATIVE_MODULES)
    return module.startswith(SERVED) or any(name in SOLVERS or name in UNFOLLOWED for name in names)


def _gives_items(iterator: Any) -> bool:
    """Whether an iterator gives items; a stream that is only written to does not."""
    return not isinstance(iterator, io.IOBase) or (not iterator.closed and iterator.readable())
