"""The tape of a run: every node with its sensitivity, and every outcome."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradcli.answers.checks.problem.captured_numbers import constants
from gradcli.answers.explain.node_formulas import formula, outcome_question
from gradcli.answers.explain.numpy_names_and_constants import Writer, name_text
from gradcli.answers.explain.statement_contexts import StatementContexts
from gradcli.answers.explain.statement_nodes import numbered
from gradcli.answers.targets import Asked, Where
from gradcli.answers.targets.expressions import Formula
from gradcli.engine.traces.node import CONSTANT, TraceNode, TraceOutcome
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.formula_text import Piece
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.queries.bound_target import Question, ask
from gradcli.shared.findings import finding
from gradcli.shared.pytree import record_value, value_text
from gradcli.shared.records.result_and_finding import Finding
from gradcli.shared.records.tapes import Node, Outcome, TapeListing

LONGEST_PART = 24  # characters of a part of a typed expression; a longer part is described by its operands


def tape(
    target: Asked, at: Where, *, wrt: str | None = None, device: str = "cpu", libraries: bool = False
) -> TapeListing:
    """List every node of a run of `target` at `at`, with the sensitivity of the result to it.

    Each call of an installed package's function is one node, unless `libraries` is set.
    """
    question = ask(target, at, wrt, device)
    return listing_of(question, question.record(names=True, libraries=libraries, numbered=numbered))


def listing_of(question: Question, trace: Trace) -> TapeListing:
    """List every node of a recorded run that has the user's names.

    Raises:
        ResultError: the result is not one number.
    """
    number_of(question.function, trace.value, needed_by="tape")
    texts = _Texts(trace, isinstance(question.function, Formula))
    return question.answer(
        TapeListing,
        record_value(trace.value),
        tuple(nodes_of(trace, is_typed=isinstance(question.function, Formula))),
        tuple(_outcome(outcome, texts.question(outcome)[0]) for outcome in trace.outcomes),
        findings=(*question.listed_findings(trace), *_constants(question)),
        result=trace.result_index(),
    )


def _constants(question: Question) -> Iterator[Finding]:
    """A finding G411 on the numbers that the function reads and that are not inputs."""
    numbers = constants(question.function)
    named = [(kind, name, value) for kind, name, value in numbers if name not in question.point]
    if named:
        shown = ", ".join(f"{name} = {value_text(value, 0)} ({kind})" for kind, name, value in named)
        yield finding("G411", f"numbers that count as constants: {shown}")


def nodes_of(trace: Trace, *, is_typed: bool) -> list[Node]:
    """Every node of a run with its sensitivity; a part of a typed expression is named by its own text."""
    texts, sensitivities = _Texts(trace, is_typed), trace.sensitivities()
    formulas = list(map(texts.formula, trace.nodes))
    return [_node(node, sensitivities[node.index], formulas[node.index]) for node in trace.shown]


class _Texts:
    """The texts of a run's nodes and outcomes, with constants as the program writes them."""

    def __init__(self, trace: Trace, is_typed: bool) -> None:
        nodes = trace.nodes
        self._parts = {node.index for node in nodes if is_typed and node.name and node.inputs}
        numbered = [node.name if node.index not in self._parts else None for node in nodes]
        self._names = [name or f"%{index}" for index, name in enumerate(numbered)]
        self._writer = Writer(self._names)
        self._contexts = StatementContexts(trace, self._writer, self._operand)

    def formula(self, node: TraceNode) -> str | None:
        """The formula of a node, or the text of a short part of a typed expression."""
        if node.index in self._parts and len(node.name or "") <= LONGEST_PART:
            return node.name
        self._writer.context = self._contexts.of(node.index)
        text = formula(self._writer, node, self._names)
        is_name = len(node.sources) == 1 and text == self._names[node.sources[0]]
        return f"{node.operation}({text})" if is_name else text  # such as a cast, which a formula leaves out

    def question(self, outcome: TraceOutcome) -> Piece:
        """The question behind an outcome, such as `x > 0`."""
        return outcome_question(self._writer, outcome, self._operand)

    def _operand(self, index: int, value: Any) -> Piece:
        return self._writer.constant(value) if index == CONSTANT else name_text(self._names[index])


def _node(node: TraceNode, sensitivity: Any, expression: str | None) -> Node:
    return Node(
        node.index,
        node.name,
        node.operation,
        node.inputs,
        record_value(node.value),
        record_value(sensitivity),
        node.file,
        node.line,
        source(node.file, node.line),
        expression,
    )


def _outcome(outcome: TraceOutcome, question: str) -> Outcome:
    asked = tuple(map(_told, outcome.operands))
    place = outcome.file, outcome.line
    return Outcome(outcome.name, asked, _told(outcome.answer), outcome.before, *place, question)


def _told(value: Any) -> Any:
    value = record_value(value)
    return value if isinstance(value, (bool, int, float, str, list)) or value is None else str(value)


def source(file: str | None, line: int | None) -> str | None:
    """The user's line, or None without a file."""
    import linecache

    return linecache.getline(file, line).strip() or None if file and line else None


def place_of(node: TraceNode) -> tuple[str | None, int | None, str | None]:
    """The file, line and source of a node; None for a typed expression."""
    if node.file is None or node.file.startswith("<"):
        return None, None, None
    return node.file, node.line, source(node.file, node.line)
