"""The lines of a C function as a tree of loops, and the places that each part reads and writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gradcli.answers.derivation.languages.c.terms import CLine

COUNTED = re.compile(r"for \(int (\w+) = 0; \1 < (.+); \+\+\1\) \{$")
ARRAY = re.compile(r"(double|int) (\w+)((?:\[\d+\])+)( = \{0\})?;$")
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_TYPE = re.compile(r"(?:const )?(?:double|int) ")
_DECLARED = re.compile(r"(?:const )?(?:double|int) (\w+)")
_ASSIGNS = re.compile(r" ([+\-*/]?)= ")
_OPENS = re.compile(r"(?:for \(int|while|if|\} else)\b")


class Access(NamedTuple):
    """A place that is read (`kind` is empty), written (`=`) or added to (`+`), with its indices as text."""

    name: str
    at: tuple[str, ...]
    kind: str = ""


Effects = dict[str, list[Access]]  # by name


@dataclass
class CStatement:
    """A statement; `sets` as in `CLine`."""

    text: str
    sets: str = ""
    comments: list[str] = field(default_factory=list)


@dataclass
class CArray:
    """The declaration of an array without numbers."""

    type: str
    name: str
    shape: tuple[int, ...]
    comments: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The statement in C."""
        return f"{self.type} {self.name}{''.join(f'[{n}]' for n in self.shape)};"


@dataclass
class CLoop:
    """A loop over the numbers below `count`, or over a range of them.

    Attributes:
        count: the number of iterations; 1 where `bound` is their number.
        label: the name of its variable where nothing else has that name.
        range: the variables that hold the first number and the one after the last; empty for all.
        bound: the expression of the number of iterations where that changes.
    """

    variable: str
    count: int
    body: list[Item]
    label: str
    comments: list[str] = field(default_factory=list)
    range: tuple[str, ...] = ()
    bound: CStatement | None = None

    @property
    def end(self) -> str:
        """The number of iterations in C."""
        return self.bound.text if self.bound else str(self.count)


@dataclass
class CBlock:
    """A statement with blocks, each below its head, that is no counted loop."""

    parts: list[tuple[CStatement, list[Item]]]
    comments: list[str] = field(default_factory=list)


Item = CStatement | CArray | CLoop | CBlock


class LoopTree:
    """Reads the lines of a function without empty loops; each counted loop has a variable of its own.

    Attributes:
        items: the statements.
        loops: the number of counted loops.
    """

    def __init__(self, lines: Sequence[CLine]) -> None:
        self.loops = 0
        self._lines = iter(lines)
        self.items = self._block()[0]

    def _block(self) -> tuple[list[Item], str]:
        """The items up to the end of a block, and the line that ends it."""
        items: list[Item] = []
        comments: list[str] = []
        for line in self._lines:
            if line.text.startswith("}"):
                return items, line.text
            if line.text.startswith("//"):
                comments.append(line.text)
                continue
            for item in self._items(line):
                item.comments, comments = comments, []
                items.append(item)
        return items, ""

    def _items(self, line: CLine) -> list[Item]:
        if counted := COUNTED.match(line.text):
            self.loops += 1
            variable = f"turn{self.loops}_"
            body, _ = self._block()
            rename(body, counted[1], variable)
            loop = CLoop(variable, int(counted[2]) if counted[2].isdigit() else 1, body, counted[1])
            loop.bound = None if counted[2].isdigit() else CStatement(counted[2])
            return [loop] if body else []
        if line.text.endswith("{") and _OPENS.match(line.text):
            parts: list[tuple[CStatement, list[Item]]] = []
            head = line.text
            while head.endswith("{"):
                body, end = self._block()
                parts.append((CStatement(head), body))
                head = end
            is_idle = line.text.startswith("for (int") and not parts[0][1]
            return [] if is_idle else [CBlock(parts)]
        if array := ARRAY.match(line.text):
            shape = tuple(map(int, re.findall(r"\d+", array[3])))
            made: list[Item] = [CArray(array[1], array[2], shape)]
            return [*made, self._zeros(array[2], shape)] if array[4] else made
        return [CStatement(line.text, line.sets)]

    def _zeros(self, name: str, shape: tuple[int, ...]) -> Item:
        """The loops that fill an array with zeros."""
        variables = [f"turn{self.loops + n}_" if length > 1 else "0" for n, length in enumerate(shape, 1)]
        self.loops += len(shape)
        item: Item = CStatement(f"{name}{''.join(f'[{variable}]' for variable in variables)} = 0.0;", name)
        for variable, count in zip(reversed(variables), reversed(shape), strict=True):
            item = CLoop(variable, count, [item], "") if count > 1 else item
        return item


def is_zeros(item: Item) -> str:
    """The array that an item only fills with zeros; empty for others."""
    while isinstance(item, CLoop) and len(item.body) == 1:
        item = item.body[0]
    if isinstance(item, CStatement) and item.text.endswith("] = 0.0;") and item.text.startswith(f"{item.sets}["):
        return item.sets
    return ""


def lines_in(items: Iterable[Item]) -> Iterator[CStatement]:
    """Yield the statements, the heads of blocks and the bounds of loops, in order."""
    for item in items:
        if isinstance(item, CStatement):
            yield item
        elif isinstance(item, CLoop):
            yield from [item.bound] if item.bound else []
            yield from lines_in(item.body)
        elif isinstance(item, CBlock):
            for head, body in item.parts:
                yield head
                yield from lines_in(body)


def rename(items: list[Item], name: str, other: str) -> None:
    """Give a variable another name."""
    pattern = re.compile(rf"(?<![\w.]){name}\b")
    for line in lines_in(items):
        line.text = pattern.sub(other, line.text)


def rewrite(items: list[Item], name: str, at: Callable[[tuple[str, ...]], Sequence[str]]) -> None:
    """Change the indices of an array."""
    for line in lines_in(items):
        line.text = _rewritten(line.text, name, at)


def _rewritten(text: str, name: str, at: Callable[[tuple[str, ...]], Sequence[str]]) -> str:
    for own, given, begin, end in reversed(_places(text)):
        if given:
            indices: Sequence[str] = tuple(_rewritten(index, name, at) for index in given)
            indices = at(tuple(indices)) if own == name else indices
            text = f"{text[:begin]}{own}{''.join(f'[{index}]' for index in indices)}{text[end:]}"
    return text


def _places(text: str) -> list[tuple[str, tuple[str, ...], int, int]]:
    """The names in a statement, with their indices, and where they begin and end; no name within an index."""
    places: list[tuple[str, tuple[str, ...], int, int]] = []
    at = 0
    while match := _NAME.search(text, at):
        at = match.end()
        indices: list[str] = []
        while at < len(text) and text[at] == "[":
            begin, depth = at, 0
            while True:
                depth += {"[": 1, "]": -1}.get(text[at], 0)
                at += 1
                if not depth:
                    break
            indices.append(text[begin + 1 : at - 1])
        if text[at : at + 1] != "(":
            places.append((match[0], tuple(indices), match.start(), at))
    return places


def accesses(line: CStatement) -> list[Access]:
    """The places that a statement reads and writes."""
    text = line.text
    declared = _TYPE.match(text)
    start = declared.end() if declared else 0
    is_call = re.match(r"\w+\(", text) is not None
    made: list[Access] = []
    for name, indices, begin, end in _places(text[start:]):
        symbol = _ASSIGNS.match(text, start + end) if begin == 0 else None
        around = text[start + begin - 2 : start + begin] if start + begin >= 2 else "", text[start + end :][:2]
        kind = ""
        if symbol:
            kind = "+" if symbol[1] in ("+", "-") and symbol[1] else "="
        elif around[0] in ("++", "--") or around[1] in ("++", "--") or (declared and begin == 0):
            kind = "="
        elif is_call and name not in ("const", "double", "int"):
            kind, is_call = "=", False
        made.append(Access(name, indices, kind))
        if symbol and symbol[1] in ("*", "/"):
            made.append(Access(name, indices))
        for index in indices:
            made += accesses(CStatement(f"({index})"))
    return made


def effects(items: Iterable[Item]) -> Effects:
    """The places that items read and write, without the variables of the blocks in them."""
    total: Effects = {}
    for item in items:
        parts: Effects = {}
        if isinstance(item, CStatement):
            for access in accesses(item):
                parts.setdefault(access.name, []).append(access)
        elif isinstance(item, CLoop):
            parts = _of_body([*([item.bound] if item.bound else []), *item.body], item.variable)
        elif isinstance(item, CBlock):
            parts = _of_block(item)
        for name, places in parts.items():
            total.setdefault(name, []).extend(places)
    return total


def _of_body(body: Sequence[Item], variable: str) -> Effects:
    declared = {match[1] for item in body if isinstance(item, CStatement) and (match := _DECLARED.match(item.text))}
    declared |= {item.name for item in body if isinstance(item, CArray)} | {variable}
    return {name: places for name, places in effects(body).items() if name not in declared}


def _of_block(item: CBlock) -> Effects:
    total: Effects = {}
    for head, body in item.parts:
        bound = re.match(r"for \(int (\w+)", head.text)
        parts = _of_body([head, *body], bound[1] if bound else "")
        for name, places in parts.items():
            total.setdefault(name, []).extend(places)
    return total
