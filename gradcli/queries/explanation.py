"""Explanation of a gradient in the user's names and in numbers: the sweeps by statement, and a run step by step."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from gradcli.answers.explain import outcome_remarks
from gradcli.answers.explain.named_values import NamedValues
from gradcli.answers.explain.numpy_names_and_constants import Symbols
from gradcli.answers.explain.reverse_mode_steps import ReverseExplanation
from gradcli.answers.explain.statement_nodes import heads, numbered
from gradcli.answers.targets import Asked, Where
from gradcli.answers.targets.expressions import Formula
from gradcli.engine.code.statements_by_line import source_lines
from gradcli.engine.traces.names_and_source_lines import parameters
from gradcli.engine.traces.node import descendants
from gradcli.engine.traces.scopes import ProgramScope, versions
from gradcli.engine.traces.trace import Trace
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.queries.bound_target import Question, ask
from gradcli.queries.node_selection import direction, picked
from gradcli.queries.tape_listing import listing_of
from gradcli.shared.frozen_record import deferred
from gradcli.shared.pytree import leaves, map_leaves, record_value
from gradcli.shared.records.explanations import (
    Addition,
    Explanation,
    ForwardSweep,
    OutcomeRemark,
    Scope,
    Statement,
    Steps,
)


def explain(
    target: Asked, at: Where, wrt: str | None = None, *, node: str | None = None, libraries: bool = False
) -> Explanation:
    """The reverse sweep of a run of `target` at `at`.

    Args:
        target: a target as typed, or as resolved before.
        at: the point, as typed or by name.
        wrt: restricts the sweep to contributions to these inputs.
        node: restricts the sweep to contributions to the sensitivity to this quantity: `t_cd`, `x#3`, `%7`.
        libraries: includes the lines of installed packages; without it, each call of their functions is one step.

    Raises:
        UsageError: the target, the point or the quantity cannot be understood, found or fitted.
        ResultError: the result is not one number.
    """
    question, trace, value = _recorded(target, at, wrt, libraries)
    chosen = None if node is None else picked(trace, node)
    is_typed = isinstance(question.function, Formula)
    shown = _ends(trace) if is_typed else None
    if chosen is not None:
        shown = {*heads(trace, shown), chosen.node}
    explanation = ReverseExplanation(trace, shown, is_typed=is_typed, names_numbers=True)
    sensitivities = explanation.sensitivities
    inputs = dict(zip(question.point, trace.inputs, strict=True))
    if chosen is None:
        ends = {index for name in question.wanted for index in leaves(inputs[name])}
        sensitivities_by_name = {name: map_leaves(sensitivities.__getitem__, inputs[name]) for name in question.wanted}
    else:
        ends = {chosen.node}
        sensitivities_by_name = {explanation.symbols.of(chosen.name): chosen.read(sensitivities[chosen.node])}
    scopes = ScopeList(explanation)
    wanted = descendants(trace.nodes, ends)
    statements = tuple(
        scopes.statement(step.node, explanation.symbols, additions)
        for step in explanation.backwards()
        if (additions := tuple(addition for addition in step.additions if addition.node in wanted))
    )
    remarks = () if chosen or is_typed else tuple(_remark_records(explanation, scopes))
    within = scopes.index(trace.scopes.of_row(chosen.node)) if chosen and not is_typed else None
    return question.answer(
        Explanation,
        value,
        statements,
        record_value(sensitivities_by_name),
        NamedValues(explanation, [*statements, *remarks]),
        chosen.name if chosen else None,
        findings=question.listed_findings(trace),
        scopes=scopes.listed(),
        remarks=remarks,
        of_within=within,
    )


def forward_sweep(
    target: Asked, at: Where, along: str | None = None, wrt: str | None = None, *, libraries: bool = False
) -> ForwardSweep:
    """The forward sweep of a run of `target` at `at`, along one input or a direction.

    Args:
        target: a target as typed, or as resolved before.
        at: the point, as typed or by name.
        along: one number of the point (`x`, `x[0]`), one of its arrays (whose elements move alike), or a direction
            typed like a point; by default the first number.
        wrt: the inputs to differentiate by; whole numbers among the others stay integers.
        libraries: includes the lines of installed packages; without it, each call of their functions is one step.

    Raises:
        UsageError: the target, the point or the direction cannot be understood, found or fitted.
        ResultError: the result is not one number.
    """
    from gradcli.answers.explain.forward_mode_steps import ForwardExplanation

    question, trace, value = _recorded(target, at, wrt, libraries)
    moving = direction(question, along)
    moves = dict(zip(trace.input_indices(), leaves(list(moving.values())), strict=True))
    is_typed = isinstance(question.function, Formula)
    explanation = ForwardExplanation(trace, moves, _ends(trace) if is_typed else None, is_typed=is_typed)
    last = trace.result_index()
    scopes = ScopeList(explanation.reverse)
    statements = tuple(
        scopes.statement(statement.node, explanation.symbols, deferred(explanation.additions, statement))
        for statement in explanation.forwards()
    )
    remarks = () if is_typed else tuple(_remark_records(explanation.reverse, scopes))
    return question.answer(
        ForwardSweep,
        value,
        record_value(moving),
        statements,
        0.0 if last is None else float(explanation.tangents[last]),
        NamedValues(explanation.reverse, [*statements, *remarks]),
        findings=question.listed_findings(trace),
        scopes=scopes.listed(),
        remarks=remarks,
    )


def _recorded(target: Asked, at: Where, wrt: str | None, libraries: bool) -> tuple[Question, Trace, float]:
    """The question, its run with names, and the run's result, which must be one number."""
    question = ask(target, at, wrt)
    trace = with_results(question.record(names=True, libraries=libraries, numbered=numbered))
    return question, trace, float(number_of(question.function, trace.value, needed_by="explain"))


def with_results(trace: Trace) -> Trace:
    """The same run, with unnamed results of calls named after the functions."""
    results = {index: name for index, name in trace.scopes.results().items() if index not in trace.names}
    return trace.renamed({**trace.names, **versions(results, trace.scopes.of_row)}) if results else trace


class ScopeList:
    """The scopes of a list of statements, with their indices."""

    def __init__(self, explanation: ReverseExplanation) -> None:
        self._explanation = explanation
        self._indices: dict[ProgramScope, int] = {}
        self._records: list[Scope] = []

    def listed(self) -> tuple[Scope, ...]:
        """All scopes, each after the ones around it."""
        return tuple(self._records)

    def index(self, scope: ProgramScope | None) -> int | None:
        """The index of a scope, which is added to the list with the ones around it."""
        if scope is None:
            return None
        for outer in [*takewhile(lambda outer: outer not in self._indices, scope.up())][::-1]:
            parent = self._indices[outer.parent] if outer.parent else None
            self._indices[outer] = len(self._records)
            self._records.append(self._record(outer, parent))
        return self._indices[scope]

    def statement(self, index: int, symbols: Symbols, additions: tuple[Addition, ...]) -> Statement:
        """The record of a statement.

        Args:
            index: the node that it computed.
            symbols: names its sensitivity, or its tangent.
            additions: what the statement adds to the sensitivities of its operands, or to its own tangent.
        """
        name, trace = self._explanation.names[index], self._explanation.trace
        scope, file, line = trace.scopes.site_of_row(index)
        if file is None or line is None or file.startswith("<"):  # a typed expression
            scope, file, line = None, None, None
        return Statement(
            index,
            name,
            symbols.of(name),
            deferred(self._explanation.formula, index),
            record_value(trace.nodes[index].value),
            record_value(self._explanation.sensitivities[index]),
            file,
            line,
            source_lines(file).text(line) or None if file and line else None,
            additions,
            self.index(scope),
        )

    def _record(self, scope: ProgramScope, parent: int | None) -> Scope:
        activation, names = scope.activation, self._explanation.names
        arguments: dict[str, str] = {}
        if activation is not None:
            known = activation.arguments | {name: names[index] for name, index in activation.sources.items()}
            arguments = {name: known[name] for name in parameters(activation.code) if name in known}
        result = activation.result if activation else None
        return Scope(
            scope.kind,
            scope.file,
            scope.line,
            source_lines(scope.file).text(scope.line) or None,
            scope.name,
            scope.number,
            scope.of,
            parent,
            arguments,
            None if result is None else names[result],
        )


def _remark_records(explanation: ReverseExplanation, scopes: ScopeList) -> Iterator[OutcomeRemark]:
    for remark in outcome_remarks.remarks(explanation):
        site, text = remark.site, deferred(getattr, remark, "text")
        source = source_lines(site.file).text(site.line) if site.file and site.line else None
        yield OutcomeRemark(text, remark.before, site.file, site.line, source or None, scopes.index(site.scope))


def _ends(trace: Trace) -> set[int]:
    """The nodes to report of a typed expression: the inputs and the result."""
    last = trace.result_index()
    return {*trace.input_indices(), *([] if last is None else [last])}


def steps(target: Asked, at: Where, wrt: str | None = None) -> Steps:
    """Every step of the forward and reverse sweeps of a run of `target` at `at`, node by node.

    Raises:
        UsageError: the target or the point cannot be understood, found or fitted.
        ResultError: the result is not one number.
    """
    question = ask(target, at, wrt)
    trace = question.record(names=True, numbered=numbered)
    listing = listing_of(question, trace)
    explanation = ReverseExplanation(trace, [node.index for node in trace.shown])
    moves = tuple(explanation.backwards())
    return Steps(listing, moves, NamedValues(explanation, moves))
