"""The types of Python that are lent: they make recorded numbers of recorded ones, and else are the originals."""

from __future__ import annotations

import builtins
from collections.abc import Iterable
from typing import Any

from gradcli.tape.number_texts import reading
from gradcli.tape.value import is_recorded, peek
from gradcli.tape.values.complex import complex_of
from gradcli.tape.values.scalar import as_number


class Kind(type):
    """The type of a lent type, which is the original but for what it says of a recorded value."""

    original: type
    arity = 1  # the most arguments of which one may be recorded

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        if "original" not in vars(cls):  # a class that the program derives from it
            return super().__call__(*arguments, **options)
        if 0 < len(arguments) <= cls.arity and any(map(cls.takes, arguments)):  # type: ignore[attr-defined]
            return cls.keep(*arguments)  # type: ignore[attr-defined]
        if arguments:
            reading(arguments[0])
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
            return NotImplemented  # a `dtype` knows whether it is that of the original
        return other is cls or other is vars(cls).get("original", cls)

    def __hash__(cls) -> int:
        return hash(cls.original) if "original" in vars(cls) else super().__hash__()

    def __repr__(cls) -> str:
        return repr(cls.original) if "original" in vars(cls) else super().__repr__()


class LentFloat(builtins.float, metaclass=Kind):
    """Python's `float`."""

    original = builtins.float
    takes = staticmethod(is_recorded)
    keep = staticmethod(as_number)


class LentComplex(builtins.complex, metaclass=Kind):
    """Python's `complex`."""

    original = builtins.complex
    arity = 2
    takes = staticmethod(is_recorded)
    keep = staticmethod(complex_of)


class LentType(type, metaclass=Kind):
    """Python's `type`, which says of a recorded value what it says of its number."""

    original = type

    @staticmethod
    def takes(x: Any) -> bool:
        """It answers for every object."""
        return True

    @staticmethod
    def keep(x: Any) -> Any:
        """The type of `x`, or what is lent in its place."""
        kind = type(peek(x))
        return LentType if kind is Kind else PYTHONS.get(kind, kind)


def original_of(x: Any) -> Any:
    """The type that a lent one stands for; anything else as it is."""
    return vars(x).get("original", x) if type(x) is Kind else x


TYPES: dict[Any, Any] = {}  # those that are lent, by the original
WHOLE: dict[Any, Any] = {}  # those of whole numbers, lent as attributes of `numpy` alone: libraries hold them too


def lend(types: Iterable[Any], table: dict[Any, Any] = TYPES) -> None:
    """Put types of ours into a table, each under the name of the original."""
    for ours in types:
        original = ours.original
        ours.__name__, ours.__qualname__, ours.__module__ = original.__name__, original.__name__, original.__module__
        table[original] = ours


lend((LentFloat, LentComplex, LentType))
PYTHONS = dict(TYPES)
BUILT_IN = {original.__name__: ours for original, ours in PYTHONS.items()}
