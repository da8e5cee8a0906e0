"""The places that statements of a C function read and write: variables, and elements of arrays by their indices."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from gradcli.answers.derivation.languages.c.loop_tree import CArray, CBlock, CLoop, CStatement, Item, lines_in
from gradcli.answers.derivation.languages.c.terms import KEYWORDS

_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*")
_ASSIGNS = re.compile(r" ([+\-*/]?)= ")
_DECLARED = re.compile(r"(?:const )?(?:double|int) (\w+)")
_CALL = re.compile(r"\w+\(")
_STEPS = ("++", "--")


class Access(NamedTuple):
    """A place that is read (`kind` is empty), written (`=`) or added to (`+`), with its indices as text."""

    name: str
    at: tuple[str, ...]
    kind: str = ""


Effects = dict[str, list[Access]]  # by name


class _Place(NamedTuple):
    """A variable or an element in a text, and where that begins and ends."""

    name: str
    at: tuple[str, ...]
    begin: int
    end: int


def accesses(text: str) -> list[Access]:
    """The places that a statement, the head of a block or an expression reads and writes."""
    declared = _DECLARED.match(text)
    text = text[declared.start(1) :] if declared else text
    places = _places(text)
    filled = places[0] if places and _CALL.match(text) else None  # a call that is a statement fills its first argument
    made: list[Access] = []
    for place in places:
        symbol = _ASSIGNS.match(text, place.end) if place.begin == 0 else None
        is_stepped = text[max(0, place.begin - 2) : place.begin] in _STEPS or text[place.end : place.end + 2] in _STEPS
        is_set = symbol or is_stepped or place is filled or (declared and place.begin == 0)
        is_sum = symbol is not None and symbol[1] in ("+", "-")
        made.append(Access(place.name, place.at, "+" if is_sum else "=" if is_set else ""))
        if symbol and symbol[1] in ("*", "/"):
            made.append(Access(place.name, place.at))
        for index in place.at:
            made += accesses(f"({index})")
    return made


def effects(items: Iterable[Item]) -> Effects:
    """The places that items read and write, without the variables of the blocks in them."""
    total: Effects = {}
    for item in items:
        if isinstance(item, CStatement):
            for access in accesses(item.text):
                total.setdefault(access.name, []).append(access)
        elif isinstance(item, CLoop):
            _add_block(total, [item.bound, *item.body], item.variable)
        elif isinstance(item, CBlock):
            for head, body in item.parts:
                _add_block(total, [head, *body], item.variable)
    return total


def _add_block(total: Effects, block: Sequence[Item], variable: str) -> None:
    declared = {match[1] for item in block if isinstance(item, CStatement) and (match := _DECLARED.match(item.text))}
    declared |= {item.name for item in block if isinstance(item, CArray)} | {variable}
    for name, places in effects(block).items():
        if name not in declared:
            total.setdefault(name, []).extend(places)


def rewrite(items: list[Item], name: str, at: Callable[[tuple[str, ...]], Sequence[str]]) -> None:
    """Change the indices of an array."""
    for line in lines_in(items):
        line.text = _rewritten(line.text, name, at)


def _rewritten(text: str, name: str, at: Callable[[tuple[str, ...]], Sequence[str]]) -> str:
    for place in reversed(_places(text)):
        indices: Sequence[str] = [_rewritten(index, name, at) for index in place.at]
        if indices and place.name == name:
            indices = at(tuple(indices))
        element = place.name + "".join(f"[{index}]" for index in indices)
        text = text[: place.begin] + element + text[place.end :]
    return text


def _places(text: str) -> list[_Place]:
    """The variables and elements in a text that are in no index."""
    places: list[_Place] = []
    end = 0
    while match := _NAME.search(text, end):
        end = match.end()
        indices: list[str] = []
        while text[end : end + 1] == "[":
            begin, end = end, _end_of_brackets(text, end)
            indices.append(text[begin + 1 : end - 1])
        if text[end : end + 1] != "(" and match[0] not in KEYWORDS:
            places.append(_Place(match[0], tuple(indices), match.start(), end))
    return places


def _end_of_brackets(text: str, begin: int) -> int:
    """Where the brackets end that begin at a place."""
    depth = 0
    for end in range(begin, len(text)):
        depth += {"[": 1, "]": -1}.get(text[end], 0)
        if not depth:
            return end + 1
    raise ValueError(f"brackets without an end in {text}")
