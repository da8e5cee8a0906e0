"""The lines of a tree of loops: names of indices, declarations where arrays are used first, and vectorized sums."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gradcli.answers.derivation.languages.c.loop_tree import (
    Access,
    CArray,
    CBlock,
    CLoop,
    CStatement,
    Item,
    accesses,
    effects,
    is_zeros,
    lines_in,
    rename,
)
from gradcli.answers.derivation.languages.c.terms import CLine

INDEX_NAMES = "ijklmpqr"


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
        labels: tuple[str, ...] = (*INDEX_NAMES, *(f"{letter}_{n}" for n in range(1, 9) for letter in INDEX_NAMES))
        return next(label for label in labels if label not in self.taken and label not in self.active)


def written(items: Sequence[Item], depth: int, labels: Labels) -> Iterator[CLine]:
    """Yield the lines of items, with each array declared where it is used first."""
    arrays = {item.name: item for item in items if isinstance(item, CArray)}
    for item in items:
        if isinstance(item, CArray):
            continue
        yield from (CLine(comment, depth) for comment in item.comments)
        used = [name for name in effects([item]) if name in arrays] if arrays else []
        texts = [arrays.pop(name).text for name in used]
        if texts and used[0] == is_zeros(item):
            yield CLine(f"{texts[0][:-1]} = {{0}};", depth, used[0])
            continue
        yield from (CLine(text, depth) for text in texts)
        yield from _lines_of(item, depth, labels)


def _lines_of(item: Item, depth: int, labels: Labels) -> Iterator[CLine]:
    if isinstance(item, CLoop):
        yield from _lines_of_loop(item, depth, labels)
    elif isinstance(item, CBlock):
        for head, body in item.parts:
            yield CLine(head.text, depth)
            yield from written(body, depth + 1, labels.within(*re.findall(r"for \(int (\w+)", head.text)))
        yield CLine("}", depth)
    elif isinstance(item, CStatement):
        yield CLine(item.text, depth, item.sets)


def _lines_of_loop(loop: CLoop, depth: int, labels: Labels) -> Iterator[CLine]:
    label = loop.label if loop.label and loop.label not in labels.active else labels.free()
    rename(loop.body, loop.variable, label)
    loop.variable = label
    sums = _sums(loop, labels) if labels.vectorized else {}
    for place, name in sums.items():
        yield from [CLine(f"double {name} = 0.0;", depth)] if name != place else []
        for line in lines_in(loop.body):
            line.text = f"{name}{line.text.removeprefix(place)}" if line.text.startswith(f"{place} ") else line.text
    if sums:
        yield CLine(f"#pragma omp simd reduction(+:{', '.join(sums.values())})", 0)
    begin, end = loop.range or ("0", loop.end)
    yield CLine(f"for (int {label} = {begin}; {label} < {end}; ++{label}) {{", depth)
    yield from written(loop.body, depth + 1, labels.within(label))
    yield CLine("}", depth)
    yield from (CLine(f"{place} += {name};", depth) for place, name in sums.items() if name != place)


def _sums(loop: CLoop, labels: Labels) -> dict[str, str]:
    """The places that an innermost loop adds to, with the variables in which it does so.

    Those that are elements of an array get variables of their own. There are none where an iteration reads what
    another one writes.
    """
    if not all(isinstance(item, CStatement) for item in loop.body):
        return {}
    places = [(line, place) for line in lines_in(loop.body) for place in accesses(line)]
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
