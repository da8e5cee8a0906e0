"""Loops of one length made one loop, and arrays that one loop makes and reads made numbers of its iterations.

Statements change places only where none of them writes what the other reads or writes, so that every number is computed
from the same numbers as before, by the same operations.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from itertools import count

from gradcli.answers.derivation.languages.c.loop_groups import Suits, grouped, is_of_one_iteration, own_arrays
from gradcli.answers.derivation.languages.c.loop_strips import LONG, in_strips, width
from gradcli.answers.derivation.languages.c.loop_tree import (
    CArray,
    CBlock,
    CLoop,
    CStatement,
    Item,
    distinct_loops,
    lines_in,
)
from gradcli.answers.derivation.languages.c.places import Access, accesses, effects, rewrite
from gradcli.answers.derivation.languages.c.written_loops import Labels, written

DECLARED_ALONE = re.compile(r"(double|int) (\w+);$")
VECTORS = re.compile(r"\b(?:exp|log|sin|cos|tan|tanh|cosh|sinh|log1p|expm1|atan|erf)\(")
SHORT = 32  # iterations
BARRIERS = re.compile(r"(?:assert\(|return\b|break;)")


def fused_lines(
    items: list[Item], taken: Iterable[str], results: Collection[str] = (), *, vectorized: bool
) -> list[str]:
    """The lines of a function with its loops fused.

    Args:
        items: the statements of its body, which are changed.
        taken: the names in use, other than those of indices.
        results: the arrays that are parameters, which are not declared.
        vectorized: whether the sums of innermost loops may be added in any order, as a pragma of OpenMP's says.
    """
    items = distinct_loops(items)
    items = [item for item in items if not (isinstance(item, CArray) and item.name in results)]
    uses = Counter(access.name for line in lines_in(items) for access in accesses(line.text))
    return list(
        written(_fused(items, uses, vectorized), "    ", Labels(frozenset(taken), frozenset(), vectorized, count(1)))
    )


def _fused(items: list[Item], uses: Counter[str], is_vectorized: bool) -> list[Item]:
    """The items of a block, and of the blocks in it, with their loops fused."""
    suits = _keeps_vectors if is_vectorized else bool
    made = _by_sections(_interchanged(_without_single_axes(items)), partial(_section, suits=suits))
    made = _bound_at_first_use(_contracted(made, uses))
    made = _by_sections(made, lambda section: in_strips(section, uses)) if is_vectorized else made
    for item in made:
        if isinstance(item, CLoop):
            item.body = _fused(item.body, uses, is_vectorized)
        elif isinstance(item, CBlock):
            item.parts = [(head, _fused(body, uses, is_vectorized)) for head, body in item.parts]
    return made


def _by_sections(items: list[Item], change: Callable[[list[Item]], list[Item]]) -> list[Item]:
    """The items, changed from one where the function or a loop may end to the next."""
    made: list[Item] = []
    section: list[Item] = []
    for item in items:
        if _is_barrier(item):
            made += [*change(section), item]
            section = []
        else:
            section.append(item)
    return [*made, *change(section)]


def _interchanged(items: list[Item]) -> list[Item]:
    """The items, with loops around one sum in the order in which its arrays are stored: a sum adds in any order."""
    for item in items:
        nest: list[CLoop] = []
        inner: list[Item] = [item]
        while len(inner) == 1 and isinstance(inner[0], CLoop):
            nest.append(inner[0])
            inner = inner[0].body
        if (
            len(nest) > 1
            and all(loop.bound.text.isdigit() for loop in nest)
            and all(isinstance(line, CStatement) for line in inner)
        ):
            places, outer = [place for line in lines_in(inner) for place in accesses(line.text)], effects([item])
            if [place.kind for place in places if place.kind and place.name in outer] == ["+"]:
                order = sorted(nest, key=lambda loop: _depth(loop.variable, places))
                kept = [(loop.variable, loop.bound, loop.label) for loop in order]
                for loop, of_loop in zip(nest, kept, strict=True):
                    loop.variable, loop.bound, loop.label = of_loop
    return items


def _depth(variable: str, places: Iterable[Access]) -> float:
    """How far inside the arrays of some places a variable stands: 0 for the first axis, 1 for the last."""
    at = [
        n / max(1, len(place.at) - 1) if len(place.at) > 1 else 1.0
        for place in places
        for n, index in enumerate(place.at)
        if variable in index
    ]
    return sum(at) / len(at) if at else 0.0


def _is_barrier(item: Item) -> bool:
    """Whether the function may end within an item, or a loop at it."""
    return any(BARRIERS.match(line.text) for line in lines_in([item]))


def _section(items: list[Item], suits: Suits) -> list[Item]:
    """Items without barriers, with their loops fused."""
    return [_one_loop(loops) if loops else item for item, loops in grouped(items, is_of_one_iteration, suits)]


def _keeps_vectors(loops: Sequence[CLoop]) -> bool:
    """Whether no loop that calls vector functions joins short loops, among which they would be called one by one."""
    inner = [part for loop in loops for part in loop.body if isinstance(part, CLoop)]
    calls = any(isinstance(part, CStatement) and VECTORS.search(part.text) for loop in loops for part in loop.body)
    return not calls or not inner or (width(inner) >= SHORT and loops[0].count < LONG)


def _one_loop(loops: list[CLoop]) -> CLoop:
    first = loops[0]
    for other in loops[1:]:
        if other.comments and other.body:
            other.body[0].comments[:0] = other.comments
        first.body += other.body
    return first


def _without_single_axes(items: list[Item]) -> list[Item]:
    """The items, with axes of length 1 taken from the arrays that they declare."""
    for array in [item for item in items if isinstance(item, CArray)]:
        places = [place for line in lines_in(items) for place in accesses(line.text) if place.name == array.name]
        for axis in reversed(range(len(array.shape))):
            if array.shape[axis] == 1 and all(len(place.at) > axis and place.at[axis] == "0" for place in places):
                _drop_axis(array, axis, items)
        if not array.shape:
            items[items.index(array)] = CStatement(f"{array.type} {array.name};", array.name)
    return items


def _drop_axis(array: CArray, axis: int, items: list[Item]) -> None:
    rewrite(items, array.name, lambda at: (*at[:axis], *at[axis + 1 :]))
    array.shape = (*array.shape[:axis], *array.shape[axis + 1 :])


def _contracted(items: list[Item], uses: Counter[str]) -> list[Item]:
    """The items, with the arrays that only one loop uses, at the place of the iteration, declared in that loop."""
    arrays = {item.name: item for item in items if isinstance(item, CArray)}
    if not arrays:
        return items
    for loop in [item for item in items if isinstance(item, CLoop)]:
        for name, axis in own_arrays([loop], arrays, uses):
            array = arrays.pop(name)
            _drop_axis(array, axis, loop.body)
            loop.body.insert(0, array)
    return [item for item in items if not isinstance(item, CArray) or item.name in arrays]


def _bound_at_first_use(items: list[Item]) -> list[Item]:
    """The items, with each number that has only been declared declared where it is set first."""
    waiting: dict[str, CStatement] = {}
    for item in items:
        if isinstance(item, CStatement) and (match := DECLARED_ALONE.match(item.text)):
            waiting[match[2]] = item
            continue
        for name in [name for name in effects([item]) if name in waiting] if waiting else ():
            line = waiting.pop(name)
            if isinstance(item, CStatement) and item.text.startswith(f"{name} = "):
                later = items[next(n for n, other in enumerate(items) if other is item) + 1 :]
                is_set_again = any(place.kind for place in effects(later).get(name, ()))
                item.text = f"{'' if is_set_again else 'const '}{line.text[:-1]}{item.text[len(name) :]}"
                line.text = ""
    return [item for item in items if not isinstance(item, CStatement) or item.text]
