"""The objects that are lent: modules and types that follow recorded values, and else act as the originals."""

from __future__ import annotations

import builtins
import cmath
import math
import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.rules.numpy_functions import FUNCTIONS as SERVED
from gradcli.rules.shape import CAST
from gradcli.tape import creation, lent_cmath
from gradcli.tape.array import Array
from gradcli.tape.dispatch import apply_function, holds_recorded, listed, name_of
from gradcli.tape.lent_math import as_number, math_function, statistics_function
from gradcli.tape.lent_numpy import OBJECTS, Vectorized
from gradcli.tape.places import WRAPPERS
from gradcli.tape.tape import ARRAY_CONSTANT
from gradcli.tape.value import bare, is_recorded, outcome, record


class LentModule(types.ModuleType):
    """A module that answers with functions that follow recorded values, and with the original's everything else."""

    def __init__(self, original: types.ModuleType, find: Callable[[str], Any]) -> None:
        super().__init__(original.__name__, original.__doc__)
        self._find = find
        self._original = original

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return getattr(self._original, "__all__", [n for n in dir(self._original) if not n.startswith("_")])
        found = self._find(name)
        setattr(self, name, found)
        return found

    def __dir__(self) -> list[str]:
        return dir(self._original)


class _Kind(type):
    """The type of a lent type, which is the original but for what it says of a recorded value."""

    original: type
    arity = 1  # the most arguments of which one may be recorded

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if "original" not in vars(cls):  # a class that the program derives from it
            return super().__call__(*arguments, **options)
        if 0 < len(arguments) <= cls.arity and any(map(cls.takes, arguments)):  # type: ignore[attr-defined]
            return cls.keep(*arguments)  # type: ignore[attr-defined]
        return cls.original(*arguments, **options)

    def __instancecheck__(cls, instance: Any) -> bool:
        if "original" in vars(cls):
            return isinstance(instance, vars(cls)["original"])
        return super().__instancecheck__(instance)

    def __subclasscheck__(cls, subclass: type) -> bool:
        if "original" in vars(cls):
            return issubclass(subclass, vars(cls)["original"])
        return super().__subclasscheck__(subclass)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is vars(cls).get("original", cls)

    def __hash__(cls) -> int:
        return hash(cls.original) if "original" in vars(cls) else super().__hash__()

    def __repr__(cls) -> str:
        return repr(cls.original) if "original" in vars(cls) else super().__repr__()


class LentFloat(builtins.float, metaclass=_Kind):
    """Python's `float`."""

    original = builtins.float
    takes = staticmethod(is_recorded)
    keep = staticmethod(as_number)


def _numpy_type(original: Any) -> type:
    """One of NumPy's number types, which takes a recorded number as one of its own: a whole one is an outcome."""
    dtype = np.dtype(original)

    def keep(x: Any) -> Any:
        if dtype.kind not in "fc":
            return outcome(original.__name__, original, x)
        return x if hasattr(x, "dtype") and x.dtype == dtype else record(CAST, (x,), {"dtype": dtype})

    body = {"original": original, "takes": staticmethod(is_recorded), "keep": staticmethod(keep)}
    return _Kind(original.__name__, (original,), body)


class LentComplex(builtins.complex, metaclass=_Kind):
    """Python's `complex`."""

    original = builtins.complex
    arity = 2
    takes = staticmethod(is_recorded)
    keep = staticmethod(lent_cmath.complex_of)


class LentType(type, metaclass=_Kind):
    """Python's `type`, which says of a recorded value what it says of its number."""

    original = type

    @staticmethod
    def takes(x: Any) -> bool:
        """It answers for every object."""
        return True

    @staticmethod
    def keep(x: Any) -> Any:
        """The type of `x`, or what is lent in its place."""
        kind = type(bare(x))
        return LentType if kind is _Kind else TYPES.get(kind) or WHOLE.get(kind, kind)


_NUMPY_TYPES = (np.float16, np.float32, np.float64, np.longdouble, np.complex64, np.complex128, np.clongdouble)
TYPES: dict[Any, Any] = {
    float: LentFloat, complex: LentComplex, type: LentType, **{kind: _numpy_type(kind) for kind in _NUMPY_TYPES},
}  # fmt: skip
# Those of whole numbers, which are lent as attributes of `numpy` alone: under names of their own libraries hold them.
_WHOLE_TYPES = {np.dtype(code).type for code in np.typecodes["AllInteger"] + "?"}
WHOLE: dict[Any, Any] = {kind: _numpy_type(kind) for kind in _WHOLE_TYPES}
for _original, _ours in (*TYPES.items(), *WHOLE.items()):
    _ours.__name__, _ours.__qualname__, _ours.__module__ = _original.__name__, _original.__name__, _original.__module__


class LentFunction:
    """A NumPy function that follows recorded values in lists, and in any argument; in all else the original."""

    def __init__(self, original: Callable[..., Any]) -> None:
        self.__wrapped__ = original

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if not holds_recorded((*arguments, *options.values())):
            return self.__wrapped__(*arguments, **options)
        name = name_of(self.__wrapped__)
        if name in SERVED:  # NumPy does not ask all arguments of a function who they are
            return apply_function(self.__wrapped__, arguments, options)
        readable = _settled if name.startswith("scipy.") else listed
        return self.__wrapped__(
            *map(readable, arguments), **{key: x if key == "out" else readable(x) for key, x in options.items()}
        )

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.__wrapped__, name)
        return LentFunction(found) if isinstance(found, types.BuiltinMethodType) else found

    def __eq__(self, other: object) -> bool:
        return other is self or other == self.__wrapped__

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


def _settled(x: Any) -> Any:
    """A list of recorded values as an array; an array that the program only created as the plain one that it is."""
    x = listed(x)
    created = type(x) is Array and x.tape.rows[x.index][0] is ARRAY_CONSTANT
    return x._value.copy() if created else x


def _numpy_attribute(original_module: types.ModuleType) -> Callable[[str], Any]:
    def find(name: str) -> Any:
        if original_module is np and name in OBJECTS:
            return OBJECTS[name]
        if original_module is np and name in creation.FUNCTIONS:
            return creation.FUNCTIONS[name]
        original = getattr(original_module, name)
        if isinstance(original, types.ModuleType):
            return module(original.__name__) or original
        if isinstance(original, type):
            return TYPES.get(original) or WHOLE.get(original, original)
        return LentFunction(original) if callable(original) else original

    return find


MATH: LentModule = LentModule(math, math_function)
CMATH: LentModule = LentModule(cmath, lent_cmath.cmath_function)
NUMPY = LentModule(np, _numpy_attribute(np))
NUMPY_MODULES: dict[str, LentModule] = {
    "numpy.linalg": LentModule(np.linalg, _numpy_attribute(np.linalg)),
    "numpy.fft": LentModule(np.fft, _numpy_attribute(np.fft)),
}
WRAPPERS[np.vectorize] = Vectorized
MODULES: dict[str, types.ModuleType] = {"math": MATH, "cmath": CMATH, "numpy": NUMPY, **NUMPY_MODULES}


def module(name: str) -> types.ModuleType | None:
    """Our module for the one of that name; for one that is slow to import, once the program has imported it."""
    if name in _SLOW and name in sys.modules and name not in MODULES:
        MODULES[name] = LentModule(sys.modules[name], _SLOW[name](sys.modules[name]))
    return MODULES.get(name)


_SLOW: dict[str, Callable[[types.ModuleType], Callable[[str], Any]]] = {
    "statistics": lambda original: statistics_function,
    **dict.fromkeys(("scipy", "scipy.linalg", "scipy.special"), _numpy_attribute),
}
