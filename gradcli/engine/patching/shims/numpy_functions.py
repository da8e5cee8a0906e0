"""Replacements for NumPy's functions and types, which accept recorded values in lists and in any argument."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.patching.shims.numpy_classes import OBJECTS
from gradcli.engine.patching.shims.python_types import INTEGER_TYPES, TYPES, ShimMeta, register
from gradcli.engine.tape.concretization_errors import NO_ARRAY, leak
from gradcli.engine.tape.tape import ARRAY_CONSTANT
from gradcli.engine.tape.value import is_recorded, outcome, record
from gradcli.engine.tape.values import array_creation
from gradcli.engine.tape.values.array import Array, View
from gradcli.engine.tape.values.array_function import apply_function, holds_recorded, list_as_array, name_of
from gradcli.engine.tape.values.array_ufunc import RECORDERS
from gradcli.engine.tape.values.numpy_number import OF_FLOATS
from gradcli.engine.tape.values.numpy_number import RECORDERS as OF_NUMBERS
from gradcli.engine.tape.values.scalar import Scalar
from gradcli.mathematics.rules.function_registry import FUNCTIONS as SERVED
from gradcli.mathematics.rules.shape import CAST
from gradcli.run_stack import suspended
from gradcli.shared.devices import wrapped_array


def _numpy_type(original: Any) -> type:
    """The replacement of a NumPy number type. It keeps recorded floats recorded; an integer is an outcome."""
    dtype = np.dtype(original)

    def converted(x: Any) -> Any:
        if dtype.kind not in "fc":
            return outcome(original.__name__, original, x)
        return x if hasattr(x, "dtype") and x.dtype == dtype else record(CAST, (x,), {"dtype": dtype})

    body = {"original": original, "accepts": staticmethod(is_recorded), "converted": staticmethod(converted)}
    return ShimMeta(original.__name__, (original,), body)


def _types(codes: str) -> list[type]:
    """The number types with these codes; the user's code may have put others in their names in NumPy."""
    return list(dict.fromkeys(np.dtype(code).type for code in codes))


register(map(_numpy_type, _types("efdgFDG")))
register(map(_numpy_type, _types(np.typecodes["AllInteger"] + "?")), INTEGER_TYPES)


# The most frequent argument types of ufuncs, none of which contains other values.
_HOLD_NOTHING = frozenset((Array, View, *OF_NUMBERS, Scalar, np.ndarray, float, int))


def _listed(x: Any) -> Any:
    """A list as one recorded array; a list of arrays of different shapes unchanged, as Python code may handle it."""
    try:
        return list_as_array(x)
    except ValueError:
        return x


class FunctionShim:
    """A NumPy function that accepts recorded values in lists and in any argument; otherwise the original."""

    def __init__(self, original: Callable[..., Any]) -> None:
        self.__wrapped__ = original
        self._of_scipy = str(getattr(original, "__module__", "")).startswith("scipy.")

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if not holds_recorded((*arguments, *options.values())):
            return self._original(arguments, options)
        if name_of(self.__wrapped__) in SERVED:  # NumPy does not dispatch on all arguments of a function
            return apply_function(self.__wrapped__, arguments, options)
        readable = _settled if self._of_scipy else _listed
        options = {key: x if key == "out" else readable(x) for key, x in options.items()}
        return self._original(tuple(map(readable, arguments)), options)

    def _original(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Call the original function. With plain arguments, SciPy's run outside the recording: their names may be
        replaced.
        """
        try:
            if not self._of_scipy or holds_recorded((*arguments, *options.values())):
                return self.__wrapped__(*arguments, **options)
            with suspended():
                return self.__wrapped__(*arguments, **options)
        except ValueError as error:
            inner = [wrapped_array(x) for x in arguments] if NO_ARRAY in str(error) else arguments
            if all(x is y for x, y in zip(inner, arguments, strict=True)):
                raise
        return self(*inner, **options)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.__wrapped__, name)
        return FunctionShim(attribute) if isinstance(attribute, types.BuiltinMethodType) else attribute

    def __eq__(self, other: object) -> bool:
        return other is self or other == self.__wrapped__

    def __hash__(self) -> int:
        return hash(self.__wrapped__)

    def __reduce__(self) -> Any:
        return copy.copy, (self.__wrapped__,)  # which gives a function itself

    def __repr__(self) -> str:
        return repr(self.__wrapped__)


class UfuncShim(FunctionShim):
    """The same for a ufunc. Only lists are searched, and arrays go directly to the ufunc's recorder."""

    def __init__(self, original: np.ufunc) -> None:
        super().__init__(original)
        self._ufunc = original
        self._arrays = [Array] * original.nin

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        if not options and len(arguments) == 1 == len(self._arrays) and type(arguments[0]) is Scalar:
            return OF_FLOATS[self._ufunc](arguments[0])
        kinds = [*map(type, arguments)]
        if kinds == self._arrays and not options:
            return RECORDERS[self._ufunc](*arguments)
        if options or not _HOLD_NOTHING.issuperset(kinds):
            return super().__call__(*arguments, **options)
        if len(kinds) == len(self._arrays) and (of_numbers := OF_NUMBERS.get(kinds[0])) is not None:
            return of_numbers[self._ufunc](*arguments)
        recorded = (Array in kinds or View in kinds) and Scalar not in kinds and len(kinds) == len(self._arrays)
        return (RECORDERS[self._ufunc] if recorded else self._ufunc)(*arguments)


def _settled(x: Any) -> Any:
    """A list of recorded values as an array; an array that the program only created as a plain copy."""
    x = list_as_array(x)
    created = type(x) is Array and x.tape.rows[x.index][0] is ARRAY_CONSTANT
    return x._value.copy() if created else x


def attribute(module: types.ModuleType, name: str) -> Any:
    """The replacement of an attribute of NumPy or SciPy that is not a module; the attribute itself if there is none."""
    if module is np and name in OBJECTS:
        return OBJECTS[name]
    if module is np and name in array_creation.FUNCTIONS:
        return array_creation.FUNCTIONS[name]
    original = getattr(module, name)
    if isinstance(original, type) and name_of(original) not in SERVED:
        return TYPES.get(original) or INTEGER_TYPES.get(original, original)
    if isinstance(original, np.ufunc):
        return UfuncShim(original)
    if type(original).__name__ == "fortran":
        original = _of_f2py(f"{module.__name__}.{name}", original)
    return FunctionShim(original) if callable(original) and not isinstance(original, types.ModuleType) else original


def _of_f2py(full_name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """A function that f2py made, which does not know its name. No recorded argument reaches it.

    Each argument that it cannot convert costs NumPy a reference to the dtype, until the dtype itself is freed.
    """

    def function(*arguments: Any, **options: Any) -> Any:
        for x in (*arguments, *options.values()):
            if is_recorded(x):
                leak(x, full_name)
        return original(*arguments, **options)

    function.__module__, _, function.__name__ = full_name.rpartition(".")
    return function
