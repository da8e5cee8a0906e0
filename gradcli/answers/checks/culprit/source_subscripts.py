"""The elements that one visit to a line reads, as its source has them: `u[i+1]` for `u[2]` where `i` is 1."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import permutations, product
from typing import Any

import numpy as np

from gradcli.engine.traces.node import TraceNode

MOST_ELEMENTS = 5
STEPS = (1, -1, 2, -2)  # distances of an element that is taken for another, as `x[i - 1]` for `x[i + 1]`
NO_SUBSCRIPTS: tuple[dict[str, str], dict[str, int]] = ({}, {})
_ASSIGNED = re.compile(r"[\w\s,.\[\]+-]*(?<![=<>!])=(?!=)")
_SUBSCRIPT = re.compile(r"(?<![\w.])([^\W\d]\w*)\[([^][]+(?:\]\[[^][]+)*)\]")
_INDEX = re.compile(r"\s*(?P<name>[^\W\d]\w*(?=\s*(?:[+-]|$)))?\s*(?P<offset>[+-]?\s*\d+)?\s*")

Indices = tuple[tuple[str, int], ...]  # for each, a name, or none, and a number that is added to it


@lru_cache(maxsize=256)
def subscripts(text: str) -> dict[str, tuple[str, Indices]]:
    """The subscripts of names in a text whose indices are numbers, or names plus numbers: array and indices by text."""
    read = {}
    for match in _SUBSCRIPT.finditer(text):
        parts = [_INDEX.fullmatch(part) for part in re.split(r",|\]\[", match[2])]
        indices = [(part["name"] or "", int((part["offset"] or "0").replace(" ", ""))) for part in parts if part]
        if len(indices) == len(parts):
            read[match[0]] = match[1], tuple(indices)
    return read


def as_in_source(statement: str, elements: Sequence[str], *, in_order: bool) -> tuple[dict[str, str], dict[str, int]]:
    """The text in a statement of each element that a visit to it reads, and the values of the names in its indices.

    Both are empty if the subscripts of the statement read these elements in several ways, or in none. If the elements
    are `in_order` of their reading, the first way counts.
    """
    known = {text: part for element in elements for text, part in subscripts(element).items()}
    arrays = {array for array, _ in known.values()}
    read = subscripts(_ASSIGNED.sub("", statement, count=1))
    wanted = {text: part for text, part in read.items() if part[0] in arrays}
    if len(wanted) != len(known) or len(known) > MOST_ELEMENTS:
        return NO_SUBSCRIPTS
    ways = [*_ways(wanted, known)]
    return ways[0] if len(ways) == 1 or (ways and in_order) else NO_SUBSCRIPTS


def _ways(
    wanted: dict[str, tuple[str, Indices]], known: dict[str, tuple[str, Indices]]
) -> Iterator[tuple[dict[str, str], dict[str, int]]]:
    for order in permutations(known):
        values: dict[str, int] = {"": 0}
        pairs = [(wanted[text], known[element]) for text, element in zip(wanted, order, strict=True)]
        if all(
            array == other
            and len(indices) == len(numbers)
            and all(values.setdefault(x, n - d) == n - d for (x, d), (_, n) in zip(indices, numbers, strict=True))
            for (array, indices), (other, numbers) in pairs
        ):
            yield dict(zip(order, wanted, strict=True)), {x: n for x, n in values.items() if x}


def moved_subscript(text: str, axis: int, step: int) -> str:
    """The text of an element with one index moved: `u[i-1]` for `u[i+1]`; in words where the text has no such index."""
    if text not in (read := subscripts(text)):
        return f"the element {step:+d} from it"
    array, indices = read[text]
    moved = [(name, offset + step * (n == axis)) for n, (name, offset) in enumerate(indices)]
    texts = [f"{name}{offset:+d}" if name and offset else name or str(offset) for name, offset in moved]
    return f"{array}[{', '.join(texts)}]"


def moved_elements(node: TraceNode) -> Iterator[tuple[int, int, Callable[[Any], Any]]]:
    """The elements that may be taken for the one that a step reads: an axis, a step along it, and the reading."""
    key = node.static.get("key")
    axes = len(key) if isinstance(key, tuple) else 1
    for axis, step in product(range(axes), STEPS) if key is not None and node.rule is not None else ():
        if (shifted := _shifted(key, axis, step)) is not None:
            yield axis, step, partial(node.rule, **{**node.static, "key": shifted})


def _shifted(key: Any, axis: int, step: int) -> Any:
    """An index moved along an axis; None where that is not possible. A small index may move to the end, as in code."""
    if isinstance(key, tuple):
        part = _shifted(key[axis], 0, step)
        return None if part is None else (*key[:axis], part, *key[axis + 1 :])
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool) and (key >= 0 or key + step < 0):
        return int(key) + step
    if isinstance(key, np.ndarray) and key.dtype.kind == "i" and np.all((key >= 0) == (key + step >= 0)):
        return key + step
    return None
