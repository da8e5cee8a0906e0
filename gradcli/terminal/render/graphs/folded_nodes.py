"""Folding of a long run. The nodes in a box form an interval of the run, so the graph stays acyclic."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.tape_graphs import TapeGraph
from gradcli.shared.records.tapes import Node

READABLE = 70
"""The most boxes of a readable picture; longer runs are folded."""
LEAST_ALIKE = 4  # iterations of a loop, or nodes of a line, of which some are folded
MANY_INPUTS = 12  # the gradient is in the boxes of the inputs: few stay apart


class Fold(Frozen):
    """Nodes `first` to `last` in one box within a scope; a single node has no label."""

    first: int
    last: int
    label: str = ""
    within: int | None = None

    @property
    def size(self) -> int:
        return self.last - self.first + 1


def folds(graph: TapeGraph, nodes: Sequence[Node], *, expand: bool = False) -> list[Fold]:
    """The boxes for some nodes, in the order of the run; one for each node if there are few nodes, or with `expand`.

    What is alike is folded first: inputs, the iterations of loops, calls from the inside out, the nodes of a line.
    """
    chosen = [Fold(node.index, node.index, "", graph.within[node.index]) for node in nodes]
    if expand:
        return chosen
    boxes: list[Fold] = []
    for stage in (_inputs, _iterations, *_calls(graph), _lines):
        if len(chosen) <= READABLE:
            break
        boxes = _outermost([*boxes, *stage(graph, nodes)], graph.result)
        chosen = _partition(graph, nodes, boxes)
    return chosen


def _partition(graph: TapeGraph, nodes: Sequence[Node], folds: Sequence[Fold]) -> list[Fold]:
    inside = {index for fold in folds for index in range(fold.first, fold.last + 1)}
    alone = [Fold(n.index, n.index, "", graph.within[n.index]) for n in nodes if n.index not in inside]
    return sorted([*folds, *alone], key=lambda fold: fold.first)


def _outermost(folds: Sequence[Fold], result: int | None) -> list[Fold]:
    """The folds that are not inside another fold and do not contain the result."""
    kept: list[Fold] = []
    for fold in sorted(folds, key=lambda fold: (fold.first, -fold.last)):
        cut = fold.changed(last=fold.last - 1) if fold.last == result else fold
        if cut.size > 1 and (not kept or cut.first > kept[-1].last):
            kept.append(cut)
    return kept


def _inputs(graph: TapeGraph, nodes: Sequence[Node]) -> Iterator[Fold]:
    for entered, run in groupby(nodes, key=lambda node: node.operation == "input"):
        members = list(run)
        if entered and len(members) >= MANY_INPUTS:
            yield Fold(members[0].index, members[-1].index, f"{members[0].name} … {members[-1].name}")


def _iterations(graph: TapeGraph, nodes: Sequence[Node]) -> Iterator[Fold]:
    """A fold of all iterations of a loop except the first and the last."""
    spans = _spans(graph, nodes)
    turns: dict[int, list[int]] = {}
    for index in spans:
        scope = graph.scopes[index]
        if scope.kind == "iteration" and scope.parent is not None:
            turns.setdefault(scope.parent, []).append(index)
    for loop, members in turns.items():
        if len(members) >= LEAST_ALIKE:
            second, last = graph.scopes[members[1]], graph.scopes[members[-2]]
            label = f"iterations {second.number} to {last.number}"
            yield Fold(spans[members[1]][0], spans[members[-2]][1], label, loop)


def _calls(graph: TapeGraph) -> Iterator[Callable[[TapeGraph, Sequence[Node]], Iterator[Fold]]]:
    """One folding stage for each depth of calls, deepest first."""
    calls = (index for index, scope in enumerate(graph.scopes) if scope.kind == "call")
    depths = {index: sum(1 for _ in path(graph, index)) for index in calls}

    def stage(depth: int) -> Callable[[TapeGraph, Sequence[Node]], Iterator[Fold]]:
        def folded_calls(graph: TapeGraph, nodes: Sequence[Node]) -> Iterator[Fold]:
            for index, (first, last) in _spans(graph, nodes).items():
                if depths.get(index) == depth:
                    yield Fold(first, last, scope_label(graph, index), graph.scopes[index].parent)

        return folded_calls

    return (stage(depth) for depth in sorted(set(depths.values()), reverse=True))


def _lines(graph: TapeGraph, nodes: Sequence[Node]) -> Iterator[Fold]:
    for (within, _, line), run in groupby(nodes, key=lambda node: (graph.within[node.index], node.file, node.line)):
        members = list(run)
        if line and len(members) >= LEAST_ALIKE:
            yield Fold(members[0].index, members[-1].index, (members[0].source or f"line {line}").strip(), within)


def _spans(graph: TapeGraph, nodes: Sequence[Node]) -> dict[int, tuple[int, int]]:
    """The first and the last node of each scope with nodes, in the order of the run."""
    spans: dict[int, tuple[int, int]] = {}
    for node in nodes:
        for index in path(graph, graph.within[node.index]):
            spans[index] = (spans.get(index, (node.index, 0))[0], node.index)
    return spans


def path(graph: TapeGraph, index: int | None) -> Iterator[int]:
    """A scope and its enclosing scopes, from the inside out."""
    while index is not None:
        yield index
        index = graph.scopes[index].parent


def scope_label(graph: TapeGraph, index: int) -> str:
    """The label of a scope: the head of a loop, `iteration 3 of 5`, or `power(x, n=9)`."""
    scope = graph.scopes[index]
    if scope.kind == "iteration":
        loop = graph.scopes[scope.parent] if scope.parent is not None else scope
        return f"iteration {scope.number}" + (f" of {loop.of}" if loop.of else "")
    if scope.kind == "loop":
        return (scope.source or "loop").strip().rstrip(":")
    arguments = ", ".join(name if name == text else f"{name}={text}" for name, text in scope.arguments.items())
    return f"{scope.name.rpartition('.')[2]}({arguments})"
