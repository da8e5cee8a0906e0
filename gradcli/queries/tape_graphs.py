"""The tape as a graph: the uses of every node with their partials, the scopes, and the source that ran."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gradcli.answers.explain.cotangents_within_statement import StatementCotangents
from gradcli.answers.explain.reverse_mode_steps import ReverseExplanation
from gradcli.answers.explain.statement_nodes import numbered
from gradcli.answers.targets import Asked, Where
from gradcli.answers.targets.expressions import Formula
from gradcli.engine.code.statements_by_line import source_lines
from gradcli.engine.running.bound_call import name_of
from gradcli.engine.traces.names_and_source_lines import parameters
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.queries.bound_target import ask
from gradcli.queries.explanation import ScopeList
from gradcli.queries.tape_listing import listing_of, nodes_of
from gradcli.shared.pytree import record_value
from gradcli.shared.records.tape_graphs import NodeUse, ProgramText, TapeGraph
from gradcli.shared.records.tapes import Node, TapeListing

MOST_TERMS = 2000  # nodes of a run whose terms are written out: a picture shows far fewer


def tape_graph(
    target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu", libraries: bool = False
) -> TapeGraph:
    """The graph of a run of `target` at `at`.

    Each call of an installed package's function is one node, unless `libraries` is set.

    Raises:
        UsageError: the target or the point cannot be understood, found or fitted.
        ResultError: the result is not one number.
    """
    question = ask(target, at, wrt, device)
    trace = question.record(names=True, libraries=libraries, numbered=numbered)
    listing = listing_of(question, trace)
    if question.device.number is not None:  # the terms of the sweep are written from numbers of the host
        trace = question.on_host().record(names=True, libraries=libraries, numbered=numbered)
    return _graph(listing, trace, is_typed=isinstance(question.function, Formula))


def graph_of(trace: Trace) -> TapeGraph:
    """The graph of a recorded run whose result is one number, with the names and lines that were recorded."""
    listing = TapeListing(
        name_of(trace.function),
        {name: record_value(value) for name, value in zip(_argument_names(trace), trace.arguments, strict=True)},
        record_value(trace.value),
        tuple(nodes_of(trace, is_typed=False)),
        result=trace.result_index(),
    )
    return _graph(listing, trace, is_typed=False)


def _argument_names(trace: Trace) -> list[str]:
    code = getattr(trace.function, "__code__", None)
    names = list(parameters(code)) if code else []
    return [names[n] if n < len(names) else f"argument {n + 1}" for n in range(len(trace.arguments))]


def _graph(listing: TapeListing, trace: Trace, *, is_typed: bool) -> TapeGraph:
    has_terms = len(trace.nodes) <= MOST_TERMS
    explanation = ReverseExplanation(trace, range(len(trace.nodes)) if has_terms else (), is_typed=is_typed)
    scopes = ScopeList(explanation)
    within = tuple(None if is_typed else scopes.index(trace.scopes.of_row(node.index)) for node in trace.nodes)
    added: dict[tuple[int, int], list[Any]] = {}
    if has_terms:
        for backward in explanation.backwards():
            for addition in backward.additions:
                added.setdefault((addition.node, backward.node), []).append(addition)
    fields = dict(listing.items())
    if has_terms and not is_typed:
        fields["nodes"] = tuple(_with_formula(node, explanation) for node in listing.nodes)
    return TapeGraph(
        **fields,
        uses=tuple(use for node in trace.nodes for use in _uses(node, added)),
        scopes=scopes.listed(),
        within=within,
        program=tuple(program_of(listing)),
    )


def _with_formula(node: Node, explanation: ReverseExplanation) -> Node:
    """A node with the program's names for its constant arrays."""
    return node.changed(expression=explanation.formula(node.index)) if node.inputs else node


def _uses(node: TraceNode, added: dict[tuple[int, int], list[Any]]) -> Iterator[NodeUse]:
    if not node.is_computed:
        return
    passed = _passed(node)
    for used in dict.fromkeys(node.inputs):
        contributions = added.get((used, node.index), [])
        term = ", ".join(f"{contribution.name} += {contribution.term}" for contribution in contributions)
        amount = contributions[0].amount if len(contributions) == 1 else None
        yield NodeUse(used, node.index, _partial(node, used, passed[used]), term, amount)


def _passed(node: TraceNode) -> Mapping[int, Any]:
    """The contributions of a node to its arguments for a cotangent of ones."""
    ones = np.ones_like(node.value)[()] if np.ndim(node.value) or node.is_of_arrays else 1.0
    cotangents = StatementCotangents(node.index, ones, None)
    cotangents.pull(node)
    return cotangents.numbers


def _partial(node: TraceNode, used: int, passed: Any) -> tuple[float, ...] | None:
    """The partial by one argument: a number, or the least and the greatest of many; None for a matrix."""
    position = node.sources.index(used)
    if node.rule is None or getattr(node.rule, "moves", False) or getattr(node.rule, "reads", False):
        is_kept = np.ravel(passed) != 0 if getattr(node.rule, "writes", False) else np.True_
        return (1.0,) if np.all(is_kept) else (0.0, 1.0) if np.any(is_kept) else (0.0,)
    if np.ndim(node.value) and not isinstance(node.rule, Elementwise):
        return (1.0,) if node.rule.casts else None
    if np.shape(node.value) not in ((), np.shape(node.operands[position])):
        return None  # what is passed back was summed over a broadcast
    partials = np.asarray(passed)
    if partials.dtype.kind == "c" or not partials.size:
        return None
    least, most = float(np.min(partials)), float(np.max(partials))
    return (least,) if least == most or np.isnan(least) else (least, most)


def program_of(listing: TapeListing) -> Iterator[ProgramText]:
    """The source of the functions that made nodes, or the typed expression."""
    if listing.reading is not None:
        yield ProgramText(None, 1, (listing.target,))
        return
    lines: dict[str, set[int]] = {}
    for node in listing.nodes:
        if node.file and node.line and not node.file.startswith("<"):
            lines.setdefault(node.file, set()).add(node.line)
    for file, numbers in lines.items():
        text = source_lines(file)
        for first, last in sorted({text.function(number) for number in numbers}):
            yield ProgramText(file, first, text.lines(first, last))
