"""The outcomes of a program in words: branches taken, the argument that a maximum selected, rounded values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from gradcli.answers.explain.node_formulas import is_comparison, outcome_question
from gradcli.answers.explain.numpy_names_and_constants import StatementContext
from gradcli.answers.explain.reverse_mode_steps import ReverseExplanation
from gradcli.engine.code.statements_by_line import source_lines
from gradcli.engine.traces.node import TraceNode, TraceOutcome
from gradcli.engine.traces.scopes import Site
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.frozen_record import Frozen, deferred
from gradcli.shared.pytree import value_text

MOST_TOLD = 3  # answers of one statement that are listed
MOST_PLACES = 6  # elements of an array that are listed
_COMPARING = re.compile(r"[<>]|[=!]=|(?<![\w.])(?:max|min)\(")
_CHOOSING = re.compile(r"(?<![\w.])(max|min)\(")


class SiteRemark(Frozen, on_demand=("text",)):
    """A decision of a statement, made before the node of index `before`. Its text is written when it is read."""

    site: Site
    before: int
    text: str


def remarks(explanation: ReverseExplanation) -> Iterator[SiteRemark]:
    """The decisions of each statement, in order; those of loop heads are omitted."""
    yield from sorted([*_outcomes(explanation), *_chosen(explanation)], key=lambda remark: remark.before)


def _outcomes(explanation: ReverseExplanation) -> Iterator[SiteRemark]:
    """The answers to the questions of each statement."""
    outcomes, scopes = explanation.trace.outcomes, explanation.trace.scopes
    for site, group in groupby(range(len(outcomes)), key=scopes.site_of_outcome):
        if site.file is None or site.line is None or site.line in source_lines(site.file).loops:
            continue
        source = source_lines(site.file).text(site.line)
        together = [outcomes[number] for number in group]
        asked = [outcome for outcome in together if _is_asked(source, outcome)]
        if asked:
            yield SiteRemark(site, together[0].before, deferred(_answers, explanation, source, asked))


def _answers(explanation: ReverseExplanation, source: str, outcomes: Sequence[TraceOutcome]) -> str:
    """The answers to the questions of a statement, or the argument that its `max` or `min` took."""
    explanation.writer.context = StatementContext()
    if winner := _winner(explanation, source, outcomes):
        return winner
    texts = Counter(
        _answer(outcome_question(explanation.writer, outcome, explanation.operand)[0], outcome) for outcome in outcomes
    )
    shown = [text + (f" ({count} times)" if count > 1 else "") for text, count in texts.items()]
    more = len(shown) - MOST_TOLD
    return ", ".join(shown[:MOST_TOLD]) + (f", and {more} more" if more > 0 else "")


def _is_asked(source: str, outcome: TraceOutcome) -> bool:
    """Whether the statement itself asks, rather than a library that it calls."""
    if is_comparison(outcome.name):
        return bool(_COMPARING.search(source))
    return not np.ndim(outcome.answer) or outcome.name in source


def _winner(explanation: ReverseExplanation, source: str, outcomes: Sequence[TraceOutcome]) -> str | None:
    """The argument that Python's `max` or `min` took, if the statement has one such call and no other comparison."""
    choices = _CHOOSING.findall(source)
    names = {outcome.name for outcome in outcomes}
    if len(choices) != 1 or re.search("[<>]", source) or names - {"gt", "lt"}:
        return None
    last = outcomes[-1]
    first = bool(last.answer) == (last.name == ("gt" if choices[0] == "max" else "lt"))
    source_of, value = (*zip(last.sources, last.operands, strict=True),)[0 if first else 1]
    return f"{choices[0]} takes {explanation.operand(source_of, value)[0]}"


def _answer(asked: str, outcome: TraceOutcome) -> str:
    value = outcome.answer
    if isinstance(value, (bool, np.bool_)):
        return f"{asked} is {'true' if value else 'false'}"
    if np.ndim(value) and np.asarray(value).dtype.kind == "b":
        return f"{asked} holds for {_places(np.asarray(value))}"
    if np.ndim(value) == 0:
        return f"{asked} is {value}: a step function, which passes no sensitivity back"
    return f"{asked} is {value_text(np.asarray(value), MOST_PLACES)}"


def _places(mask: Any) -> str:
    """The number of true elements in a mask, and their indices if they are few."""
    count = int(np.count_nonzero(mask))
    if count in (0, mask.size):
        return "none" if not count else "all"
    shown = [str(tuple(map(int, place))) if mask.ndim > 1 else str(int(place[0])) for place in np.argwhere(mask)]
    return f"{count} of {mask.size}" + (f", at [{', '.join(shown)}]" if count <= MOST_PLACES else "")


def _chosen(explanation: ReverseExplanation) -> Iterator[SiteRemark]:
    """The positions of the extremes that `max`, `min` and their like selected."""
    for node in explanation.trace.nodes:
        if node.is_computed and node.rule is not None and _is_choice(node):
            site = explanation.trace.scopes.site_of_row(node.index)
            yield SiteRemark(site, node.index, deferred(_choice, explanation, node))


def _is_choice(node: TraceNode) -> bool:
    """Whether a node selected one of two numbers, or few elements of an array."""
    rule = node.rule
    if isinstance(rule, Elementwise):
        is_of_two = rule.selects and len(node.operands) == 2 and not np.ndim(node.value)
        return is_of_two and sum(bool(x == node.value) for x in node.operands) == 1
    if not rule.extreme or np.any(np.isnan(node.value)):
        return False
    axis, ndim = node.static["axis"], np.ndim(node.operands[0])
    is_one = axis is None or ndim == 1
    return is_one or (isinstance(axis, int) and ndim == 2 and np.size(node.value) <= MOST_PLACES)


def _choice(explanation: ReverseExplanation, node: TraceNode) -> str:
    """The selected argument, or the places of the selected elements."""
    explanation.writer.context = StatementContext()
    if isinstance(node.rule, Elementwise):
        position = 0 if node.operands[0] == node.value else 1
        return f"{node.rule.name} takes {explanation.operand(node.sources[position], node.operands[position])[0]}"
    x, axis = np.asarray(node.operands[0]), node.static["axis"]
    is_largest = np.max(x) == np.max(node.value)
    name = "largest" if is_largest else "smallest"
    if axis is None or np.ndim(x) == 1:
        places = np.argwhere(x == np.reshape(node.value, ()))
        shown = [", ".join(map(str, map(int, place))) for place in places[:MOST_PLACES]]
        array = explanation.operand(node.sources[0], x)[0]
        array = array if re.fullmatch(r"[\w.#]+", array) else "it"
        return f"{'each ' if len(places) > 1 else ''}{name}: " + ", ".join(f"{array}[{place}]" for place in shown)
    at = (np.argmax if is_largest else np.argmin)(x, axis=axis)
    own, other = ("column", "row") if axis % 2 else ("row", "column")
    return f"{name} of each {other}: {own} {', '.join(map(str, at.tolist()))}"
