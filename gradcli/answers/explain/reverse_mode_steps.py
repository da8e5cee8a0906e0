"""The reverse sweep of a run, statement by statement: each contribution to a sensitivity, as text and as numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.explain.array_operation_text import array_text, subscripted
from gradcli.answers.explain.cotangents_within_statement import StatementCotangents, marks_of
from gradcli.answers.explain.elementwise_terms import ArgumentUse
from gradcli.answers.explain.node_formulas import formula_of_operands, outcome_question
from gradcli.answers.explain.numpy_names_and_constants import Writer, name_text
from gradcli.answers.explain.sensitivity_names import Symbols
from gradcli.answers.explain.shaped_terms import ONE, Term, total
from gradcli.answers.explain.statement_contexts import StatementContexts
from gradcli.answers.explain.statement_nodes import NodeGroup, heads, reshapes, statements, viewed_array
from gradcli.answers.explain.vjp_text import argument_contribution, last_written
from gradcli.engine.code.statements_by_line import source_lines
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import CONSTANT, TraceNode, TraceOutcome
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.formula_text import ATOM, Piece
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.complex_parts import conjugated
from gradcli.mathematics.rules.indexing import Views, reads_once, view_through
from gradcli.shared.pytree import record_value
from gradcli.shared.records.explanations import Addition, ArrayPart, Statement

LONGEST = 400  # characters of a node that is written inside another's formula
LONGEST_NAME = 40  # characters of the text that names a part of a typed expression


class ReverseExplanation:
    """The sensitivities of a run, with explanations.

    Args:
        trace: a run with the user's names, whose result is one number.
        fixed: the nodes to report; by default those that the user would name.
        is_typed: whether the run is that of a typed expression; its parts are named by their text, and the whole is
            `result`.
        names_numbers: whether constants with many digits are written as names, whose values are among the operands.

    Attributes:
        operands: the value of every name that occurs in a formula.
    """

    def __init__(
        self,
        trace: Trace,
        fixed: Collection[int] | None = None,
        *,
        is_typed: bool = False,
        names_numbers: bool = False,
    ) -> None:
        self.trace = trace
        self.result = trace.result_index()
        self.sensitivities = trace.sensitivities()
        self.marks = marks_of(trace)
        self.names = self._names(is_typed)
        self.writer = Writer(self.names, trace.arrays, names_numbers=names_numbers)
        self.symbols = Symbols("s", self.names)
        self.writer.reserve(self.symbols.stems.values())
        self.operands: dict[str, Any] = {}
        self.texts: dict[int, Piece] = {}
        self.contexts = StatementContexts(trace, self.writer, self.operand)
        self.heads = heads(trace, fixed)
        self._write_out()
        self.statements_in_order = statements(trace, self.heads)
        self.running = {n: np.zeros_like(x) if np.ndim(x) else 0.0 for n, x in enumerate(self.sensitivities)}

    def _names(self, is_typed: bool) -> list[str]:
        given = self.trace.names
        names = [given.get(n) or f"%{n}" for n in range(len(self.trace.nodes))]
        last = self.result
        if last is not None and last not in self.trace.input_indices() and (is_typed or last not in given):
            taken = {name for n, name in enumerate(names) if n != last}
            names[last] = next(name for k in count(1) if (name := _numbered("result", k)) not in taken)
        return names

    def _write_out(self) -> None:
        """Write the formula of every node that is not a statement; a node with a long formula becomes a statement."""
        for index, node in enumerate(self.trace.nodes):
            if index not in self.heads and node.is_computed:
                text = self.expression(index)
                if len(text[0]) > LONGEST:
                    self.heads.add(index)
                else:
                    self.texts[index] = text
            if index in self.heads and len(self.names[index]) > LONGEST_NAME:
                self.names[index] = f"%{index}"

    def backwards(self) -> Iterator[Statement]:
        """The statements that affect the result, last one first."""
        for statement in reversed(self.statements_in_order):
            sensitivity = self.sensitivities[statement.node]
            if sensitivity != 0 if type(sensitivity) is float else np.any(sensitivity != 0):
                yield self._tell(statement)

    def _tell(self, statement: NodeGroup) -> Statement:
        node = self.trace.nodes[statement.node]
        operands = self.pieces(node)
        formula = formula_of_operands(self.writer, node, operands)[0]
        return self.record(statement.node, self.symbols, formula, self._additions(statement, operands))

    def record(self, index: int, symbols: Symbols, formula: str, additions: Iterable[Addition]) -> Statement:
        """The record of a statement, without its scope.

        Args:
            index: the node that it computed.
            symbols: names its sensitivity, or its tangent.
            formula: the text of the node.
            additions: what the statement adds to the sensitivities of its operands, or to its own tangent.
        """
        _, file, line = self.trace.scopes.site_of_row(index)
        if file is None or line is None or file.startswith("<"):  # a typed expression
            file, line = None, None
        return Statement(
            index,
            self.names[index],
            symbols.of(self.names[index]),
            formula,
            record_value(self.trace.nodes[index].value),
            record_value(self.sensitivities[index]),
            file,
            line,
            source_lines(file).text(line) or None if file and line else None,
            tuple(additions),
        )

    def expression(self, index: int) -> Piece:
        """The formula of a node, with unnamed operands written out."""
        node = self.trace.nodes[index]
        return formula_of_operands(self.writer, node, self.pieces(node)) if node.is_computed else self.text(index)

    def text(self, index: int) -> Piece:
        """A node inside another's formula: by its name, or written out."""
        if index in self.texts:
            return self.texts[index]
        node = self.trace.nodes[index]
        if node.is_constant and index not in self.heads:
            return self.writer.constant(node.value)
        self.operands[self.names[index]] = node.value
        return name_text(self.names[index])

    def pieces(self, node: TraceNode) -> list[Piece]:
        """The texts of a node's arguments."""
        self.writer.context = self.contexts.of(node.index)
        texts = [self.operand(index, x) for index, x in node.arguments()]
        # An array that is written into has a name
        if getattr(node.rule, "clear", None) and node.sources[0] == CONSTANT:
            texts[0] = self.writer.array(np.asarray(node.operands[0])), ATOM
        self.operands.update(self.writer.constants)
        return texts

    def asked(self, outcome: TraceOutcome) -> Piece:
        """The question behind an outcome, as text: `x > 1`, `round(3 * x)`."""
        return outcome_question(self.writer, outcome, self.operand)

    def operand(self, index: int, value: Any) -> Piece:
        """The text of an argument: a node or a plain value."""
        return self.writer.constant(value) if index == CONSTANT else self.text(index)

    def _additions(self, statement: NodeGroup, operands: list[Piece]) -> Iterator[Addition]:
        """Yield the contributions of a statement, found by going back through its nodes as text and as numbers."""
        head = statement.node
        coming: dict[int, list[Term]] = {head: [self._incoming(head)]}
        marks = None if self.marks is None else self.marks[head]
        cotangents = StatementCotangents(head, conjugated(self.sensitivities[head]), marks)
        numbers = cotangents.numbers
        reads: dict[tuple[int, str], _Read] = {}
        for index in (head, *reversed(statement.steps)):
            if not coming.get(index) or numbers[index] is UNTOUCHED:
                continue
            node, ct, number = self.trace.nodes[index], total(coming[index]), numbers[index]
            if (read := self._place(node)) is not None:
                reads.setdefault((read.node, read.name), read).add(ct, conjugated(number))
                continue
            masks = cotangents.pull(node)
            operands = operands if index == head else self.pieces(node)
            for position in node.positions:
                operand = node.sources[position]
                if numbers[operand] is not UNTOUCHED:
                    use = ArgumentUse(node, position, operands, self.text(index))
                    term = argument_contribution(self.writer, use, ct, number, masks.get(position, True))
                    coming.setdefault(operand, []).extend([term] if term else [])
        self.operands.update(self.writer.constants)
        whole = [operand for operand in coming if operand in self.heads and operand != head and coming[operand]]
        for operand in sorted({*whole, *(operand for operand, _ in reads)}):
            if operand in whole:
                yield self._added(operand, total(coming[operand]).text[0], conjugated(numbers[operand]))
            for name in sorted(name for read, name in reads if read == operand):
                yield self._read(reads[operand, name])

    def _incoming(self, head: int) -> Term:
        """The sensitivity to a statement, by name; that of the result itself is 1."""
        if head == self.result:
            return Term(ONE)
        name = self.symbols.of(self.names[head])
        self.operands[name] = self.sensitivities[head]
        return Term(name_text(name), np.shape(self.sensitivities[head]))

    def _place(self, node: TraceNode) -> _Read | None:
        """The place that a node reads of a statement's array, if no element is read twice."""
        if node.rule is None or not node.rule.reads or (node.sources[0] not in self.heads and reshapes(node)):
            return None
        key, x = node.static["key"], node.operands[0]
        if not reads_once(key) and not np.all(last_written(np.arange(np.size(x)).reshape(np.shape(x))[key])):
            return None
        viewed = viewed_array(self.trace, node, self.heads)
        if viewed not in self.heads:
            return None
        views: list[tuple[ArrayRule, Mapping[str, Any]]] = []
        index = node.sources[0]
        while index != viewed:
            view = self.trace.nodes[index]
            views.insert(0, (view.rule, view.static))
            index = view.sources[0]
        name: Piece = self.symbols.of(self.names[viewed]), ATOM
        for rule, static in views:
            name = array_text(self.writer, rule, [name], static)
        return _Read(viewed, subscripted(name, self.writer.key(key))[0], tuple(views), key, [], [])

    def _added(self, operand: int, term: str, amount: Any) -> Addition:
        before = self.running[operand]
        after = self.running[operand] = before + amount
        numbers = map(record_value, (amount, before, after))
        return Addition(operand, self.symbols.of(self.names[operand]), term, *numbers)

    def _read(self, read: _Read) -> Addition:
        """The contribution to one place of an array that was read."""
        total_ = np.copy(self.running[read.node])
        place = view_through(total_, read.views)
        before, amount = np.copy(place[read.key]), sum(read.amounts)
        np.add.at(place, read.key, amount)
        self.running[read.node] = total_
        positions = view_through(np.arange(total_.size).reshape(total_.shape), read.views)[read.key]
        term, symbol = total(read.terms).text[0], self.symbols.of(self.names[read.node])
        part = ArrayPart(symbol, total_.shape, tuple(np.ravel(positions).tolist()))
        amount, before, after = map(record_value, (amount, before, place[read.key]))
        return Addition(read.node, read.name, term, amount, before, after, part)


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}#{number}"


class _Read(NamedTuple):
    """One place of an array that a statement reads, with the contributions to it."""

    node: int
    name: str
    views: Views
    key: Any
    terms: list[Term]
    amounts: list[Any]

    def add(self, term: Term, amount: Any) -> None:
        """Add the contribution of one more use."""
        self.terms.append(term)
        self.amounts.append(amount)
