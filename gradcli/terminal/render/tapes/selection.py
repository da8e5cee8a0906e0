"""Parts of a tape: the nodes that matter most, those between two quantities, and one turn for all of a loop."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence

from gradcli.errors import UsageError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import did_you_mean
from gradcli.shared.records.result_and_finding import Structure
from gradcli.shared.records.tapes import Node, TapeListing
from gradcli.terminal.render.layout.numbers import entries
from gradcli.terminal.render.layout.theme import TIMES

LEAST_TURNS = 3
LONGEST_TURN = 200  # items of a loop's body


class Loop(Frozen):
    """Items that repeat: the turns in order, each a sequence of items and of loops within."""

    turns: tuple[tuple[int | Loop, ...], ...]


Item = int | Loop


def folded(keys: Sequence[Hashable]) -> list[Item]:
    """The places 0, 1, … of `keys`, with loops where the same keys come again at least three times in a row.

    Inner loops are found first; turns are the same whose inner loops differ in nothing but how often they go round.
    Costs the number of keys times the length of the longest body that is looked for.
    """
    items: list[Item] = list(range(len(keys)))
    signs: list[Hashable] = list(keys)
    while True:
        places = list(_pass(items, signs))
        items, signs, before = [item for item, _ in places], [sign for _, sign in places], len(items)
        if len(items) == before:
            return items


def _pass(items: list[Item], signs: list[Hashable]) -> Iterator[tuple[Item, Hashable]]:
    """The items with the innermost loops that are still open put in the place of their turns."""
    at = 0
    while at < len(items):
        length, times = _repetition(signs, at)
        if times < LEAST_TURNS:
            yield items[at], signs[at]
            at += 1
            continue
        turns = tuple(tuple(items[start : start + length]) for start in range(at, at + length * times, length))
        yield Loop(turns), ("loop", *signs[at : at + length])
        at += length * times


def _repetition(signs: list[Hashable], at: int) -> tuple[int, int]:
    """The length of the shortest body that comes at least three times from place `at` on, and how often it does."""
    first = signs[at]
    for length in range(1, min(LONGEST_TURN, (len(signs) - at) // LEAST_TURNS) + 1):
        if signs[at + length] != first:
            continue
        end = at + length
        while end < len(signs) and signs[end] == signs[end - length]:
            end += 1
        if (times := (end - at) // length) >= LEAST_TURNS:
            return length, times
    return 1, 1


def influence(node: Node) -> float:
    """The sum of |value * sensitivity|: by how much the result changes when the node changes by its own size."""
    pairs = zip(numbers_of(node.value), numbers_of(node.sensitivity), strict=False)
    return sum(abs(value * sensitivity) for value, sensitivity in pairs)


def numbers_of(structure: Structure) -> Iterator[float]:
    """Every number of a structure that is a real number."""
    parts = entries(structure) if isinstance(structure, (list, tuple)) else [("", structure)]
    return (number for _, number in parts if isinstance(number, (int, float)))


def top(nodes: Sequence[Node], most: int) -> list[Node]:
    """The computed nodes with the greatest influence, greatest first; nan counts as the greatest."""
    computed = [node for node in nodes if node.inputs]
    return sorted(
        computed, key=lambda node: -(float("inf") if influence(node) != influence(node) else influence(node))
    )[:most]


def between(record: TapeListing, text: str) -> list[Node]:
    """The nodes on the ways from one quantity to another, both named as in `x..y`; either may be left out.

    Raises:
        UsageError: the text is no such pair, a name is unknown, or no way leads from one to the other.
    """
    start, dots, end = text.partition("..")
    if not dots:
        raise UsageError(f"--path needs two names, and {text!r} came.", hint="Type --path x..y, or x.. or ..y.")
    nodes = record.nodes
    below = reached(nodes, index_of(nodes, start.strip())) if start.strip() else {node.index for node in nodes}
    above = leading(nodes, index_of(nodes, end.strip()) if end.strip() else result_of(record))
    on_the_way = [node for node in nodes if node.index in below and node.index in above]
    if not on_the_way:
        raise UsageError(f"No way leads from {start.strip()} to {end.strip()}.", hint="The first is computed before.")
    return on_the_way


def result_of(record: TapeListing) -> int:
    """The node of the result; where that is constant, the last node."""
    return record.nodes[-1].index if record.result is None else record.result


def reached(nodes: Sequence[Node], start: int) -> set[int]:
    """A node and all that were computed from it."""
    indices = {start}
    for node in nodes:
        if any(index in indices for index in node.inputs):
            indices.add(node.index)
    return indices


def leading(nodes: Sequence[Node], end: int) -> set[int]:
    """A node and all that it was computed from."""
    indices = {end}
    for node in reversed(nodes):
        if node.index in indices:
            indices.update(node.inputs)
    return indices


def index_of(nodes: Sequence[Node], name: str) -> int:
    """The node that a name or a number such as %7 means.

    Raises:
        UsageError: there is none.
    """
    names = {f"%{node.index}": node.index for node in nodes} | {node.name: node.index for node in nodes if node.name}
    name = f"%{name}" if name.isdecimal() else name
    if name in names:
        return names[name]
    hint = did_you_mean(name, names) or "`gradcli tape` lists what there is."
    raise UsageError(f"There is no quantity {name!r} in this run.", hint=hint)


def first_turns(nodes: Sequence[Node]) -> list[tuple[Node, str]]:
    """The nodes with one turn, the first, for all of each loop; beside each how often it comes, such as x17."""
    items = folded([(node.file, node.line, node.operation, stem(node.name)) if node.line else node for node in nodes])
    return list(_shown(items, nodes, ""))


def _shown(items: Sequence[Item], nodes: Sequence[Node], times: str) -> Iterator[tuple[Node, str]]:
    for item in items:
        if isinstance(item, Loop):
            yield from _shown(item.turns[0], nodes, f"{times}{TIMES}{len(item.turns)}")
        else:
            yield nodes[item], times


def stem(name: str | None) -> str | None:
    """A name without the number of its turn: `x` for `x#3`; nothing for places such as `y[7]`."""
    return name.partition("#")[0].partition("[")[0] if name else None
