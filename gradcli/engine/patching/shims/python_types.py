"""Replacements for Python's types, which keep recorded numbers recorded."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradcli.engine.tape.value import is_recorded, peek
from gradcli.engine.tape.values.scalar import as_number

TEXT_TYPES = frozenset((str, bytes, bytearray, np.str_, np.bytes_))


class ShimMeta(type):
    """The metaclass of replaced types. They behave like the original except for recorded values."""

    original: type
    arity = 1  # the number of arguments that may be recorded

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if "original" not in vars(cls):  # a class that the program derives from it
            return super().__call__(*arguments, **options)
        if 0 < len(arguments) <= cls.arity and any(map(cls.accepts, arguments)):  # type: ignore[attr-defined]
            return cls.converted(*arguments)  # type: ignore[attr-defined]
        if arguments and type(arguments[0]) in TEXT_TYPES:
            from gradcli.engine.tape.number_texts import reading

            reading(arguments[0])
        return cls.plain(*arguments, **options)

    def plain(cls, *arguments: Any, **options: Any) -> Any:
        """What the original makes of arguments that are not recorded, or that it does not accept."""
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
        if not isinstance(other, type):
            return NotImplemented  # then the `dtype` compares itself with the original
        return other is cls or other is vars(cls).get("original", cls)

    def __hash__(cls) -> int:
        return hash(cls.original) if "original" in vars(cls) else super().__hash__()

    def __repr__(cls) -> str:
        return repr(cls.original) if "original" in vars(cls) else super().__repr__()


class FloatShim(builtins.float, metaclass=ShimMeta):
    """The replacement of `float`."""

    original = builtins.float
    accepts = staticmethod(is_recorded)
    converted = staticmethod(as_number)


class ComplexShim(builtins.complex, metaclass=ShimMeta):
    """The replacement of `complex`."""

    original = builtins.complex
    arity = 2
    accepts = staticmethod(is_recorded)

    @staticmethod
    def converted(*parts: Any) -> Any:
        """The recorded complex number."""
        from gradcli.engine.tape.values.complex import complex_of

        return complex_of(*parts)


class TypeShim(type, metaclass=ShimMeta):
    """The replacement of `type`, which returns the type of a recorded value's number."""

    original = type

    @staticmethod
    def accepts(x: Any) -> bool:
        """Always True."""
        return True

    @staticmethod
    def converted(x: Any) -> Any:
        """The type of `x`, or its replacement."""
        kind = type(peek(x))
        return TypeShim if kind is ShimMeta else PYTHON_TYPES.get(kind, kind)


def original_of(x: Any) -> Any:
    """The original of a replaced type; anything else unchanged."""
    return vars(x).get("original", x) if type(x) is ShimMeta else x


TYPES: dict[Any, Any] = {}  # the replacements by original
INTEGER_TYPES: dict[Any, Any] = {}  # replaced only as attributes of `numpy`, because libraries hold them too


def register(types: Iterable[Any], table: dict[Any, Any] = TYPES) -> None:
    """Add replacements to a table, each under the name of its original."""
    for shim in types:
        original = shim.original
        shim.__name__, shim.__qualname__, shim.__module__ = original.__name__, original.__name__, original.__module__
        table[original] = shim


register((FloatShim, ComplexShim, TypeShim))
PYTHON_TYPES = dict(TYPES)
BUILT_IN = {original.__name__: shim for original, shim in PYTHON_TYPES.items()}
