"""The forward sweep of a run, statement by statement: each tangent from those of the statement's operands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.explain.argument_uses import ArgumentUse
from gradcli.answers.explain.array_operation_text import subscripted, written_place
from gradcli.answers.explain.jvp_text import node_tangent
from gradcli.answers.explain.numpy_names_and_constants import Symbols, name_text
from gradcli.answers.explain.reverse_mode_steps import ReverseExplanation
from gradcli.answers.explain.shaped_terms import Term, total
from gradcli.answers.explain.statement_nodes import NodeGroup
from gradcli.answers.explain.vjp_text import last_written, written_places
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.formula_text import ATOM, Piece
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.pytree import record_value
from gradcli.shared.records.explanations import Addition

# What an operand adds to the tangent of a statement, and this tangent before and after.
Growth = tuple[Any, Any, Any]


class TangentOperand(NamedTuple):
    """An operand of a statement: a node, its subscript if only one is read, and the nodes where its tangent enters."""

    node: int
    place: str
    enters: frozenset[int]


class ForwardExplanation:
    """The tangents of a run, with explanations.

    Args:
        trace: a run with the user's names, whose result is one number.
        moving: the tangents of the inputs, by node; other inputs do not move.
        fixed: the nodes to report; by default those that the user would name.
        is_typed: whether the run is that of a typed expression.

    Attributes:
        reverse: names the quantities, and writes the statements.
    """

    def __init__(
        self,
        trace: Trace,
        moving: Mapping[int, Any],
        fixed: Collection[int] | None = None,
        *,
        is_typed: bool = False,
    ) -> None:
        self.reverse = ReverseExplanation(trace, fixed, is_typed=is_typed, names_numbers=True)
        self.trace = trace
        self.symbols = Symbols("d", self.reverse.names)
        self.reverse.writer.reserve(self.symbols.stems.values())
        self.tangents = trace.tangents(moving)

    def forwards(self) -> Iterator[NodeGroup]:
        """The moving statements, in order."""
        return (statement for statement in self.reverse.statements_in_order if any(self._moving(statement)))

    def additions(self, statement: NodeGroup) -> tuple[Addition, ...]:
        """The contributions of a statement to its own tangent, one for each moving operand."""
        value = self.trace.nodes[statement.node].value
        moved: Any = np.zeros_like(value) if np.ndim(value) else 0.0
        additions = []
        for source, others, amount in self._moving(statement):
            before, moved = moved, moved + amount
            additions.append(self._addition(statement, source, others, (amount, before, moved)))
        return tuple(additions)

    def _moving(self, statement: NodeGroup) -> Iterator[tuple[TangentOperand, Collection[int], Any]]:
        """The operands that move a statement, each with the nodes where others enter, and the tangent that it adds."""
        sources = self._sources(statement)
        entered = frozenset().union(*(source.enters for source in sources))
        for source in sources:
            others = entered - source.enters
            with ignored_float_errors():
                amount = self._amount(statement, source, others)
            if np.any(amount != 0):
                yield source, others, amount

    def _addition(
        self, statement: NodeGroup, source: TangentOperand, others: Collection[int], growth: Growth
    ) -> Addition:
        """The contribution of one operand to the tangent, or to the one place of it that the statement writes."""
        name, symbol = (self.symbols.of(self.reverse.names[n]) for n in (statement.node, source.node))
        self.reverse.operands[symbol] = self.tangents[source.node]  # the number of a name that the text mentions
        coming = self._coming(statement, source, others, name_text(symbol))
        node = self.trace.nodes[statement.node]
        if getattr(node.rule, "clear", None) and node.sources[0] not in coming:
            places = written_places(node)
            if node.sources[1] in coming and np.all(last_written(places)):
                place = written_place(self.reverse.writer, (name, ATOM), node.static)
                parts = (record_value(np.ravel(number)[places]) for number in growth)
                return Addition(statement.node, place, coming[node.sources[1]].text[0], *parts)
        if statement.node not in coming:
            coming[statement.node] = total(list(self._pieces(node, coming)))
        return Addition(statement.node, name, coming[statement.node].text[0], *map(record_value, growth))

    def _sources(self, statement: NodeGroup) -> list[TangentOperand]:
        """The moving operands of a statement, in program order; a place that is read twice occurs once."""
        sources: dict[tuple[int, str], set[int]] = {}
        for index in (*statement.steps, statement.node):
            node = self.trace.nodes[index]
            for operand in node.inputs:
                if operand not in self.reverse.heads or not np.any(self.tangents[operand] != 0):
                    continue
                place = self.reverse.key(node) if node.rule is not None and node.rule.reads else ""
                sources.setdefault((operand, place), set()).add(index if place else operand)
        return [TangentOperand(*read, frozenset(enters)) for read, enters in sorted(sources.items())]

    def _amount(self, statement: NodeGroup, source: TangentOperand, others: Collection[int]) -> Any:
        """The tangent of a statement if only one operand moves, under IEEE 754."""
        moved: dict[int, Any] = defaultdict(int, dict.fromkeys(others, 0))
        standing = {source.node: self.tangents[source.node]}
        for index in source.enters:
            moved[index] = self.trace.nodes[index].tangent(standing) if source.place else self.tangents[index]
        for index in (*statement.steps, statement.node):
            if index not in moved:
                moved[index] = self.trace.nodes[index].tangent(moved)
        return moved[statement.node]

    def _coming(
        self, statement: NodeGroup, source: TangentOperand, others: Collection[int], tangent: Piece
    ) -> dict[int, Term]:
        """The texts of the tangents of a statement's steps if only one operand moves, whose tangent has a name."""
        name = subscripted(tangent, source.place) if source.place else tangent
        coming = {n: Term(name, np.shape(self.trace.nodes[n].value)) for n in source.enters}
        for index in statement.steps:
            if index in coming or index in others:
                continue
            if terms := list(self._pieces(self.trace.nodes[index], coming)):
                coming[index] = total(terms)
        return coming

    def _pieces(self, node: TraceNode, coming: Mapping[int, Term]) -> Iterator[Term]:
        operands = self.reverse.pieces(node)
        for position in node.positions:
            if (dot := coming.get(node.sources[position])) is not None:
                use = ArgumentUse(node, position, operands, self.reverse.text(node.index))
                term = node_tangent(self.reverse.writer, use, dot, np.ones_like(node.operands[position]))
                if term is not None:
                    yield term
