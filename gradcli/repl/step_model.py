"""Stepping through a run: a place among its moves, and what is known there; no terminal, nothing computed.

The moves are those of the forward sweep, one a computed node, and then those of the reverse sweep, one for each node
that passes its sensitivity back.
"""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from functools import lru_cache

from gradcli.record_base import Frozen
from gradcli.records import Move, Node, Outcome, Steps, Structure

WHOLE = slice(None)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Cells(Frozen):
    """A row of the tape as it is known at a place; what is not known yet is None.

    `current` says that the last move was this node's; `value_is_new` and `sensitivity_is_new`, what it changed.
    """

    node: Node
    value: Structure
    sensitivity: Structure
    current: bool = False
    value_is_new: bool = False
    sensitivity_is_new: bool = False


class Position(Frozen):
    """A place among the moves of a run.

    Args:
        steps: the run.
        done: how many moves have been made.
    """

    steps: Steps
    done: int = 0

    @property
    def computed(self) -> Sequence[Node]:
        """The nodes that the forward sweep computes, in order."""
        return [node for node in self.steps.tape.nodes if node.inputs]

    @property
    def last(self) -> int:
        """How many moves there are."""
        return len(self.computed) + len(self.steps.moves)

    @property
    def backwards(self) -> int:
        """How many moves of the reverse sweep have been made."""
        return max(0, self.done - len(self.computed))

    @property
    def move(self) -> Move | None:
        """The move of the reverse sweep that was made last; None within the forward sweep."""
        return self.steps.moves[self.backwards - 1] if self.backwards else None

    @property
    def node(self) -> Node | None:
        """The node whose move was the last; None at the beginning."""
        if self.move:
            return self.steps.tape.nodes[self.move.node]
        return self.computed[self.done - 1] if self.done else None

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """What the program asked between the node of the last move of the forward sweep and the one before it."""
        if not self.done or self.move:
            return []
        computed = self.computed
        before = computed[self.done - 2].index if self.done > 1 else -1
        last = computed[self.done - 1].index
        upto = last if self.done < len(computed) else len(self.steps.tape.nodes)  # what the end asks, too
        return [each for each in self.steps.tape.outcomes if before < each.before <= upto]

    def to(self, done: int) -> Position:
        """The place after so many moves, or the nearest that there is."""
        return self.changed(done=max(0, min(done, self.last)))

    def by(self, moves: int) -> Position:
        """So many moves on, or back."""
        return self.to(self.done + moves)

    def at_node(self, index: int) -> Position:
        """Where a node has just had its move, in the sweep that is under way."""
        if self.backwards:
            for number, move in enumerate(self.steps.moves, 1):
                if move.node == index:
                    return self.to(len(self.computed) + number)
        found = [number for number, node in enumerate(self.computed, 1) if node.index <= index]
        return self.to(found[-1] if found else 0)

    def find(self, name: str) -> int | None:
        """The node that a name or a number such as %7 or 7 means."""
        name = name.strip()
        numbers = {text: node.index for node in self.steps.tape.nodes for text in (f"%{node.index}", str(node.index))}
        return ({node.name: node.index for node in self.steps.tape.nodes if node.name} | numbers).get(name)

    def search(self, text: str) -> int | None:
        """The next computed node, seen from the last move's and round the end, that holds a text.

        Its name, its formula and its source line are looked at, whatever the case.
        """
        nodes, last = self.computed, self.node.index if self.node else -1
        after = [node for node in nodes if node.index > last]
        for node in (*after, *nodes):
            if text.lower() in f"{node.name or ''} {node.expression or node.operation} {node.source or ''}".lower():
                return node.index
        return None

    def cells(self, rows: slice = WHOLE) -> list[Cells]:
        """Every row of the tape, or some of them, as far as they are known here."""
        last = self.node.index if self.node else -1
        sensitivities = self.sensitivities()
        changed = {index for index, _ in self.move.after} if self.move else set()
        first = bool(self.move) and self.backwards == 1
        return [
            Cells(
                node,
                node.value if self.move or not node.inputs or node.index <= last else None,
                sensitivities.get(node.index),
                node.index == last,
                node.index == last and not self.move,
                node.index in changed or (first and node.index == last),
            )
            for node in self.steps.tape.nodes[rows]
        ]

    def sensitivities(self) -> dict[int, Structure]:
        """What the reverse sweep has come to, by node; that of the result is 1 from its beginning."""
        moves = self.steps.moves[: self.backwards]
        found: dict[int, Structure] = {moves[0].node: 1.0} if moves else {}
        for move in moves:
            found |= dict(move.after)
        return found


def enclosing(file: str, line: int) -> str:
    """The innermost function of a file that holds a line, `f` or `Loss.at`; empty where there is none."""
    found: list[str] = []
    nodes: list[ast.AST] = [_module(file)]
    while nodes:
        inner = next((each for each in _defined(nodes.pop()) if each.lineno <= line <= (each.end_lineno or 0)), None)
        if inner is not None:
            found.append(inner.name)
            nodes = [inner]
    return ".".join(found)


def _defined(node: ast.AST) -> Iterator[_Definition]:
    for each in ast.iter_child_nodes(node):
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield each
        else:
            yield from _defined(each)


@lru_cache(maxsize=8)
def _module(file: str) -> ast.Module:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
