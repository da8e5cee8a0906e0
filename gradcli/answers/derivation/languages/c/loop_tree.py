"""The statements of a C function as a tree of loops."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count

_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass
class CStatement:
    """A statement, and the variable that it only sets, if there is one."""

    text: str
    sets: str = ""
    comments: list[str] = field(default_factory=list)


@dataclass
class CArray:
    """The declaration of an array, without numbers or with zeros; `sets` is its name if it goes where it is unused."""

    type: str
    name: str
    shape: tuple[int, ...]
    sets: str = ""
    is_zero: bool = False
    comments: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The statement in C, without numbers."""
        return f"{self.type} {self.name}{''.join(f'[{n}]' for n in self.shape)};"


@dataclass
class CLoop:
    """A loop over the numbers below a bound, or over a range of them.

    Attributes:
        bound: the expression of the number of iterations.
        label: the name of its variable where nothing else has that name.
        range: the variables that hold the first number and the one after the last; empty for all.
    """

    variable: str
    bound: CStatement
    body: list[Item]
    label: str
    comments: list[str] = field(default_factory=list)
    range: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        """The number of iterations; 1 if it is known at run time only."""
        return int(self.bound.text) if self.bound.text.isdigit() else 1


@dataclass
class CBlock:
    """A statement with blocks, each below its head, that is no loop over all numbers below one.

    Attributes:
        variable: that of a loop `for (int …)`.
    """

    parts: list[tuple[CStatement, list[Item]]]
    variable: str = ""
    comments: list[str] = field(default_factory=list)


Item = CStatement | CArray | CLoop | CBlock


def is_zeros(item: Item) -> str:
    """The array that an item only fills with zeros; empty for others."""
    while isinstance(item, CLoop) and len(item.body) == 1:
        item = item.body[0]
    if isinstance(item, CStatement) and item.text.endswith("] = 0.0;") and item.text.startswith(f"{item.sets}["):
        return item.sets
    return ""


def items_in(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items and those inside them, in order."""
    for item in items:
        yield item
        for block in blocks_of(item):
            yield from items_in(block)


def blocks_of(item: Item) -> list[list[Item]]:
    """The blocks of an item."""
    if isinstance(item, CLoop):
        return [item.body]
    return [body for _, body in item.parts] if isinstance(item, CBlock) else []


def lines_in(items: Iterable[Item]) -> Iterator[CStatement]:
    """Yield the statements, the heads of blocks and the bounds of loops, in order."""
    for item in items_in(items):
        if isinstance(item, CStatement):
            yield item
        elif isinstance(item, CLoop):
            yield item.bound
        elif isinstance(item, CBlock):
            yield from (head for head, _ in item.parts)


def used_items(items: list[Item], results: Collection[str]) -> list[Item]:
    """The items without those that only set a variable that nothing reads and that is no result."""
    arrays = [item for item in items_in(items) if isinstance(item, CArray)]
    lines: list[CStatement | CArray] = [*lines_in(items), *arrays]
    reads = Counter(name for line in lines for name in set(_WORD.findall(line.text)) - {line.sets})
    unused = {line.sets for line in lines if not reads[line.sets]} - {"", *results}
    if not unused:
        return items
    left = _without(items, lambda item: isinstance(item, (CStatement, CArray)) and item.sets in unused)
    return used_items(left, results)


def _without(items: list[Item], is_dropped: Callable[[Item], bool]) -> list[Item]:
    """The items that are kept, where blocks inside come first; the next item gets the comments of one that is not."""
    kept: list[Item] = []
    comments: list[str] = []
    for item in items:
        for block in blocks_of(item):
            block[:] = _without(block, is_dropped)
        comments += item.comments
        if not is_dropped(item):
            item.comments, comments = comments, []
            kept.append(item)
    return kept


def distinct_loops(items: list[Item]) -> list[Item]:
    """The items without empty loops, in which each loop has a variable of its own, and loops fill arrays of zeros."""
    return _without(_with_own_variables(items, count(1)), _is_empty_loop)


def _is_empty_loop(item: Item) -> bool:
    return (isinstance(item, CLoop) or (isinstance(item, CBlock) and bool(item.variable))) and not any(blocks_of(item))


def _with_own_variables(items: list[Item], numbers: Iterator[int]) -> list[Item]:
    made: list[Item] = []
    for item in items:
        variable = f"turn{next(numbers)}_" if isinstance(item, CLoop) else ""
        for block in blocks_of(item):
            block[:] = _with_own_variables(block, numbers)
        if isinstance(item, CLoop):
            rename(item.body, item.variable, variable)
            item.variable = variable
        made += [item, _zeros(item, numbers)] if isinstance(item, CArray) and item.is_zero else [item]
    return made


def _zeros(array: CArray, numbers: Iterator[int]) -> Item:
    """The loops that fill an array with zeros."""
    loops = [CLoop(f"turn{next(numbers)}_", CStatement(str(length)), [], "") for length in array.shape]
    indices = "".join(f"[{loop.variable if loop.count > 1 else 0}]" for loop in loops)
    item: Item = CStatement(f"{array.name}{indices} = 0.0;", array.name)
    for loop in reversed(loops):
        if loop.count > 1:
            loop.body, item = [item], loop
    return item


def rename(items: list[Item], name: str, other: str) -> None:
    """Give a variable another name."""
    pattern = re.compile(rf"(?<![\w.]){name}\b")
    for line in lines_in(items):
        line.text = pattern.sub(other, line.text)
