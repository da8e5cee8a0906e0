"""The reverse sweep of a run, statement by statement: each contribution to a sensitivity, as text and as numbers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, count
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.explain.argument_uses import ArgumentUse
from gradcli.answers.explain.array_operation_text import array_text, subscripted
from gradcli.answers.explain.cotangents_within_statement import Masks, StatementCotangents, marks_of
from gradcli.answers.explain.node_formulas import formula_of_operands
from gradcli.answers.explain.numpy_names_and_constants import Symbols, Writer, name_text
from gradcli.answers.explain.shaped_terms import ONE, Term, total
from gradcli.answers.explain.statement_contexts import StatementContexts
from gradcli.answers.explain.statement_nodes import NodeGroup, heads, nodes_between, reshapes, statements, viewed_array
from gradcli.answers.explain.vjp_text import argument_contribution, is_passed_back, last_written
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.formula_text import ATOM, Piece
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.complex_parts import conjugated
from gradcli.mathematics.rules.indexing import Views, reads_once, view_through
from gradcli.shared.frozen_record import deferred
from gradcli.shared.pytree import record_value
from gradcli.shared.records.explanations import Addition, ArrayPart, SweepStep

LONGEST = 400  # characters of a node that is written inside another's formula, by an estimate
NUMBER = 3  # characters of a constant, in that estimate
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
        operands: the value of every quantity that has been named in a text.
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
        self._number_long_texts()
        self.statements_in_order = statements(trace, self.heads)
        self._terms_of: tuple[NodeGroup | None, dict[tuple[int, str], str]] = None, {}
        self.running = {n: np.zeros_like(x) if np.ndim(x) else 0.0 for n, x in enumerate(self.sensitivities)}

    def _names(self, is_typed: bool) -> list[str]:
        given = self.trace.names
        names = [given.get(n) or f"%{n}" for n in range(len(self.trace.nodes))]
        last = self.result
        if last is not None and last not in self.trace.input_indices() and (is_typed or last not in given):
            taken = {name for n, name in enumerate(names) if n != last}
            candidates = chain(["result"], (f"result#{number}" for number in count(2)))
            names[last] = next(name for name in candidates if name not in taken)
        return names

    def _number_long_texts(self) -> None:
        """Make a statement of each node whose formula would be long, and a number of each long name of a statement."""
        lengths: dict[int, int] = {}
        for index, node in enumerate(self.trace.nodes):
            if index not in self.heads and node.is_computed:
                parts = (lengths.get(n) or (NUMBER if n == CONSTANT else len(self.names[n])) for n in node.sources)
                lengths[index] = len(node.operation) + sum(parts)
                if lengths[index] > LONGEST:
                    del lengths[index]
                    self.heads.add(index)
            if index in self.heads and len(self.names[index]) > LONGEST_NAME:
                self.names[index] = f"%{index}"

    def backwards(self) -> Iterator[SweepStep]:
        """What each statement that affects the result adds, last one first. The terms are written when read."""
        for statement in reversed(self.statements_in_order):
            sensitivity = self.sensitivities[statement.node]
            if sensitivity != 0 if type(sensitivity) is float else np.any(sensitivity != 0):
                yield SweepStep(statement.node, tuple(self._additions(statement)))

    def formula(self, index: int) -> str:
        """The text of a statement."""
        return self.expression(index)[0]

    def expression(self, index: int) -> Piece:
        """The formula of a node, with unnamed operands written out."""
        node = self.trace.nodes[index]
        return formula_of_operands(self.writer, node, self.pieces(node)) if node.is_computed else self.text(index)

    def text(self, index: int) -> Piece:
        """A node inside another's formula: by its name, or written out."""
        node = self.trace.nodes[index]
        if index not in self.heads and node.is_computed:
            return self._written_out(index)
        if index not in self.heads and node.is_constant:
            return self.writer.constant(node.value)
        self.operands[self.names[index]] = node.value
        return name_text(self.names[index])

    def _written_out(self, index: int) -> Piece:
        """The formula of a node that is not a statement, after those of the nodes in it."""
        if index not in self.texts:
            context = self.writer.context
            for part in (*sorted(nodes_between(self.trace, index, self.heads)), index):
                if part not in self.texts and self.trace.nodes[part].is_computed:
                    self.texts[part] = self.expression(part)
            self.writer.context = context
        return self.texts[index]

    def pieces(self, node: TraceNode) -> list[Piece]:
        """The texts of a node's arguments, in the context of its statement."""
        self.writer.context = self.contexts.of(node.index)
        texts = [self.operand(index, x) for index, x in node.arguments()]
        # An array that is written into has a name
        if getattr(node.rule, "clear", None) and node.sources[0] == CONSTANT:
            texts[0] = self.writer.array(np.asarray(node.operands[0])), ATOM
        return texts

    def operand(self, index: int, value: Any) -> Piece:
        """The text of an argument: a node or a plain value."""
        return self.writer.constant(value) if index == CONSTANT else self.text(index)

    def _additions(self, statement: NodeGroup) -> Iterator[Addition]:
        """Yield the contributions of a statement."""
        numbers, passes = self._passed_back(statement)
        whole = {part.node.sources[n] for part in passes for n in part.masks} & self.heads
        reads: dict[tuple[int, str], list[NodePass]] = defaultdict(list)
        for part in passes:
            if part.place is not None:
                reads[part.place.node, part.place.name].append(part)
        for operand in sorted({*whole, *(operand for operand, _ in reads)}):
            if operand in whole:
                yield self._added(statement, operand, conjugated(numbers[operand]))
            for name in sorted(name for read, name in reads if read == operand):
                yield self._read(statement, reads[operand, name])

    def _passed_back(self, statement: NodeGroup) -> tuple[Mapping[int, Any], list[NodePass]]:
        """The cotangents within a statement, and what its nodes pass back, from its result to its operands."""
        head = statement.node
        marks = None if self.marks is None else self.marks[head]
        cotangents = StatementCotangents(head, conjugated(self.sensitivities[head]), marks)
        numbers, reached = cotangents.numbers, {head}
        passes: list[NodePass] = []
        for index in (head, *reversed(statement.steps)):
            if index not in reached or numbers[index] is UNTOUCHED:
                continue
            node = self.trace.nodes[index]
            place = self._place(node)
            masks = cotangents.pull(node) if place is None else {}
            passed = {
                n: masks.get(n, True)
                for n in (node.positions if place is None else ())
                if numbers[node.sources[n]] is not UNTOUCHED and is_passed_back(node, n, masks.get(n, True))
            }
            reached.update(node.sources[n] for n in passed)
            passes.append(NodePass(node, numbers[index], place, passed))
        return numbers, passes

    def _term(self, statement: NodeGroup, operand: int, place: str = "") -> str:
        """The text of a contribution. Those of one statement are written together."""
        if self._terms_of[0] is not statement:
            self._terms_of = statement, self._terms(statement)
        return self._terms_of[1][operand, place]

    def _terms(self, statement: NodeGroup) -> dict[tuple[int, str], str]:
        """The texts of a statement's contributions, by operand and by the name of the place that is read of it."""
        coming: dict[int, list[Term]] = defaultdict(list, {statement.node: [self._incoming(statement.node)]})
        reads: dict[tuple[int, str], list[Term]] = defaultdict(list)
        for node, cotangent, place, masks in self._passed_back(statement)[1]:
            ct = total(coming.pop(node.index))
            if place is not None:
                reads[place.node, place.name].append(ct)
            operands = self.pieces(node) if masks else []
            for position, mask in masks.items():
                use = ArgumentUse(node, position, operands, self.text(node.index))
                term = argument_contribution(self.writer, use, ct, cotangent, mask)
                assert term is not None
                coming[node.sources[position]].append(term)
        whole = {(operand, ""): terms for operand, terms in coming.items()}
        return {key: total(terms).text[0] for key, terms in (whole | reads).items()}

    def _incoming(self, head: int) -> Term:
        """The sensitivity to a statement, by name; that of the result itself is 1."""
        if head == self.result:
            return Term(ONE)
        name = self.symbols.of(self.names[head])
        self.operands[name] = self.sensitivities[head]
        return Term(name_text(name), np.shape(self.sensitivities[head]))

    def _place(self, node: TraceNode) -> ArrayPlace | None:
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
        return ArrayPlace(viewed, subscripted(name, self.key(node))[0], tuple(views), key)

    def key(self, node: TraceNode) -> str:
        """The text of the subscript with which a node reads an array."""
        self.writer.context = self.contexts.of(node.index)
        return self.writer.key(node.static["key"])

    def _added(self, statement: NodeGroup, operand: int, amount: Any) -> Addition:
        before = self.running[operand]
        after = self.running[operand] = before + amount
        term, symbol = deferred(self._term, statement, operand), self.symbols.of(self.names[operand])
        return Addition(operand, symbol, term, record_value(amount), record_value(before), record_value(after), None)

    def _read(self, statement: NodeGroup, passes: Sequence[NodePass]) -> Addition:
        """The contribution to one place of an array that was read."""
        place = passes[0].place
        assert place is not None
        node, name, views, key = place
        running = self.running[node] = np.asarray(self.running[node])
        view = view_through(running, views)
        before, amount = np.copy(view[key]), sum(conjugated(part.ct) for part in passes)
        np.add.at(view, key, amount)
        positions = view_through(_positions(running.shape), views)[key]
        part = ArrayPart(self.symbols.of(self.names[node]), running.shape, tuple(np.ravel(positions).tolist()))
        amount, before, after = map(record_value, (amount, before, view[key]))
        return Addition(node, name, deferred(self._term, statement, node, name), amount, before, after, part)


@lru_cache(maxsize=1)
def _positions(shape: tuple[int, ...]) -> Any:
    """The index of each element of an array, counted in row-major order."""
    return np.arange(math.prod(shape)).reshape(shape)


class ArrayPlace(NamedTuple):
    """One place of an array that a statement reads.

    Attributes:
        node: the node of the array.
        name: the text of the place, of the array's sensitivity.
        views: the views of the array through which it is read.
        key: the subscript.
    """

    node: int
    name: str
    views: Views
    key: Any


class NodePass(NamedTuple):
    """What a node of a statement passes back.

    Attributes:
        node: the node.
        ct: its cotangent.
        place: the place of a statement's array that it reads; None for other nodes.
        masks: the elements that count, by the position of each argument to which it passes something.
    """

    node: TraceNode
    ct: Any
    place: ArrayPlace | None
    masks: Masks
