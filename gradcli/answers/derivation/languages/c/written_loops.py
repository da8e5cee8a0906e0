"""The lines of a tree of loops: names of indices, declarations where arrays are used first, and vectorized sums."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gradcli.answers.derivation.languages.c.loop_tree import (
    CArray,
    CBlock,
    CLoop,
    CStatement,
    Item,
    is_zeros,
    items_in,
    lines_in,
    rename,
)
from gradcli.answers.derivation.languages.c.places import Access, accesses, effects
from gradcli.answers.derivation.languages.c.terms import INDEX_NAMES

# GCC 12 reads wrong elements where it vectorizes a loop that adds elements in another order than theirs to one number
# several times. It does not vectorize a loop with this statement, nor a file with this beginning.
IN_ORDER = '__asm__("");'
FILE_IN_ORDER = (
    "#if defined(__GNUC__) && !defined(__clang__) /* GCC 12 vectorizes a loop below wrongly */",
    '#pragma GCC optimize("no-tree-vectorize")',
    "#endif",
)
ADDED = re.compile(r"(\w+(?:\[[^=]*\])?) (?:[+-]=|= \1 [+-]) ")


class Labels(NamedTuple):
    """The names in use, those of the indices of the loops around a line, and whether sums are vectorized.

    `numbers` are those of the variables in which the sums of the function are added up.
    """

    taken: frozenset[str]
    active: frozenset[str]
    vectorized: bool
    numbers: Iterator[int]

    def within(self, *names: str) -> Labels:
        """Those inside of a loop."""
        return self._replace(active=self.active.union(names))

    def free(self) -> str:
        """The name of another index."""
        return next(label for label in INDEX_NAMES if label not in self.taken and label not in self.active)


def written(items: Sequence[Item], indent: str, labels: Labels) -> Iterator[str]:
    """Yield the lines of items, with each array declared where it is used first."""
    arrays = {item.name: item for item in items if isinstance(item, CArray)}
    for item in items:
        if isinstance(item, CArray):
            continue
        yield from (indent + comment for comment in item.comments)
        used = [name for name in effects([item]) if name in arrays] if arrays else []
        texts = [arrays.pop(name).text for name in used]
        if texts and used[0] == is_zeros(item):
            yield f"{indent}{texts[0][:-1]} = {{0}};"
            continue
        yield from (indent + text for text in texts)
        yield from _lines_of(item, indent, labels)


def _lines_of(item: Item, indent: str, labels: Labels) -> Iterator[str]:
    if isinstance(item, CLoop):
        yield from _lines_of_loop(item, indent, labels)
    elif isinstance(item, CBlock):
        for head, body in item.parts:
            yield indent + head.text
            yield from written(body, indent + "    ", labels.within(item.variable))
            if item.variable and _is_chain(body, item.variable, labels, is_backward="--" in head.text):
                yield f"{indent}    {IN_ORDER}"
        yield indent + "}"
    elif isinstance(item, CStatement):
        yield indent + item.text


def _lines_of_loop(loop: CLoop, indent: str, labels: Labels) -> Iterator[str]:
    label = loop.label if loop.label and loop.label not in labels.active else labels.free()
    rename(loop.body, loop.variable, label)
    loop.variable = label
    sums = _sums(loop, labels) if labels.vectorized else {}
    for place, name in sums.items():
        yield from [f"{indent}double {name} = 0.0;"] if name != place else []
        for line in lines_in(loop.body):
            line.text = f"{name}{line.text.removeprefix(place)}" if line.text.startswith(f"{place} ") else line.text
    if sums:
        yield f"#pragma omp simd reduction(+:{', '.join(sums.values())})"
    begin, end = loop.range or ("0", loop.bound.text)
    yield f"{indent}for (int {label} = {begin}; {label} < {end}; ++{label}) {{"
    yield from written(loop.body, indent + "    ", labels.within(label))
    if not sums and _is_chain(loop.body, label, labels):
        yield f"{indent}    {IN_ORDER}"
    yield indent + "}"
    yield from (f"{indent}{place} += {name};" for place, name in sums.items() if name != place)


def _is_chain(body: Sequence[Item], variable: str, labels: Labels, *, is_backward: bool = False) -> bool:
    """Whether the iterations of a loop add to one place several times, in order; also as parts of a loop around it.

    Inside of another loop, sums of elements in their own order are no chain, but for those that are left to be written
    as sums of vectors.
    """
    lines = [item.text for item in items_in(body) if isinstance(item, CStatement)]
    places = Counter(
        match[1] for match in map(ADDED.match, lines) if match and variable not in re.findall(r"\w+", match[1])
    )
    is_backward = is_backward or any(re.search(rf"- {variable}\b", line) for line in lines)
    is_inside = bool(labels.active) and (labels.vectorized or is_backward)
    return any(count > 1 or is_inside for count in places.values())


def _sums(loop: CLoop, labels: Labels) -> dict[str, str]:
    """The places that an innermost loop adds to, with the variables in which it does so.

    Those that are elements of an array get variables of their own. There are none where an iteration reads what
    another one writes.
    """
    if not all(isinstance(item, CStatement) for item in loop.body):
        return {}
    places = [(line, place) for line in lines_in(loop.body) for place in accesses(line.text)]
    own = {line.sets for line in lines_in(loop.body) if line.text.startswith(("const ", "double ", "int "))}
    sums: dict[str, str] = {}
    for name in sorted({place.name for _, place in places if place.kind} - own):
        uses = [place for _, place in places if place.name == name]
        if _is_of_iteration(uses, loop.variable):
            continue
        if {place.kind for place in uses} != {"+"} or len(set(uses)) > 1 or loop.variable in str(uses[0].at):
            return {}
        text = f"{name}{''.join(f'[{index}]' for index in uses[0].at)}"
        names = (f"part_{number}" for number in labels.numbers)
        sums[text] = next(part for part in names if part not in labels.taken) if uses[0].at else name
    return sums


def _is_of_iteration(uses: Sequence[Access], variable: str) -> bool:
    """Whether each iteration has an element of its own."""
    own = re.compile(rf"{variable}( - \w+)?")
    return any(own.fullmatch(at) and all(use.at[n : n + 1] == (at,) for use in uses) for n, at in enumerate(uses[0].at))
