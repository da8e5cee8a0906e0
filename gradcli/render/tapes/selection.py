"""Parts of a tape: the nodes that matter most, those between two quantities, and one turn for all of a loop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gradcli.errors import UsageError
from gradcli.message_wording import did_you_mean
from gradcli.records import Node, Structure, TapeListing
from gradcli.render.layout.numbers import entries
from gradcli.render.layout.theme import TIMES
from gradcli.render.tapes.loop_folding import Item, Loop, folded

TURN = TIMES


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
            yield from _shown(item.turns[0], nodes, f"{times}{TURN}{item.times}")
        else:
            yield nodes[item], times


def stem(name: str | None) -> str | None:
    """A name without the number of its turn: `x` for `x#3`; nothing for places such as `y[7]`."""
    return name.partition("#")[0].partition("[")[0] if name else None
