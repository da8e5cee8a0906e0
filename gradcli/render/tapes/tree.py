"""A tape as a tree, from the result down to the inputs: a node that is used twice is drawn once, then referred to."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from gradcli.control_characters import clean
from gradcli.frozen_record import Frozen
from gradcli.records import Node, Structure
from gradcli.render.layout.numbers import brief, short
from gradcli.render.layout.styled_lines import Drawing, Line
from gradcli.render.layout.theme import NAME, OPERATION, QUIET, RESULT
from gradcli.render.layout.wrapped_text import columns

DEEPEST = 12  # levels; what lies deeper starts a tree of its own below


class Tree(Frozen, Drawing):
    """The nodes below some roots.

    Args:
        nodes: the nodes of the tape by their indices; calls of libraries may be folded into one.
        labels: what each is called and how it was computed, by their indices.
        root: the node to begin with.
    """

    nodes: Mapping[int, Node]
    labels: Mapping[int, tuple[str, str]]
    root: int

    def lines(self, width: int, in_ascii: bool) -> Iterator[Line]:
        """A line a node; deep ones in further trees."""
        drawn: set[int] = set()
        roots = [self.root]
        while roots:
            root = roots.pop(0)
            if root not in drawn:
                if drawn:
                    yield []
                yield from self._below(root, drawn, roots, width)

    def _below(self, root: int, drawn: set[int], roots: list[int], width: int) -> Iterator[Line]:
        """A root and what hangs on it, without recursion: a tape may be long."""
        waiting = [(root, "", "", 0)]
        while waiting:
            index, here, further, depth = waiting.pop()
            node = self.nodes[index]
            if index in drawn or depth > DEEPEST:
                yield self._reference(index, here, "above" if index in drawn else "below")
                if index not in drawn:
                    roots.append(index)
                continue
            drawn.add(index)
            whole = self._line(node, here, short)
            yield whole if columns(whole) <= width else self._line(node, here, brief)
            children = list(dict.fromkeys(node.inputs))
            for number, child in reversed(list(enumerate(children))):
                last = number == len(children) - 1
                waiting.append(
                    (child, further + ("└─ " if last else "├─ "), further + ("   " if last else "│  "), depth + 1)
                )

    def _line(self, node: Node, branch: str, shown: Callable[[Structure], str]) -> Line:
        name, operation = self.labels[node.index]
        value, sensitivity = shown(node.value), shown(node.sensitivity)
        return [
            (branch, QUIET),
            (clean(name), NAME),
            (f" = {clean(operation)}" if operation else "", OPERATION),
            (f"  → {value}", ""),
            (f"  s {sensitivity}", RESULT),
        ]

    def _reference(self, index: int, branch: str, where: str) -> Line:
        return [(branch, QUIET), (clean(self.labels[index][0]), NAME), (f"  ({where})", QUIET)]
