"""The model behind `step`: a position among the moves of a run, and the values known there, without a terminal.

The moves are those of the forward sweep, one per computed node, followed by those of the reverse sweep, one per node
that propagates its sensitivity.
"""

from __future__ import annotations

import ast
import linecache
import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache
from operator import attrgetter

from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.explanations import Steps, SweepStep
from gradcli.shared.records.result_and_finding import Structure
from gradcli.shared.records.tapes import Node, Outcome
from gradcli.terminal.render.sweeps.running_sensitivities import RunningSensitivities

WHOLE = slice(None)
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class Cells(Frozen):
    """A row of the tape as known at a position; unknown values are None.

    `current` marks the node of the last move; `value_is_new` and `sensitivity_is_new` mark the change it made.
    """

    node: Node
    value: Structure
    sensitivity: Structure
    current: bool = False
    value_is_new: bool = False
    sensitivity_is_new: bool = False


class Position(Frozen):
    """A position among the moves of a run.

    Args:
        steps: the run.
        done: the number of moves made.
    """

    steps: Steps
    done: int = 0

    @property
    def computed(self) -> Sequence[Node]:
        return [node for node in self.steps.tape.nodes if node.inputs]

    @property
    def last(self) -> int:
        return len(self.computed) + len(self.steps.moves)

    @property
    def backwards(self) -> int:
        return max(0, self.done - len(self.computed))

    @property
    def move(self) -> SweepStep | None:
        """The last move of the reverse sweep; None during the forward sweep."""
        return self.steps.moves[self.backwards - 1] if self.backwards else None

    @property
    def node(self) -> Node | None:
        """The node of the last move; None at the start."""
        if self.move:
            return self.steps.tape.nodes[self.row_of(self.move.node)]
        return self.computed[self.done - 1] if self.done else None

    def row_of(self, index: int) -> int:
        """The row of a node; those inside calls of libraries have none."""
        return bisect_left(self.steps.tape.nodes, index, key=attrgetter("index"))

    @property
    def outcomes(self) -> Sequence[Outcome]:
        """The outcomes recorded between the last node of the forward sweep and the one before it."""
        if not self.done or self.move:
            return []
        computed = self.computed
        before = computed[self.done - 2].index if self.done > 1 else -1
        last = computed[self.done - 1].index
        upto = last if self.done < len(computed) else math.inf  # the last node has those after it too
        return [outcome for outcome in self.steps.tape.outcomes if before < outcome.before <= upto]

    def to(self, done: int) -> Position:
        """The position after a number of moves, limited to the range of the run."""
        return self.changed(done=max(0, min(done, self.last)))

    def by(self, moves: int) -> Position:
        return self.to(self.done + moves)

    def at_node(self, index: int) -> Position:
        """The position right after the move of a node, in the current sweep."""
        if self.backwards:
            for number, move in enumerate(self.steps.moves, 1):
                if move.node == index:
                    return self.to(len(self.computed) + number)
        numbers = [number for number, node in enumerate(self.computed, 1) if node.index <= index]
        return self.to(numbers[-1] if numbers else 0)

    def find(self, name: str) -> int | None:
        """The index of the node with a name, or with a number such as %7 or 7."""
        name = name.strip()
        numbers = {text: node.index for node in self.steps.tape.nodes for text in (f"%{node.index}", str(node.index))}
        return ({node.name: node.index for node in self.steps.tape.nodes if node.name} | numbers).get(name)

    def search(self, text: str) -> int | None:
        """The next computed node, wrapping around at the end, that contains a text.

        The search covers its name, its formula and its source line, and ignores case.
        """
        nodes, last = self.computed, self.node.index if self.node else -1
        after = [node for node in nodes if node.index > last]
        for node in (*after, *nodes):
            if text.lower() in f"{node.name or ''} {node.expression or node.operation} {node.source or ''}".lower():
                return node.index
        return None

    def cells(self, rows: slice = WHOLE) -> list[Cells]:
        """The rows of the tape, or a slice of them, as known here."""
        last = self.node.index if self.node else -1
        sensitivities = self.sensitivities()
        changed = {addition.node for addition in self.move.additions} if self.move else set()
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
        """The sensitivities known here, by node; that of the result is 1 from the first reverse move on."""
        moves = self.steps.moves[: self.backwards]
        running = RunningSensitivities()
        for move in moves:
            running.add(move.additions)
        of_result: dict[int, Structure] = {moves[0].node: 1.0} if moves else {}
        return of_result | {node: running[node] for node in running.names}


def enclosing(file: str, line: int) -> str:
    """The innermost function of a file that contains a line, such as `f` or `Loss.at`; empty if there is none."""
    return ".".join(definition.name for definition in _around(file, line))


def first_line(file: str, line: int) -> int:
    """The first line of the innermost function that contains a line, with its decorators; 1 if there is none."""
    return min([node.lineno for inner in [*_around(file, line)][-1:] for node in (inner, *inner.decorator_list)] or [1])


def _around(file: str, line: int) -> Iterator[_Definition]:
    """The definitions that contain a line, the outermost first."""
    inside: ast.AST | None = _module(file)
    while inside is not None:
        inside = next(
            (
                definition
                for definition in _defined(inside)
                if definition.lineno <= line <= (definition.end_lineno or 0)
            ),
            None,
        )
        if inside is not None:
            yield inside


def _defined(node: ast.AST) -> Iterator[_Definition]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child
        else:
            yield from _defined(child)


@lru_cache(maxsize=8)
def _module(file: str) -> ast.Module:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])
