"""The content of a tape's picture: boxes with texts and shades, edges with partials, and clusters by scope."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence

from gradcli.errors import UsageError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.message_wording import clean
from gradcli.shared.records.result_and_finding import ByName, Structure
from gradcli.shared.records.tape_graphs import TapeGraph
from gradcli.shared.records.tapes import Node
from gradcli.terminal.render.graphs.folded_nodes import Fold, folds, path, scope_label
from gradcli.terminal.render.layout.numbers import count, entries, few, shape, short
from gradcli.terminal.render.layout.theme import ELLIPSIS, TIMES
from gradcli.terminal.render.layout.wrapped_text import cut
from gradcli.terminal.render.tapes.node_labels import handle, names_of, operation, own_name, place
from gradcli.terminal.render.tapes.selection import between, leading

MOST_BOXES = 300
"""The most boxes that are drawn when every node is shown."""
SHADES = 4
"""Shades of each sign; shade k begins at ((k - 1) / SHADES)² of the greatest sensitivity."""
PALE = 1e-3
"""The fraction of the greatest sensitivity below which a box has no shade."""
PLACEHOLDER = "•"
LONGEST_TITLE, LONGEST_FORMULA, LONGEST_GROUP = 26, 28, 44
WHOLE_ARRAYS = 3  # numbers of an array that are written out
GAP = "\N{NO-BREAK SPACE}" * 3  # a drawing keeps no other spaces
LONG = 6  # characters of a float that is written as it was typed
NODE_NUMBER = re.compile(r"%\d+")
FLOAT = re.compile(r"(?<![\w.#%])(?:\d+\.\d*|\d+(?=e))(?:e[+-]?\d+)?")


class Box(Frozen):
    """A node, or several folded nodes.

    Args:
        key: its identifier, `n7`.
        kind: "input", "constant", "operation", "result" or "folded".
        title, formula: its name, and how it was computed; either may be empty.
        value, sensitivity: the numbers in short.
        shade: from -SHADES to SHADES, by the sensitivity; None where that is not finite.
        nodes: the indices of its nodes.
        group: the index of the scope around it.
        tip: all of it, exactly.
        file, line: where it was made.
    """

    key: str
    kind: str
    title: str
    formula: str
    value: str
    sensitivity: str
    shade: int | None
    nodes: tuple[int, ...]
    group: int | None
    tip: str
    file: str | None = None
    line: int | None = None

    @property
    def rows(self) -> tuple[str, ...]:
        numbers = GAP.join(filter(None, (self.value, self.sensitivity and f"s = {self.sensitivity}")))
        return tuple(filter(None, (self.title, self.formula, numbers)))


class Edge(Frozen):
    """One or more uses of a box by another box; `weight` is "flows", "idle" or "broken"."""

    tail: str
    head: str
    label: str
    tip: str
    weight: str


class Cluster(Frozen):
    """A loop, an iteration or a call around boxes."""

    index: int
    parent: int | None
    kind: str
    label: str


class Diagram(Frozen):
    """A complete picture; shades are fractions of `greatest`, the greatest finite sensitivity."""

    title: str
    value: str
    left_out: str
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    groups: tuple[Cluster, ...]
    greatest: float

    def nested(self) -> Iterator[tuple[int, Box | Cluster | None]]:
        """The boxes and clusters from the outside in, each with its depth; None marks the end of a cluster."""
        waiting: list[tuple[int, Cluster | None, bool]] = [(0, None, True)]
        while waiting:
            depth, group, opens = waiting.pop()
            if not opens:
                yield depth, None
                continue
            index, inner = None, depth
            if group is not None:
                yield depth, group
                waiting.append((depth, group, False))
                index, inner = group.index, depth + 1
            yield from ((inner, box) for box in self.boxes if box.group == index)
            waiting += [(inner, group, True) for group in reversed(self.groups) if group.parent == index]


def diagram(graph: TapeGraph, *, expand: bool = False, path: str = "") -> Diagram:
    """The picture of a tape.

    Args:
        graph: the tape.
        expand: every node, where a long run would be folded.
        path: only the nodes from one quantity to another, as in `x..y`.

    Raises:
        UsageError: there are too many boxes for a picture, or the path does not exist.
    """
    nodes = between(graph, path) if path else list(graph.nodes) if expand else _leading(graph)
    idle = 0 if path else len(graph.nodes) - len(nodes)
    chosen = folds(graph, nodes, expand=expand)
    if len(chosen) > MOST_BOXES:
        hint = "--path X..Y draws a part; --out tape.csv has every node." + (
            " Without --expand alike parts are folded." if expand else ""
        )
        raise UsageError(f"A graph of {len(chosen)} boxes cannot be read; at most {MOST_BOXES} are drawn.", hint=hint)
    by_index = {node.index: node for node in nodes}
    greatest = max((abs(extreme(node.sensitivity)) for node in nodes if _is_finite(node.sensitivity)), default=0.0)
    names = names_of(graph)
    boxes = tuple(_box(graph, fold, by_index, names, greatest) for fold in chosen)
    of_node = {index: box for box in boxes for index in box.nodes}
    return Diagram(
        clean(graph.reading or graph.target),
        f"value {brief(graph.value)} at {point_text(graph.point)}",
        _left_out(idle),
        boxes,
        tuple(_edges(graph, of_node)),
        tuple(_groups(graph, boxes)),
        greatest,
    )


def _left_out(count: int) -> str:
    if not count:
        return ""
    words = "node that leads to comparisons alone is" if count == 1 else "nodes that lead to comparisons alone are"
    return f"{count} {words} left out (--expand)"


def _leading(graph: TapeGraph) -> list[Node]:
    """The inputs and the nodes that the result depends on; all nodes if the result is constant."""
    if graph.result is None:
        return list(graph.nodes)
    wanted = leading(graph.nodes, graph.result)
    return [node for node in graph.nodes if node.index in wanted or node.operation == "input"]


def point_text(point: ByName) -> str:
    """A point in a line of limited length."""
    given = [f"{name} = {few(structure, 4)}" for name, structure in point.items()]
    return cut(", ".join(given), 100) or "no inputs"


def _box(graph: TapeGraph, fold: Fold, nodes: dict[int, Node], names: dict[int, str], greatest: float) -> Box:
    indices = tuple(index for index in range(fold.first, fold.last + 1) if index in nodes)
    node = nodes[indices[-1]]
    key = f"n{fold.first}"
    if fold.label:
        counted = f"{len(indices)} inputs" if node.operation == "input" else f"{len(indices)} nodes"
        tip = f"{fold.label}: {counted}, folded"
        return Box(
            key, "folded", cut(clean(fold.label), LONGEST_FORMULA), counted, "", "", 0, indices, fold.within, tip
        )
    name, formula = own_name(graph, node), clean(operation(node, names)) if node.inputs else ""
    title = clean(name)
    if formula == title:
        formula = ""
    brief_formula = cut(with_short_numbers(NODE_NUMBER.sub(PLACEHOLDER, formula)), LONGEST_FORMULA)
    if not title and node.index == graph.result:
        title = "result"
    if not title:
        others = (other for index, other in names.items() if index != node.index)
        is_alike = formula in others or NODE_NUMBER.fullmatch(formula)
        title, brief_formula = (node.operation if is_alike else brief_formula or node.operation), ""
    return Box(
        key,
        _kind(graph, node),
        cut(title, LONGEST_TITLE),
        brief_formula,
        brief(node.value),
        spread(node.sensitivity),
        shade(node.sensitivity, greatest) if _is_finite(node.value) else None,
        indices,
        fold.within,
        _tip(node, name, formula),
        node.file,
        node.line,
    )


def _kind(graph: TapeGraph, node: Node) -> str:
    if node.index == graph.result:
        return "result"
    return "operation" if node.inputs else "input" if node.operation == "input" else "constant"


def _tip(node: Node, name: str, formula: str) -> str:
    head = " = ".join(filter(None, (name or handle(node.index), formula)))
    lines = [head, f"value {short(node.value)}", f"sensitivity {short(node.sensitivity)}"]
    return clean(" · ".join(filter(None, (*lines, place(node.file, node.line)))))


def _edges(graph: TapeGraph, boxes: dict[int, Box]) -> Iterator[Edge]:
    """One edge for each pair of boxes, labelled with the partial if the pair has a single use."""
    together: dict[tuple[str, str], list[Edge]] = {}
    users = {node.index: node for node in graph.nodes}
    for use in graph.uses:
        tail, head = boxes.get(use.used), boxes.get(use.user)
        if tail is None or head is None or tail is head:
            continue
        numbers = use.partial or ()
        weight = (
            "broken"
            if not all(map(math.isfinite, numbers))
            else "idle"
            if use.partial == (0.0,) or not any(_numbers(users[use.user].sensitivity))
            else "flows"
        )
        label = "" if tail.kind == "folded" or head.kind == "folded" else f" {ELLIPSIS} ".join(map(number, numbers))
        partial_text = f"partial {label}" if label else ""
        amount = f"= {brief(use.amount)}" if use.amount is not None else ""
        tip = clean(" · ".join(filter(None, (partial_text, use.term, amount))))
        together.setdefault((tail.key, head.key), []).append(Edge(tail.key, head.key, label, tip, weight))
    for same in together.values():
        first = same[0]
        weight = next((kind for kind in ("broken", "flows") if any(edge.weight == kind for edge in same)), "idle")
        yield first if len(same) == 1 else Edge(first.tail, first.head, "", f"{len(same)} uses", weight)


def _groups(graph: TapeGraph, boxes: Sequence[Box]) -> Iterator[Cluster]:
    used = {index for box in boxes for index in path(graph, box.group)}
    for index in sorted(used):
        scope = graph.scopes[index]
        yield Cluster(index, scope.parent, scope.kind, cut(clean(scope_label(graph, index)), LONGEST_GROUP))


def shade(sensitivity: Structure, greatest: float) -> int | None:
    """The shade of a sensitivity, chosen by its number farthest from 0."""
    if sensitivity is None:
        return 0
    if not _is_finite(sensitivity):
        return None
    size = extreme(sensitivity)
    if abs(size) <= PALE * greatest:
        return 0
    return int(math.copysign(min(SHADES, 1 + math.floor(SHADES * math.sqrt(abs(size) / greatest) * (1 - 1e-12))), size))


def extreme(structure: Structure) -> float:
    """The number farthest from 0."""
    return max(_numbers(structure), key=abs, default=0.0)


def _is_finite(structure: Structure) -> bool:
    return all(map(math.isfinite, _numbers(structure)))


def _numbers(structure: Structure) -> Iterator[float]:
    parts = (part for _, part in entries(structure)) if isinstance(structure, (list, tuple)) else [structure]
    for part in parts:
        if isinstance(part, complex):
            yield abs(part)
        elif isinstance(part, (int, float)):
            yield float(part)


def number(value: object) -> str:
    """A number to four digits; 0 is written without a sign."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return f"{value.real:.3g}{value.imag:+.3g}j" if isinstance(value, complex) else str(value)
    if 1e4 <= abs(value) < 1e7:
        return f"{float(f'{value:.4g}'):.0f}"
    return f"{value + 0.0:.4g}"


def with_short_numbers(formula: str) -> str:
    """A formula whose long floats have four digits."""
    return FLOAT.sub(
        lambda match: min(match[0], number(float(match[0])), key=len) if len(match[0]) > LONG else match[0], formula
    )


def brief(structure: Structure) -> str:
    """A number to four digits, a tiny array in full, or the shape of a larger array."""
    if not isinstance(structure, (list, tuple)):
        return number(structure)
    lengths = shape(structure)
    if lengths and count(structure) <= WHOLE_ARRAYS:
        return "[" + ", ".join(map(brief, structure)) + "]"
    return f"[{TIMES.join(map(str, lengths))}]" if lengths else f"[{count(structure)} numbers]"


def spread(structure: Structure) -> str:
    """A number, a tiny array in full, or the least and the greatest number of a larger array."""
    if structure is None or not isinstance(structure, (list, tuple)) or count(structure) <= WHOLE_ARRAYS:
        return "" if structure is None else brief(structure)
    numbers = list(_numbers(structure))
    least, most = number(min(numbers)), number(max(numbers))
    if any(map(math.isnan, numbers)):
        return "nan"
    return least if least == most else f"{least} {ELLIPSIS} {most}"
