"""Grouping of a trace's nodes into the user's statements: nodes that are named or used elsewhere, and steps between."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.answers.explain.array_operation_text import is_whole
from gradcli.answers.explain.numpy_calls import short_form
from gradcli.answers.explain.vjp_text import is_written
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.array_rule import ArrayRule


@dataclass(frozen=True)
class NodeGroup:
    """A node that the user would name, with the unnamed nodes between it and other named ones.

    Attributes:
        node: the index of the node.
        steps: the indices of the nodes in between, in order of execution.
    """

    node: int
    steps: tuple[int, ...]


def statements(trace: Trace, heads: Collection[int]) -> list[NodeGroup]:
    """The statements of a run, in order of execution; inputs and constants are not statements."""
    return [
        NodeGroup(index, tuple(sorted(nodes_between(trace, index, heads))))
        for index in sorted(heads)
        if trace.nodes[index].is_computed
    ]


def heads(trace: Trace, fixed: Collection[int] | None = None) -> set[int]:
    """The nodes that are statements, and the inputs.

    These are the `fixed` nodes if given, else the nodes that have a name, are returned by a call, or are used by
    another statement or call. Always included are arrays that are written into, arrays of which a place is read
    (contributions are added in place), and nodes whose derivative is not a formula, with their operands.
    """
    nodes = set(fixed) if fixed is not None else _named(trace)
    for node in trace.shown:
        rule = node.rule
        if getattr(rule, "clear", None):
            nodes.update((node.index, *(n for n in node.sources[:1] if n != CONSTANT)))
        elif getattr(rule, "in_place", None) and not reshapes(node):
            nodes.add(viewed_array(trace, node, nodes))
        elif rule is not None and rule.folds:
            nodes.update(() if short_form(node) else (node.index,))
        elif isinstance(rule, ArrayRule) and not (rule.linear or rule.bilinear or is_written(rule)):
            nodes.update((node.index, *(node.sources[n] for n in node.positions)))
    return nodes


def numbered(trace: Trace) -> set[int]:
    """The nodes that would have a number in an explanation, though the user may have no name for them."""
    return heads(trace, {*trace.names, *trace.input_indices()})


def viewed_array(trace: Trace, node: TraceNode, heads: Collection[int]) -> int:
    """The node of the array from which `node` reads a place, found through views that are not statements."""
    index: int = node.sources[0]
    while index not in heads and is_view(trace.nodes[index]):
        index = trace.nodes[index].sources[0]
    return index


def is_view(node: TraceNode) -> bool:
    """Whether a node is a view, so that adding to a place of it adds to the array."""
    rule = node.rule
    if rule is None or rule.permutes:
        return rule is not None
    return rule.reads and bool(np.ndim(node.value)) and _is_basic(node.static["key"])


def _is_basic(key: Any) -> bool:
    return all(
        part is None or part is Ellipsis or (isinstance(part, (int, slice, np.integer)) and not isinstance(part, bool))
        for part in (key if isinstance(key, tuple) else (key,))
    )


def reshapes(node: TraceNode) -> bool:
    """Whether a node reads all elements of an array in order, as `x[:, None]` does."""
    x = node.operands[0]
    if np.size(node.value) != np.size(x):
        return False
    return is_whole(np.arange(np.size(x)).reshape(np.shape(x))[node.static["key"]], np.shape(x))


def _named(trace: Trace) -> set[int]:
    last = trace.result_index()
    named = {*trace.names, *trace.input_indices()}
    named |= set() if last is None else {last}
    named |= trace.scopes.results().keys()
    sites = [trace.scopes.site_of_row(node.index) for node in trace.nodes]
    for node in trace.shown:
        named.update(operand for operand in node.inputs if sites[operand] != sites[node.index])
    return named


def nodes_between(trace: Trace, head: int, heads: Collection[int]) -> set[int]:
    """The nodes from which `head` is computed without passing another head; shared ones count for each."""
    nodes: set[int] = set()
    waiting = [head]
    while waiting:
        for operand in trace.nodes[waiting.pop()].inputs:
            if operand not in heads and operand not in nodes:
                nodes.add(operand)
                waiting.append(operand)
    return nodes
