"""Places where a program holds a replaceable object, and the exchange of that object.

A place is an item of a module's globals, of a list or a dict, an attribute of a class or an instance, an enclosed cell,
the default values of a function's parameters, or the code of a function that imports a module itself.
"""

from __future__ import annotations

import builtins
import dis
import functools
import sys
import types
import weakref
from collections.abc import Callable, Iterable, Iterator, Set
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from gradcli.code.functions_of_code import Maker, contains, made_of, makers
from gradcli.code.reachable_code import Item, enclosed, is_of_user, is_users_module, named, names_in
from gradcli.rules.function_registry import SCIPYS

ALIAS = "gradcli:"  # prefix of replaced modules in recompiled code: `gradcli:math`
IMPORTED = (
    "builtins", "math", "cmath", "numpy", "numpy.lib.stride_tricks", "numpy.linalg", "numpy.fft", "statistics",
    "scipy.integrate", "scipy.optimize", *SCIPYS,
)  # fmt: skip
BUILT_IN = frozenset(("complex", "float", "type"))
MISSING = object()
CODE = "__code__"
OF_FUNCTIONS = (CODE, "__defaults__", "__kwdefaults__")

_DEPTH = 4  # levels of objects followed from a name
_MOST = 2000  # the most objects visited

StandIn = Callable[[Any], Any]  # returns the replacement of an object, or MISSING

# Functions that create a replacement for an instance of a class.
WRAPPERS: dict[type, Callable[[Any, StandIn], Any]] = {}


class Place:
    """One place, the object found there, and its replacement. The holder is not kept alive if that can be avoided."""

    __slots__ = ("_holder", "_owner", "identity", "key", "original", "ours", "spot", "takes")

    def __init__(self, holder: Any, key: Any, original: Any = None, ours: Any = None, owner: Any = None) -> None:
        weakly = _weakly(holder)
        self._holder: Callable[[], Any] = weakly or (lambda: holder)  # a strong reference only to a dict or a list,
        self._owner = weakly or _weakly(owner) or _nobody  # which lives as long as its owner
        self.spot = id(holder), key
        self.identity = *self.spot, id(original)  # changes when the program puts another object there
        self.key = key
        self.original = original
        self.ours = ours
        self.takes: bool | None = None  # for recompiled code: whether it enters new arrays everywhere

    @property
    def holder(self) -> Any:
        """The holder of the object; None if it no longer exists."""
        return self._holder()

    @property
    def lasts(self) -> bool:
        """Whether the place exists in the next run too, as far as can be known without keeping it alive."""
        return self._owner() is not None

    @property
    def kept_in(self) -> tuple[int, Any]:
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
        if isinstance(holder, list):
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
            _take_away(holder, key)
        elif isinstance(holder, FunctionType) and key in OF_FUNCTIONS:
            setattr(holder, key, item)
        elif isinstance(holder, FunctionType):
            holder.__closure__[key].cell_contents = item  # type: ignore[index]
        elif isinstance(holder, type):
            type.__setattr__(holder, key, item)
        elif isinstance(holder, (dict, list)):
            holder[key] = item
        else:
            object.__setattr__(holder, key, item)


def _take_away(holder: Any, key: Any) -> None:
    if isinstance(holder, FunctionType):
        del holder.__closure__[key].cell_contents  # type: ignore[index]
    elif isinstance(holder, (dict, list)):
        del holder[key]
    else:
        (type if isinstance(holder, type) else object).__delattr__(holder, key)


def _nobody() -> None:
    return None


def _weakly(x: Any) -> Callable[[], Any] | None:
    try:
        return None if x is None or type(x) in (dict, list) else weakref.ref(x)
    except TypeError:
        return None


def _content(cells: tuple[Any, ...] | None, number: int) -> Any:
    try:
        return (cells or ())[number].cell_contents
    except (ValueError, IndexError):  # an empty cell
        return MISSING


def stand_in(objects: dict[int, Any], value: Any) -> Any:
    """The replacement of `value`, also inside a tuple or a partial application; MISSING if there is none."""
    if id(value) in objects:
        return objects[id(value)]
    if type(value) in WRAPPERS:
        return WRAPPERS[type(value)](value, functools.partial(stand_in, objects))
    if type(value) is tuple:
        inner = [stand_in(objects, item) for item in value]
        return MISSING if all(item is MISSING for item in inner) else _mixed(inner, value)
    if type(value) is functools.partial:
        parts = (value.func, value.args, value.keywords)
        inner = [stand_in(objects, part) for part in parts[:2]]
        if any(part is not MISSING for part in inner):
            function, arguments = _mixed(inner, parts)
            return functools.partial(function, *arguments, **value.keywords)
    return MISSING


def _mixed(ours: list[Any], originals: Any) -> tuple[Any, ...]:
    return tuple(theirs if mine is MISSING else mine for mine, theirs in zip(ours, originals, strict=False))


def in_globals(frame: FrameType, objects: dict[int, Any]) -> Iterator[Place]:
    """Yield the places in the globals of a frame, if its code uses any of them."""
    names = names_in(frame.f_code)
    found = list(of_globals(frame.f_globals, objects, names.called - names.passed))
    if len(found) > len(BUILT_IN) or not BUILT_IN.isdisjoint(frame.f_code.co_names):
        yield from found


def of_globals(names: dict[str, Any], objects: dict[int, Any], only_called: Set[str] = frozenset()) -> Iterator[Place]:
    """Yield the places in a module's globals, and of the built-in names that the module does not define.

    NumPy's number types are included if they are only called. Otherwise they are compared with the type of a value or
    with a dtype, which are the originals.
    """
    for name, value in list(names.items()):
        if name == "__builtins__":
            continue
        if isinstance(value, type) and issubclass(value, np.generic) and name not in only_called:
            continue
        if (ours := stand_in(objects, value)) is not MISSING:
            yield Place(names, name, value, ours)
    for name in BUILT_IN - names.keys():
        yield Place(names, name, MISSING, objects[id(getattr(builtins, name))])


def in_functions(frame: FrameType, objects: dict[int, Any], known: Set[Any] = frozenset()) -> Iterator[Place]:
    """Yield the places of functions that import or enclose a module: the function of the frame, and those that create
    it.

    They are not searched for if only places with known identities could be found.
    """
    found = makers(frame) if frame.f_code.co_freevars else makers(frame)[:1]
    if any(_may_be_lent_to(maker, objects, known) for maker in found):
        for function in made_of(frame):
            yield from of_function(function, objects)


def _may_be_lent_to(maker: Maker, objects: dict[int, Any], known: Set[Any]) -> bool:
    """Whether a function has new places. If the function is unknown, its frame's variables decide."""
    code, function, frame = maker
    if function is not None:
        return any(place.identity not in known for place in of_function(function, objects))
    held = map(frame.f_locals.get, (*_parameters(code), *code.co_freevars)) if frame else ()
    return imports(code) or any(stand_in(objects, item) is not MISSING for item in held)


def makers_of(frame: FrameType, lent: Iterable[Place]) -> set[FunctionType]:
    """The functions with a frame's code, and the functions that create them, by recompiled or original code."""
    code = frame.f_code
    borrowing = (place for place in lent if place.key == CODE and (place.ours is code or contains(place.ours, code)))
    return {*made_of(frame), *(place.holder for place in borrowing if place.holder is not None)}


def of_maker(function: FunctionType, everywhere: bool) -> Iterator[Place]:
    """Yield the recompiled code of a function, if its source is available."""
    from gradcli.patching.array_constants import owning

    if (code := owning(function.__code__, everywhere)) is not None:
        place = Place(function, CODE, function.__code__, _redirected(code))
        place.takes = everywhere
        yield place


def _parameters(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def of_function(function: FunctionType, objects: dict[int, Any]) -> Iterator[Place]:
    """Yield the places of one function: its code if it imports a module, its defaults, and its enclosed variables."""
    if imports(function.__code__):
        yield Place(function, CODE, function.__code__, _redirected(function.__code__))
    if (ours := stand_in(objects, function.__defaults__)) is not MISSING:
        yield Place(function, "__defaults__", function.__defaults__, ours)
    by_name = function.__kwdefaults__ or {}
    found = {name: stand_in(objects, value) for name, value in by_name.items()}
    if any(ours is not MISSING for ours in found.values()):
        lent = {name: value if found[name] is MISSING else found[name] for name, value in by_name.items()}
        yield Place(function, "__kwdefaults__", by_name, lent)
    for number, value in enumerate(enclosed(function)):
        if (ours := stand_in(objects, value)) is not MISSING:
            yield Place(function, number, value, ours)


def _redirected(code: CodeType) -> CodeType:
    """`code` with its imports redirected to the replaced modules, nested functions included."""
    if not imports(code):
        return code
    imported = _imported_names(code)
    names = tuple(ALIAS + name if name in imported else name for name in code.co_names)
    constants = tuple(_redirected(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_names=names, co_consts=constants)


def _imported_names(code: CodeType) -> set[str]:
    """The modules that `code` itself imports and that have replacements."""
    if not any(name in IMPORTED for name in code.co_names):
        return set()
    used = [(i.opname, i.argval) for i in dis.get_instructions(code) if i.opcode in dis.hasname]
    imported = {name for operation, name in used if operation == "IMPORT_NAME" and name in IMPORTED}
    return imported - {name for operation, name in used if operation != "IMPORT_NAME"}


@functools.lru_cache(maxsize=4096)
def imports(code: CodeType) -> bool:
    """Whether `code`, or a function nested in it, imports a module that has a replacement."""
    return bool(_imported_names(code)) or any(imports(c) for c in code.co_consts if isinstance(c, CodeType))


def in_objects(frame: FrameType, objects: dict[int, Any]) -> Iterator[Place]:
    """Yield the places reachable from the names in a frame's code, in tables, classes, instances and modules."""
    names = frame.f_code.co_names
    walk = _Walk(objects, frozenset(names))
    module = sys.modules.get(str(frame.f_globals.get("__name__")))
    for root in named(frame.f_globals, names).values():
        yield from walk.into(root, _DEPTH, module)
    for root in list(frame.f_locals.values()):
        yield from walk.into(root, _DEPTH)


def of_items(items: Iterable[Item], objects: dict[int, Any]) -> Iterator[Place]:
    """Yield the places among the contents of containers, classes and instances."""
    for holder, key, item, owner in items:
        if isinstance(holder, (tuple, set, frozenset, types.MappingProxyType)):
            continue  # the holder of the tuple gets another tuple
        ours = for_class(objects, item) if isinstance(holder, type) else stand_in(objects, item)
        if ours is not MISSING:
            yield Place(holder, key, item, ours, owner)


class _Walk:
    """A walk over objects that visits each of them once."""

    def __init__(self, objects: dict[int, Any], names: frozenset[str]) -> None:
        self.objects = objects
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
            ours = for_class(self.objects, item) if isinstance(holder, type) else stand_in(self.objects, item)
            if ours is not MISSING and type(holder) is not tuple:  # the holder of the tuple gets another tuple
                yield Place(holder, key, item, ours, owner)
            else:
                yield from self.into(item, depth - 1, owner if isinstance(holder, (dict, list, tuple)) else holder)

    def _of_called(self, function: FunctionType) -> Iterator[Place]:
        """Yield the places of a called function and of the module that defines it."""
        yield from of_function(function, self.objects)
        names = function.__globals__
        if id(names) not in self.seen:
            self.seen[id(names)] = names
            yield from of_globals(names, self.objects)

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
            yield from ((names, name, item) for name, item in named(names, self.names).items())
        elif isinstance(value, type):
            if is_of_user(value):
                yield from ((value, name, item) for name, item in list(vars(value).items()))
        elif is_of_user(type(value)):
            yield from ((value, name, item) for name, item in list(getattr(value, "__dict__", {}).items()))
            for kind in filter(is_of_user, type(value).__mro__):
                yield from ((kind, name, item) for name, item in list(vars(kind).items()))


def for_class(objects: dict[int, Any], item: Any) -> Any:
    """The replacement of a class attribute. Like the C function it replaces, it must not be bound as a method."""
    inner = item.__func__ if isinstance(item, staticmethod) else item
    ours = stand_in(objects, inner)
    return staticmethod(ours) if isinstance(ours, FunctionType) else ours
