"""Long loops of one length by turns, a strip of iterations each: what one stores, the next one reads from cache."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from copy import deepcopy
from functools import partial

from gradcli.answers.derivation.languages.c.loop_groups import Places, grouped, own_arrays
from gradcli.answers.derivation.languages.c.loop_tree import (
    CArray,
    CLoop,
    CStatement,
    Item,
    is_zeros,
    rename,
)
from gradcli.answers.derivation.languages.c.places import effects, rewrite

LONG = 4096  # iterations
STRIP, WIDEST = 1024, 16384  # iterations, and innermost iterations
PEELED = 3  # the most zeros before those that other loops of a strip write


def in_strips(items: list[Item], uses: Counter[str]) -> list[Item]:
    """The items of a block, with their long loops in strips where that keeps all results, apart from rounding.

    Args:
        items: the items.
        uses: how often the function uses each name.
    """
    if sum(isinstance(item, CLoop) and item.count >= LONG and not item.range for item in items) < 2:
        return items
    made = grouped([part for item in items for part in _aligned(item, items)], is_in_order)
    arrays = {item.name: item for item, _ in made if isinstance(item, CArray)}
    strips = [_strip(loops, arrays, uses) if len(loops) > 1 and loops[0].count >= LONG else None for _, loops in made]
    whole: list[Item] = []
    for (item, loops), strip in zip(made, strips, strict=True):
        whole += [strip] if strip else loops or [item]
    return [item for item in whole if not isinstance(item, CArray) or item.name in arrays]


def _aligned(item: Item, items: list[Item]) -> list[Item]:
    """Zeros in as many iterations as the next loop has that uses the array, after the rest; other items as they are."""
    name = is_zeros(item)
    if not isinstance(item, CLoop) or not name:
        return [item]
    loops = [loop for loop in items if isinstance(loop, CLoop) and loop is not item]
    users = [loop for loop in loops if name in effects([loop])]
    extra = item.count - users[0].count if users else 0
    if not 0 < extra <= PEELED:
        return [item]
    first: list[Item] = []
    for n in range(extra):
        part = deepcopy(item.body)
        rename(part, item.variable, str(n))
        first += part
    rename(item.body, item.variable, f"{item.variable} + {extra}")
    item.bound = CStatement(str(item.count - extra))
    return [*first, item]


def is_in_order(one: Places, other: Places) -> bool:
    """Whether an iteration of the second loop only needs iterations of the first one up to its own."""
    if all(place.kind == "+" for place, _ in (*one, *other)):
        return True
    for axis in range(min(len(place.at) for place, _ in (*one, *other))):
        first = [(place.kind, _offset(place.at[axis], variable)) for place, variable in one]
        second = [(place.kind, _offset(place.at[axis], variable)) for place, variable in other]
        if all(offset is not None for _, offset in (*first, *second)):
            return all(
                a >= b or not (kind or later) or kind == later == "+"  # type: ignore[operator]
                for kind, a in first
                for later, b in second
            )
    return False


def _offset(index: str, variable: str) -> int | None:
    """How far an index is from that of the iteration; None if that changes."""
    if index == variable:
        return 0
    match = re.fullmatch(rf"{variable} ([+-]) (\d+)", index)
    return int(match[1] + match[2]) if match else None


def _strip(loops: list[CLoop], arrays: dict[str, CArray], uses: Counter[str]) -> CLoop:
    """Loops by turns; arrays that they alone use, at the place of the iteration, have the length of a strip."""
    variable, count = loops[0].variable, loops[0].count
    length = max(8, min(STRIP, WIDEST // max(width(loop.body) for loop in loops)) // 8 * 8)
    begin, end = f"{variable}begin", f"{variable}end"
    body: list[Item] = [
        CStatement(f"const int {begin} = {length} * {variable}strip;"),
        CStatement(f"const int {end} = {begin} + {length} < {count} ? {begin} + {length} : {count};"),
    ]
    for name, axis in own_arrays(loops, arrays, uses):
        array = arrays.pop(name)
        array.shape = (*array.shape[:axis], length, *array.shape[axis + 1 :])
        body.append(array)
        within = partial(_replaced, axis=axis, index=f"{variable} - {begin}")
        for loop in loops:
            rewrite(loop.body, name, within)
    for n, loop in enumerate(loops):
        loop.range = (begin, end)
        rename(loop.body, variable, f"{variable}{n}_")
        loop.variable = f"{variable}{n}_"
    return CLoop(f"{variable}strip", CStatement(str(-(-count // length))), [*body, *loops], "")


def _replaced(at: tuple[str, ...], axis: int, index: str) -> tuple[str, ...]:
    return (*at[:axis], index, *at[axis + 1 :])


def width(body: Sequence[Item]) -> int:
    """The most iterations of the loops in a body."""
    return max((loop.count * width(loop.body) for loop in body if isinstance(loop, CLoop)), default=1)
