"""The kinds and shapes of values in the user's program, as far as derivatives are concerned."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import is_
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Literal

import numpy as np

from gradcli.answers.derivation.reading.user_functions import Closure, is_record_class
from gradcli.shared.frozen_record import Frozen

SEQUENCES = (list, tuple)


class KeptAxes(str):
    """The arguments of a sum over axes that are kept with a length of 1."""


# The sum that gives the sensitivity to an operand its shape, from that of the result to which it was broadcast:
# none, over all axes, over the first one, to a shape that is read at run time, or over axes that are kept.
Fit = Literal["", "all", "first", "to"] | KeptAxes


class ValueKind(Frozen):
    """The kind of a value.

    Args:
        name: `number`, a float; `array`, an array of floats; `list`, a list or tuple; `static`, an integer, a boolean,
            None, or a text in a list or record; `mixed`, the items of a list of several kinds; `other`, anything else.
        rank: the number of axes of an array.
        fields: the kinds of the items of a record, a dict with texts as keys or an object that only holds fields, or of
            a list of several kinds, by key.
        item: the kind of the items of a list; None for an empty list.
        function: the function of a list that holds the values of the variables that it captures.
        is_optional: whether it may be None, for a list or a record, and for None itself.
    """

    name: str
    rank: int = 0
    item: ValueKind | None = None
    fields: tuple[tuple[str | int, ValueKind], ...] = ()
    function: Any = None
    is_optional: bool = False

    @property
    def carries(self) -> bool:
        """Whether such a value can carry a derivative."""
        if self.name == "list":
            return self.item is None or self.item.carries
        if self.name == "record":
            return not self.fields or any(kind.carries for _, kind in self.fields)
        return self.name != "static"

    @property
    def is_real(self) -> bool:
        """Whether it consists of floats only."""
        if self.name == "list":
            return self.item is not None and self.item.is_real
        if self.name == "record":
            return any(kind.is_real for _, kind in self.fields)
        return self.name in ("number", "array", "mixed")

    def __str__(self) -> str:
        if self.name == "array":
            return f"array with {self.rank} axes" if self.rank != 1 else "array with 1 axis"
        if self.name == "list":
            plural = re.sub("^(array|list|.*)", r"\1s", str(self.item), count=1)
            return f"list of {plural}" if self.item else "empty list"
        return {"static": "plain value", "record": "dict", "other": "value of another type"}.get(self.name, self.name)


STATIC, NUMBER, OTHER = ValueKind("static"), ValueKind("number"), ValueKind("other")
NONE = ValueKind("static", is_optional=True)
MIXED = ValueKind("mixed")
ARRAYS = tuple(ValueKind("array", rank) for rank in range(65))  # by the number of axes
FUNCTIONS = (Closure, FunctionType, BuiltinFunctionType, np.ufunc)
MOST_FIELDS = 50  # of a record
DEEPEST = 8  # a value inside so many others is of no kind, as objects may refer to each other
PLAIN = {float, int, bool, np.float64, np.int64, type(None)}  # types of which all values are of one kind
KnownLists = dict[int, tuple[list[Any], ValueKind | None]]  # by identity: the items when they were seen, and their kind
Shapes = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]  # that of a value, and those of its operands
SETTLED = PLAIN | {tuple, np.ndarray}  # types of values that are of one kind for good


def kind_of(value: Any, depth: int = 0) -> ValueKind:
    """The kind of a value, which is inside of so many others."""
    if isinstance(value, (float, np.floating)):
        return NUMBER
    if isinstance(value, np.ndarray):
        if value.dtype.kind != "f":
            is_unset = value.dtype.kind == "O" and not value.ndim and value.item() is None  # np.zeros_like(None)
            return STATIC if value.dtype.kind in "iub" or is_unset else OTHER
        return ARRAYS[value.ndim] if value.ndim else NUMBER
    if type(value) is list or isinstance(value, tuple):
        types = set(map(type, value))
        item: ValueKind | None = None
        for element in (kind() for kind in types) if types <= PLAIN else value:  # a long list is examined at every use
            item = _item(item, _kind_of_item(element, depth + 1))
        is_mixed = item == MIXED and len(value) <= MOST_FIELDS
        return ValueKind("list", 0, item, tuple(enumerate(map(kind_of, value))) if is_mixed else (), None, False)
    if isinstance(value, FUNCTIONS) and isinstance(getattr(value, "__self__", None), (ModuleType, type(None))):
        captured = getattr(value, "captured", ())
        kinds = tuple(enumerate(map(kind_of, captured)))
        return ValueKind(
            "list", item=MIXED if kinds else STATIC, fields=kinds, function=getattr(value, "function", value)
        )
    if value is None or isinstance(value, (int, np.integer, np.bool_)):
        return NONE if value is None else STATIC
    held = fields_of(value) if depth < DEEPEST else None
    fields = tuple((key, _kind_of_item(element, depth + 1)) for key, element in (held or {}).items())
    is_record = held is not None and (held is value or all(kind != OTHER for _, kind in fields))
    return ValueKind("record", fields=fields) if is_record else OTHER


def kind_again(value: Any, known: KnownLists) -> ValueKind:
    """The kind of a value that may be known: of a long list, only items that it did not have before are examined.

    So a stack of n items costs n examinations, and not one of all items at each use.
    """
    if type(value) is not list or len(value) <= MOST_FIELDS or not set(map(type, value)) <= SETTLED:
        return kind_of(value)
    before, item = known.get(id(value), ([], None))
    if not all(map(is_, before, value)):
        before, item = [], None
    item = _item(item, kind_of(value[len(before) :]).item)
    known[id(value)] = list(value), item
    return ValueKind("list", 0, item, (), None, False)


def _kind_of_item(value: Any, depth: int) -> ValueKind:
    return STATIC if isinstance(value, str) else kind_of(value, depth)


def fields_of(value: Any) -> dict[str, Any] | None:
    """The fields of a dict with texts as keys, or of an object that only holds fields; None for other values."""
    made: Any = type(value)
    held = value if made is dict else getattr(value, "__dict__", None) if is_record_class(made) else None
    is_small = held is not None and len(held) <= MOST_FIELDS
    return held if is_small and held is not None and all(isinstance(key, str) for key in held) else None


def as_dicts(value: Any) -> Any:
    """A value with dicts in place of objects that only hold fields."""
    if isinstance(value, SEQUENCES):
        return (list if isinstance(value, list) else tuple)(map(as_dicts, value))
    held = fields_of(value)
    return value if held is None else {key: as_dicts(item) for key, item in held.items()}


def _item(one: ValueKind | None, other: ValueKind | None) -> ValueKind | None:
    """The kind of the items of a list; mixed for numbers next to lists, as on a stack."""
    if one is other or one is None or other is None:
        return one or other
    try:
        return merged(one, other)
    except ValueError:
        return MIXED


def merged(one: ValueKind | None, other: ValueKind | None) -> ValueKind:
    """The kind that covers both; an integer among floats counts as a float.

    Raises:
        ValueError: no kind covers both, as for a float and an array.
    """
    if one is other or one is None or other is None or one == other:
        known = other if one is None else one
        assert known is not None
        return known
    if one.function is not other.function:
        raise ValueError("one function and another")
    is_optional = one.is_optional or other.is_optional
    if one.name == other.name == "list":
        is_alike = len(one.fields) == len(other.fields)
        fields = _fields(one, other) if is_alike else ()
        return ValueKind("list", 0, _item(one.item, other.item), fields, one.function, is_optional)
    if one.name == other.name == "record":
        return ValueKind("record", fields=_fields(one, other), is_optional=is_optional)
    if MIXED in (one, other):
        return MIXED
    names = {one.name, other.name}
    if "other" in names:
        return OTHER
    if names == {"static", "number"}:
        return NUMBER
    if "static" in names:
        static, known = (one, other) if one.name == "static" else (other, one)
        if known.name == "list" and known.carries and not static.is_optional:
            raise ValueError(f"{one} and {other}")
        is_unset = static.is_optional and known.name in ("list", "record")
        return known.changed(is_optional=True) if is_unset else known
    raise ValueError(f"{one} and {other}")


def _fields(one: ValueKind, other: ValueKind) -> tuple[tuple[str | int, ValueKind], ...]:
    both, ours = dict(one.fields) | dict(other.fields), dict(one.fields)
    return tuple((key, merged(ours.get(key), kind)) for key, kind in both.items())


def items_in(value: Any) -> int:
    """About how many items of lists within lists there are to examine: as if all were as long as the first."""
    return len(value) * max(1, items_in(value[0])) if isinstance(value, SEQUENCES) and value else 0


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape of an array; () for other values."""
    return value.shape if isinstance(value, np.ndarray) else ()


def fit_of(shapes: Sequence[tuple[tuple[int, ...], tuple[int, ...]]]) -> Fit:
    """The sum that reduces each first shape to the second, the shapes of all runs.

    Where an axis had a length of 1 in them by accident, the program is found wrong at a point that lengthens it.
    """
    if all(not part and whole for whole, part in shapes) and shapes:
        return "all"
    if all(whole == part for whole, part in shapes):
        return ""
    return "first" if all(whole[1:] == part and part for whole, part in shapes) else "to"


def fit_of_run(whole: tuple[int, ...], part: tuple[int, ...]) -> Fit:
    """The same for the shapes of the one run that a program holds for."""
    return "" if whole == part else "to" if part else "all"
