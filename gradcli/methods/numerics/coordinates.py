"""The numbers of a point as single coordinates: their names and values, and points with changed numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

import numpy as np

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import labelled, leaves, map_leaves

HALVES = ("real", "imag")
SUBSCRIPTS = re.compile(r"(\[\d+\])+$")


class Coordinate(Frozen):
    """One real number of a point: `x`, `x[0]`, `w[2,1]`, `params.b` or `z[1].imag`. A complex number is two of them.

    Attributes:
        name: the name as the user would write it.
        input: the name of the input that it belongs to.
        number: its position among all numbers of the point.
        leaf: the position of its number or array among those of the point.
        place: the index in the array; empty for a number.
        value: the number itself.
        half: `real` or `imag` for one of the two parts of a complex number.
    """

    name: str
    input: str
    number: int
    leaf: int
    place: tuple[int, ...]
    value: float
    half: str = ""

    @property
    def array(self) -> int | str:
        """What it shares with the other numbers of its array, or of its list of numbers, however nested."""
        return self.leaf if self.place else SUBSCRIPTS.sub("", self.name.removesuffix(f".{self.half}"))


def coordinates(point: Mapping[str, Any], wanted: Iterable[str] | None = None) -> list[Coordinate]:
    """The coordinates of the inputs `wanted` of `point`, in order; of all inputs by default."""
    every: list[Coordinate] = []
    chosen: list[Coordinate] = []
    labels = ((name, *leaf) for name, structure in point.items() for leaf in labelled(name, structure))
    for leaf, (name, label, value) in enumerate(labels):
        first = len(every)
        every += [
            Coordinate(label + end, name, number, leaf, place, x, half)
            for number, (end, place, x, half) in enumerate(_numbers(value), first)
        ]
        if wanted is None or name in wanted:
            chosen += every[first:]
    return chosen


def _numbers(value: Any) -> Iterator[tuple[str, tuple[int, ...], float, str]]:
    """The real numbers in a number or an array: the suffix of the name, the index, the number, and its half."""
    numbers = np.asarray(value)
    places = np.ndindex(numbers.shape)
    if numbers.dtype.kind in "fiub":  # all at once, since there may be a million
        yield from ((subscript(place), place, float(x), "") for place, x in zip(places, numbers.flat, strict=True))
        return
    for place in places:
        for half, number in real_and_imaginary(numbers[place]):
            yield subscript(place) + (f".{half}" if half else ""), place, number, half


def real_and_imaginary(number: Any) -> Iterator[tuple[str, float]]:
    """The real and imaginary parts of a complex number, with their names; a real number with an empty name."""
    if np.iscomplexobj(number):
        yield from ((half, float(getattr(number, half))) for half in HALVES)
    else:
        yield "", float(number)


def subscript(place: tuple[int, ...]) -> str:
    """An index such as `[2,1]`; an empty string for a number."""
    return f"[{','.join(map(str, place))}]" if place else ""


def pick(gradient: Sequence[Any], coordinate: Coordinate) -> float:
    """The component of `coordinate` in the leaves of a gradient that has the structure of the point.

    The gradient by a complex number holds the derivative by its real part, and as its imaginary part the derivative by
    its imaginary part.
    """
    number = np.asarray(gradient[coordinate.leaf])[coordinate.place]
    return float(getattr(number, coordinate.half) if coordinate.half else number)


def number_count(value: Any) -> int:
    """The number of real numbers in a value."""
    return int(np.size(value)) * (2 if np.iscomplexobj(value) else 1)


def copied(structure: Any) -> Any:
    """A structure with copies of its arrays."""
    kind = type(structure)
    if kind is float:
        return structure
    if kind is list or kind is tuple:
        return kind([item if type(item) is float else copied(item) for item in structure])
    return map_leaves(lambda leaf: leaf.copy() if isinstance(leaf, np.ndarray) else leaf, structure)


def arguments_along(point: Mapping[str, Any], direction: Mapping[int, Any], t: float) -> list[Any]:
    """The arguments at the point plus `t` times a direction, which is given for some of the leaves."""
    number = count()

    def move(leaf: Any) -> Any:
        step = direction.get(next(number))
        there = leaf if step is None else leaf + t * step
        return there.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(there)

    return [map_leaves(move, structure) for structure in point.values()]


def arguments_with_number(point: Mapping[str, Any], coordinate: Coordinate, value: float | complex) -> list[Any]:
    """The arguments at the point with one number replaced, possibly by a complex one; arrays are copied."""
    return with_number(point, leaves(list(point.values())), coordinate, value)


def with_number(
    point: Mapping[str, Any], numbers: Sequence[Any], coordinate: Coordinate, value: float | complex
) -> list[Any]:
    """`arguments_with_number`, where the leaves of the point are known as `numbers`."""
    changed = [leaf.copy() if isinstance(leaf, np.ndarray) else leaf for leaf in numbers]
    changed[coordinate.leaf] = _with_value(numbers[coordinate.leaf], coordinate, value)
    following = partial(next, iter(changed))  # called with a leaf of the point, which is what `next` gives at the end
    return [map_leaves(following, structure) for structure in point.values()]


def _with_value(leaf: Any, coordinate: Coordinate, value: Any) -> Any:
    """A number, or a copied array, with one of its numbers replaced."""
    if not coordinate.half and not coordinate.place and not isinstance(leaf, np.ndarray):
        return value if isinstance(value, complex) else type(leaf)(value)
    changed = np.array(leaf, complex if isinstance(value, complex) else None)
    (getattr(changed, coordinate.half) if coordinate.half else changed)[coordinate.place] = value
    return changed if isinstance(leaf, np.ndarray) else type(leaf)(changed[()])
