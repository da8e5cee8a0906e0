"""Arrays in C as expressions of their indices."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Sequence

from gradcli.answers.derivation.languages.c.terms import CTerm, infix, number
from gradcli.mathematics.language.formula_text import PRODUCT, SUM
from gradcli.shared.frozen_record import Frozen

Index = CTerm
ZERO = CTerm("0", type="int")


class RunTimeLength(int):
    """The length of an axis that changes: as a whole number the largest, and the term of what it is at this time."""

    term: CTerm

    def __new__(cls, largest: int, term: CTerm) -> RunTimeLength:
        made = super().__new__(cls, largest)
        made.term = term
        return made


At = Callable[[Sequence[Index]], CTerm]


class ArrayByIndex(Frozen, eq=False):
    """An array as an expression of its indices.

    Args:
        shape: the lengths of its axes, which may be `RunTimeLength`.
        at: returns the element at given indices.
        straight: the variables that it reads at the same indices only.
        crossed: the variables that it reads at other indices as well.
    """

    shape: tuple[int, ...]
    at: At
    straight: frozenset[str] = frozenset()
    crossed: frozenset[str] = frozenset()

    @property
    def names(self) -> frozenset[str]:
        """The variables that it reads."""
        return self.straight | self.crossed

    def moved(self, shape: tuple[int, ...], at: At) -> ArrayByIndex:
        """The same elements at other indices."""
        return ArrayByIndex(shape, at, frozenset(), self.names)


def brackets(at: Sequence[Index]) -> str:
    """Indices in C syntax."""
    return "".join(f"[{index.text}]" for index in at)


def broadcast(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    """The broadcast shape of two shapes."""
    length = max(len(one), len(other))
    pairs = zip((1,) * (length - len(one)) + one, (1,) * (length - len(other)) + other, strict=True)
    return tuple(a if b == 1 or isinstance(a, RunTimeLength) else b for a, b in pairs)


def length_term(length: int) -> CTerm:
    """The length of an axis."""
    return length.term if isinstance(length, RunTimeLength) else number(length)


def size_term(shape: Sequence[int]) -> CTerm:
    """The number of elements of an array."""
    term = number(math.prod(length for length in shape if not isinstance(length, RunTimeLength)))
    for length in shape:
        if isinstance(length, RunTimeLength):
            term = length.term if term.text == "1" else infix("*", term, length.term, PRODUCT, "int")
    return term


def fitted(indices: Sequence[Index], shape: tuple[int, ...]) -> list[Index]:
    """The indices of an array that was broadcast."""
    own = indices[len(indices) - len(shape) :]
    return [ZERO if length == 1 else index for index, length in zip(own, shape, strict=True)]


def transposed(source: ArrayByIndex) -> ArrayByIndex:
    """An array with its axes in the opposite order."""
    if len(source.shape) < 2:
        return source
    return source.moved(source.shape[::-1], lambda at: source.at(list(at)[::-1]))


def offset(start: Index, index: Index, step: int) -> Index:
    """The index `start + index * step`."""
    if index.text == "0":
        return start
    moved = index if abs(step) == 1 else infix("*", number(abs(step)), index, PRODUCT, "int")
    if step < 0:
        return infix("-", start, moved, SUM, "int")
    return moved if start.text == "0" else infix("+", moved, start, SUM, "int")


def flat(at: Sequence[Index], shape: tuple[int, ...]) -> Index:
    """The position in row-major order for given indices."""
    position = ZERO
    for index, length in zip(at, shape, strict=True):
        above = infix("*", number(length), position, PRODUCT, "int")
        position = index if position.text == "0" else infix("+", above, index, SUM, "int")
    return position


def split(place: Index, shape: tuple[int, ...]) -> list[Index]:
    """The indices for a position in row-major order."""
    indices: list[Index] = []
    for n, length in enumerate(shape):
        below = math.prod(shape[n + 1 :])
        part = place if below == 1 else infix("/", place, number(below), PRODUCT, "int")
        indices.append(part if n == 0 else infix("%", part, number(length), PRODUCT, "int"))
    return indices


def is_whole_slice(node: ast.Slice) -> bool:
    """Whether a slice covers its whole axis."""
    return node.lower is None and node.upper is None and node.step is None
