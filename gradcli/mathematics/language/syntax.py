"""The syntax tree of a formula: numbers, names and function applications, with iteration over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, TypeVar

from gradcli.shared.frozen_record import Frozen

T = TypeVar("T")

LIST = "[]"
"""The function of a list, `[x, y]`. That of an element is its index: `[0]`, `[1, -1]`."""


class Number(Frozen):
    """A numeric literal. `start` and `end` are columns of the text as typed, also in the other nodes."""

    value: int | float
    start: int = 0
    end: int = 0


class Name(Frozen):
    """An input or a constant."""

    id: str
    start: int = 0
    end: int = 0


class Apply(Frozen):
    """A function, by its canonical name, applied to its arguments."""

    function: str
    arguments: tuple[Syntax, ...]
    start: int = 0
    end: int = 0


Syntax: TypeAlias = Number | Name | Apply


def walk(tree: Syntax) -> Iterator[Syntax]:
    """Yield every node of `tree` in order of appearance, a function before its arguments."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Apply):
            waiting.extend(reversed(node.arguments))


def fold(tree: Syntax, leaf: Callable[[Number | Name], T], apply: Callable[[Apply, list[T]], T]) -> T:
    """Apply `leaf` to each leaf and `apply` to each function with its arguments' results, without recursion."""
    waiting: list[tuple[Syntax, bool]] = [(tree, False)]
    results: list[T] = []
    while waiting:
        node, ready = waiting.pop()
        if not isinstance(node, Apply):
            results.append(leaf(node))
        elif ready:
            first = len(results) - len(node.arguments)
            results[first:] = [apply(node, results[first:])]
        else:
            waiting.append((node, True))
            waiting.extend((argument, False) for argument in reversed(node.arguments))
    return results[0]


def input_names(tree: Syntax) -> tuple[str, ...]:
    """The names in `tree`, constants included, without repetition, in order of appearance."""
    appearing = sorted((node for node in walk(tree) if isinstance(node, Name)), key=lambda name: name.start)
    return tuple(dict.fromkeys(name.id for name in appearing))


def is_element(function: str) -> bool:
    """Whether a function takes an element: `[0]`, `[1, -1]`."""
    return function.startswith("[") and function != LIST


def is_zero(tree: Syntax) -> bool:
    """Whether a formula is the literal 0."""
    return isinstance(tree, Number) and tree.value == 0


def is_one(tree: Syntax) -> bool:
    """Whether a formula is the literal 1."""
    return isinstance(tree, Number) and tree.value == 1


def quotient(partial: Syntax) -> tuple[Syntax, Syntax | None]:
    """The numerator of a partial and its denominator, or None if it has none."""
    if isinstance(partial, Apply) and partial.function == "div":
        return partial.arguments[0], partial.arguments[1]
    return partial, None


def times(factor: str, partial: Syntax) -> Syntax:
    """Multiply a partial by a factor. For 1 and -1 that is the factor and its negative, for `1 / d` a division.

    In a quotient the division comes last, so that contributions that cancel are rounded alike, and a quotient that
    would underflow by itself does not.
    """
    numerator, denominator = quotient(partial)
    if isinstance(partial, Apply) and partial.function == "neg" and is_one(partial.arguments[0]):
        return Apply("neg", (Name(factor),))
    product = Name(factor) if is_one(numerator) else Apply("mul", (Name(factor), numerator))
    return product if denominator is None else Apply("div", (product, denominator))
