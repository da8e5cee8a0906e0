"""Types and sizes of values of a derived program in C, with known integers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.shared.frozen_record import Frozen


class SizedNumber(Frozen):
    """A `double`, an `int` or a boolean, which is an `int` in C; integers and booleans may be known."""

    type: str
    known: int | None = None


class SizedArray(Frozen):
    """An array of numbers of one type.

    Attributes:
        shape: the lengths of its axes.
        lists: how many of its first axes are nested lists.
        varying: the axes that have other lengths at other times, of which `shape` has the largest.
    """

    shape: tuple[int, ...]
    type: str = "double"
    lists: int = 0
    varying: frozenset[int] = frozenset()

    @property
    def item(self) -> Value:
        """An item along the first axis."""
        if len(self.shape) == 1:
            return SizedNumber(self.type)
        varying = frozenset(axis - 1 for axis in self.varying if axis)
        return SizedArray(self.shape[1:], self.type, max(self.lists - 1, 0), varying)


class SizedTuple(Frozen):
    """A tuple, whose parts are separate variables."""

    parts: tuple[Value, ...]


class UnknownSize(Frozen):
    """None, or an item popped from a stack, whose type is that of the variable that receives it."""

    is_none: bool


class GrowingList:
    """A list that is appended to or popped from; the only mutable value.

    Attributes:
        items: its items; None if the length is unknown.
        widths: the number of elements that each item takes at most; if the length is unknown, that of all items alone.
        now: their sum.
        most: the maximum number of elements it ever held.
    """

    def __init__(self, items: Sequence[Value] | None, widths: Sequence[int] | None = None, most: int = 0) -> None:
        self.items = None if items is None else list(items)
        self.widths = list(map(width, items or ()) if widths is None else widths)
        self.now = sum(self.widths)
        self.most = max(most, self.now)

    def append(self, value: Value, elements: int) -> None:
        """Append a value that takes so many elements."""
        if self.items is not None:
            self.items.append(value)
        self.widths.append(elements)
        self.now += elements
        self.most = max(self.most, self.now)

    def pop(self) -> Value:
        """Remove and return the last value."""
        if self.items is None:
            return POPPED
        self.now -= self.widths.pop()
        return self.items.pop()

    def copy(self) -> GrowingList:
        """An independent copy."""
        return GrowingList(self.items, self.widths, self.most)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GrowingList):
            return False
        return (self.items, self.widths, self.most) == (other.items, other.widths, other.most)

    __hash__ = None  # type: ignore[assignment]


Value = SizedNumber | SizedArray | SizedTuple | UnknownSize | GrowingList
DOUBLE, INT, TRUTH = SizedNumber("double"), SizedNumber("int"), SizedNumber("truth")
NONE, POPPED = UnknownSize(is_none=True), UnknownSize(is_none=False)
ORDER = ("truth", "int", "double")


class MixedError(Exception):
    """Raised for two values that one C variable cannot hold."""


def width(value: Value) -> int:
    """The number of elements that a value takes on a stack."""
    if isinstance(value, SizedArray):
        return math.prod(value.shape)
    return sum(map(width, value.parts)) if isinstance(value, SizedTuple) else 1


def joined(one: Value, other: Value) -> Value:
    """A value that covers both.

    Raises:
        MixedError: no value covers both, as for arrays of different shapes.
    """
    if one == other:
        return one
    if isinstance(one, UnknownSize) or isinstance(other, UnknownSize):
        return other if isinstance(one, UnknownSize) else one
    if isinstance(one, SizedNumber) and isinstance(other, SizedNumber):
        return SizedNumber(max(one.type, other.type, key=ORDER.index))
    if isinstance(one, SizedArray) and isinstance(other, SizedArray) and one.shape == other.shape:
        type_ = max(one.type, other.type, key=ORDER.index)
        varying = one.varying | other.varying
        return SizedArray(one.shape, type_, min(one.lists, other.lists), varying)
    if isinstance(one, SizedTuple) and isinstance(other, SizedTuple) and len(one.parts) == len(other.parts):
        return SizedTuple(tuple(map(joined, one.parts, other.parts)))
    if isinstance(one, GrowingList) and isinstance(other, GrowingList):
        return _joined_lists(one, other)
    raise MixedError(f"{described(one)} and {described(other)}")


def covering(one: Value, other: Value) -> Value:
    """A value for an expression that has one value at one time and another one at another time.

    Raises:
        MixedError: there is none, as for arrays of different ranks.
    """
    if isinstance(one, SizedTuple) and isinstance(other, SizedTuple) and len(one.parts) == len(other.parts):
        return SizedTuple(tuple(map(covering, one.parts, other.parts)))
    if not isinstance(one, SizedArray) or not isinstance(other, SizedArray) or one.shape == other.shape:
        return joined(one, other)
    if len(one.shape) != len(other.shape) or one.lists or other.lists:
        raise MixedError(f"{described(one)} and {described(other)}")
    pairs = list(zip(one.shape, other.shape, strict=True))
    varying = frozenset(axis for axis, (a, b) in enumerate(pairs) if a != b)
    shape = tuple(map(max, pairs))
    return joined(one.changed(shape=shape, varying=one.varying | varying), other.changed(shape=shape))


def _joined_lists(one: GrowingList, other: GrowingList) -> GrowingList:
    most = max(one.most, other.most)
    if one.items is not None and other.items is not None and len(one.items) == len(other.items):
        with suppress(MixedError):
            items = list(map(joined, one.items, other.items))
            return GrowingList(items, list(map(max, one.widths, other.widths)), most)
    return GrowingList(None, [max(one.now, other.now)], most)


def described(value: Value) -> str:
    """A description of a value."""
    if isinstance(value, SizedNumber):
        return {"double": "a number", "int": "a whole number", "truth": "a truth"}[value.type]
    if isinstance(value, SizedArray):
        return f"an array of shape {value.shape}"
    return {SizedTuple: "a tuple", UnknownSize: "None", GrowingList: "a list that grows"}[type(value)]


def type_of(kind: Value) -> str:
    """The C type of a variable, or of the elements of an array."""
    return "int" if isinstance(kind, (SizedNumber, SizedArray)) and kind.type != "double" else "double"


def declared(kind: SizedArray, name: str) -> str:
    """The declaration of an array: `double x[2][3]`."""
    return f"{type_of(kind)} {name}{''.join(f'[{max(n, 1)}]' for n in kind.shape)}"


def truth_of(value: Value) -> bool | None:
    """The outcome of a condition; None if the sizes do not decide."""
    if isinstance(value, SizedNumber):
        return None if value.known is None else bool(value.known)
    if isinstance(value, GrowingList):
        return None if value.items is None else bool(value.items)
    if isinstance(value, SizedArray):
        return bool(value.shape[0]) if value.lists else None
    return False if value == NONE else None


def is_decided(value: Value) -> bool:
    """Whether the sizes decide a value."""
    if isinstance(value, SizedTuple):
        return all(map(is_decided, value.parts))
    if isinstance(value, GrowingList):
        return value.items is not None
    return value.known is not None if isinstance(value, SizedNumber) else value == NONE


def stand_in(value: Value) -> Any:
    """A Python value of a type and of sizes."""
    if isinstance(value, SizedArray):
        kind = {"double": float, "int": int, "truth": bool}[value.type]
        made: Any = np.broadcast_to(np.asarray(0, kind), value.shape)  # of any size at no cost
        return listed(made, value.lists)
    if isinstance(value, SizedNumber):
        if value.known is not None:
            return bool(value.known) if value.type == "truth" else value.known
        return {"double": np.float64(1.0), "int": np.int64(0), "truth": np.bool_(True)}[value.type]
    if isinstance(value, SizedTuple):
        return tuple(map(stand_in, value.parts))
    if isinstance(value, GrowingList):
        return list(map(stand_in, value.items if value.items is not None else [DOUBLE] * (value.most + 2)))
    return None


def listed(array: Any, depth: int) -> Any:
    """An array with so many of its first axes as nested lists."""
    return [listed(row, depth - 1) for row in array] if depth else array


def list_depth(value: Any) -> int:
    """How many of the first axes of a value are lists or tuples."""
    return 1 + list_depth(value[0]) if isinstance(value, (list, tuple)) and value else 0
