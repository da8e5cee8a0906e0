"""The objects that are lent: `math`, `numpy` and `float` that follow recorded values and act as the originals on others."""

from __future__ import annotations

import builtins
import math
import types
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from gradcli.rules.shape import CAST
from gradcli.rules.table import RULES, Elementwise
from gradcli.tape import creation
from gradcli.tape.array import Array
from gradcli.tape.dispatch import holds_recorded, listed
from gradcli.tape.number import Scalar, unary_method
from gradcli.tape.value import Value, outcome, record

# Functions of `math` with one argument: the rule behind each name that differs from the rule's.
_UNARY = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "cos", "cosh", "degrees", "erf", "erfc", "exp", "exp2",
    "expm1", "fabs", "gamma", "lgamma", "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_BINARY = ("atan2", "copysign", "fmod", "remainder", "pow")
_FACTS = ("isnan", "isinf", "isfinite", "isclose")


def as_number(x: Any) -> Any:
    """`x` as Python code sees it after `float(x)`: a recorded Python float for a recorded number."""
    if type(x) is Scalar or not issubclass(type(x), Value):
        return x
    return x.item()


def _any_recorded(arguments: Iterable[Any]) -> bool:
    return any(issubclass(type(x), Value) for x in arguments)


def _unary(name: str) -> Callable[[Any], Any]:
    original: Callable[[Any], Any] = getattr(math, name)
    rule = RULES["abs" if name == "fabs" else name]
    assert isinstance(rule, Elementwise)

    @cache
    def recorder() -> Callable[[Any], Any]:
        return unary_method(rule)

    def function(x: Any, /) -> Any:
        if type(x) is Scalar:
            return recorder()(x)
        return recorder()(as_number(x)) if issubclass(type(x), Value) else original(x)

    return function


def _binary(name: str) -> Callable[[Any, Any], Any]:
    original: Callable[[Any, Any], Any] = getattr(math, name)
    rule = RULES[name]

    def function(x: Any, y: Any, /) -> Any:
        if _any_recorded((x, y)):
            return record(rule, (as_number(x), as_number(y)), {}, compute=original)
        return original(x, y)

    return function


def _fact(name: str) -> Callable[..., Any]:
    original = getattr(math, name)

    def function(*arguments: Any, **options: Any) -> Any:
        if _any_recorded(arguments):
            return outcome(name, lambda *values: original(*values, **options), *arguments)
        return original(*arguments, **options)

    return function


def _log(x: Any, base: Any = None, /) -> Any:
    if not _any_recorded((x, base)):
        return math.log(x) if base is None else math.log(x, base)
    logarithm = record(RULES["log"], (as_number(x),), {}, compute=math.log) if _any_recorded((x,)) else math.log(x)
    return logarithm if base is None else logarithm / _log(base)


def _hypot(*coordinates: Any) -> Any:
    if not _any_recorded(coordinates):
        return math.hypot(*coordinates)
    numbers = [as_number(x) for x in coordinates]
    length = numbers[0] if len(numbers) > 1 else abs(numbers[0])
    for number in numbers[1:]:
        length = record(RULES["hypot"], (length, number), {}, compute=math.hypot) if _any_recorded((length, number)) else math.hypot(length, number)
    return length


def _dist(p: Any, q: Any, /) -> Any:
    if not _any_recorded((*p, *q)):
        return math.dist(p, q)
    return _hypot(*(as_number(x) - as_number(y) for x, y in zip(p, q, strict=True)))


def _fsum(numbers: Iterable[Any], /) -> Any:
    numbers = list(numbers)
    return sum(map(as_number, numbers)) if _any_recorded(numbers) else math.fsum(numbers)


def _prod(numbers: Iterable[Any], /, *, start: Any = 1) -> Any:
    numbers = list(numbers)
    if not _any_recorded((*numbers, start)):
        return math.prod(numbers, start=start)
    for number in numbers:
        start = start * as_number(number)
    return start


def _ldexp(x: Any, exponent: int, /) -> Any:
    return as_number(x) * 2.0**exponent if _any_recorded((x,)) else math.ldexp(x, exponent)


def _modf(x: Any, /) -> Any:
    if not _any_recorded((x,)):
        return math.modf(x)
    whole = outcome("trunc", lambda value: math.modf(value)[1], x)
    return as_number(x) - whole, whole


def _frexp(x: Any, /) -> Any:
    if not _any_recorded((x,)):
        return math.frexp(x)
    exponent = outcome("frexp", lambda value: math.frexp(value)[1], x)
    return as_number(x) * 2.0**-exponent, exponent


_SPECIAL = {"log": _log, "hypot": _hypot, "dist": _dist, "fsum": _fsum, "prod": _prod, "ldexp": _ldexp, "modf": _modf, "frexp": _frexp}


def _math_function(name: str) -> Any:
    for names, maker in ((_UNARY, _unary), (_BINARY, _binary), (_FACTS, _fact)):
        if name in names and hasattr(math, name):
            return maker(name)
    return _SPECIAL.get(name) or getattr(math, name)


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


class _Number(type):
    """The type of a lent `float`: called, it keeps a recorded value; otherwise it is the original."""

    original: type

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if len(arguments) == 1 and issubclass(type(arguments[0]), Value):
            return cls.keep(arguments[0])  # type: ignore[attr-defined]
        return cls.original(*arguments, **options)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.original)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.original)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.original

    def __hash__(cls) -> int:
        return hash(cls.original)

    def __repr__(cls) -> str:
        return repr(cls.original)


class LentFloat(builtins.float, metaclass=_Number):
    """Python's `float`."""

    original = builtins.float
    keep = staticmethod(as_number)


class LentFloat64(np.float64, metaclass=_Number):
    """NumPy's `float64`."""

    original = np.float64

    @staticmethod
    def keep(x: Any) -> Any:
        """A recorded number as a recorded NumPy float."""
        return x if type(x) is not Scalar else record(CAST, (x,), {"dtype": np.dtype(np.float64)})


class LentFloat32(np.float32, metaclass=_Number):
    """NumPy's `float32`."""

    original = np.float32

    @staticmethod
    def keep(x: Any) -> Any:
        """A recorded number as a recorded NumPy float of single precision."""
        return record(CAST, (x,), {"dtype": np.dtype(np.float32)})


TYPES: dict[Any, Any] = {float: LentFloat, np.float64: LentFloat64, np.float32: LentFloat32}
class LentFunction:
    """A NumPy function that takes lists of recorded values too; in all else the original."""

    def __init__(self, original: Callable[..., Any]) -> None:
        self.__wrapped__ = original

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        plain = (x if _of_arrays(x) else listed(x) for x in arguments)
        return self.__wrapped__(*plain, **{key: listed(x) for key, x in options.items()})

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


def _of_arrays(x: Any) -> bool:
    """Whether `x` is a list of recorded arrays, as `numpy.concatenate` takes it, which NumPy itself passes on."""
    return isinstance(x, (list, tuple)) and any(type(item) is Array for item in x) and not any(
        isinstance(item, (list, tuple)) and holds_recorded(item) for item in x
    )


def _numpy_attribute(module: types.ModuleType) -> Callable[[str], Any]:
    def find(name: str) -> Any:
        if module is np and name in creation.FUNCTIONS:
            return creation.FUNCTIONS[name]
        original = getattr(module, name)
        if isinstance(original, types.ModuleType):
            return NUMPY_MODULES.get(original.__name__, original)
        if isinstance(original, type):
            return TYPES.get(original, original)
        return LentFunction(original) if callable(original) else original

    return find


MATH = LentModule(math, _math_function)
NUMPY = LentModule(np, _numpy_attribute(np))
NUMPY_MODULES: dict[str, LentModule] = {
    "numpy.linalg": LentModule(np.linalg, _numpy_attribute(np.linalg)),
    "numpy.fft": LentModule(np.fft, _numpy_attribute(np.fft)),
}
MODULES: dict[str, types.ModuleType] = {"math": MATH, "numpy": NUMPY, **NUMPY_MODULES}
