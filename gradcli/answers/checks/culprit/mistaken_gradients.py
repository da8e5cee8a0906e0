"""Recorded programs with a mistake at some steps or each run of a line, and pairs of mistakes that are made together.

The errors of two mistakes add up where no step is computed from the other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.checks.culprit.mistake import ArgumentContribution, Mistake
from gradcli.answers.checks.culprit.step_texts import StepTexts
from gradcli.answers.checks.culprit.wrong_components import Discrepancy, Key, Slip
from gradcli.engine.traces.altered_traces import altered
from gradcli.engine.traces.node import CONSTANT, TraceNode, ancestors
from gradcli.engine.traces.scopes import ITERATION
from gradcli.engine.traces.trace import Trace


def sources(node: TraceNode) -> Iterator[tuple[int, int]]:
    """The recorded arguments of a step, each once: its position, and the index of the step that computed it."""
    seen = set()
    for position, source in enumerate(node.sources):
        if source != CONSTANT and source not in seen:
            seen.add(source)
            yield position, source


def lengths_of_arrays(trace: Trace) -> set[int]:
    """The lengths and the sizes of all arrays of a program."""
    return {n for node in trace.nodes for x in (node.value, *node.operands) for n in (*np.shape(x), np.size(x))}


def passed_back(trace: Trace, index: int, cotangent: Any) -> Iterator[tuple[int, ArgumentContribution]]:
    """The contribution of a step to each recorded argument, with the index of the step that computed the argument."""
    node, pulled = trace.nodes[index], trace.passed_back(index, cotangent)
    for position, source in sources(node):
        if source in pulled:
            yield source, ArgumentContribution(node, position, node.operands[position], cotangent, pulled[source])


def with_other_derivatives(trace: Trace, mistakes: Mapping[int, Mapping[int, Mistake]]) -> list[Any]:
    """The cotangents of a sweep with mistakes, given by step index and then by argument position."""
    last = trace.result_index()
    assert last is not None
    return trace.swept(last, instead={index: partial(_pull, trace, index, made) for index, made in mistakes.items()})


def _pull(trace: Trace, index: int, made: Mapping[int, Mistake], ct: Any, cts: list[Any], _: Any) -> None:
    for source, passed in passed_back(trace, index, ct):
        passes = made[passed.position].passes if passed.position in made else None
        cts[source] = cts[source] + (passes(passed) if passes else passed.pulled)


def with_other_operations(trace: Trace, mistakes: Mapping[int, Mistake]) -> list[Any]:
    """The cotangents of the inputs of a program that computes other operations at some steps, given by index."""
    again = altered(trace, {index: made.computes for index, made in mistakes.items() if made.computes})
    cotangents = again.cotangents()
    return [cotangents[index] for index in again.input_indices()]


def steps_by_visit(trace: Trace, count: int) -> list[list[int]]:
    """Of the first `count` steps, those of each visit to a line, in order."""
    by_visit: dict[Any, list[int]] = {}
    for index, node in enumerate(trace.nodes[:count]):
        if node.positions and node.rule is not None:
            by_visit.setdefault(trace.visit(index), []).append(index)
    return list(by_visit.values())


def steps_by_line(trace: Trace, visits: list[list[int]]) -> dict[Key, list[int]]:
    """The steps that are the same operation on the same line, in order."""
    by_line: dict[Key, list[int]] = {}
    for indices in visits:
        place = trace.nodes[indices[0]].place if trace.is_named else indices[0]
        count: Counter[Key] = Counter()
        for index in indices:
            node = trace.nodes[index]
            operation = node.operation, node.positions
            count[operation] += 1
            by_line.setdefault((place, *operation, count[operation]), []).append(index)
    return by_line


def sums_over_loops(trace: Trace, visits: list[list[int]]) -> Iterator[tuple[Key, int, list[int], bool]]:
    """The contributions that the iterations of a loop add up: a line, an argument's position, and the steps.

    The last item says whether these steps are the additions.
    """
    by_term: dict[Key, list[int]] = {}
    totals = set()
    for (place, operation, _, number), indices in steps_by_line(trace, visits).items():
        for index in indices:
            scope = trace.scopes.of_row(index)
            for position, source in sources(trace.nodes[index]) if scope and scope.kind == ITERATION else ():
                term = place, operation, number
                if trace.nodes[source].place == trace.nodes[index].place and trace.visit(source) != trace.visit(index):
                    totals.add(term)
                else:
                    by_term.setdefault((*term, position), []).append(index)
    for (*line, position), indices in by_term.items():
        arrays = {trace.nodes[n].sources[position] for n in indices if np.ndim(trace.nodes[n].operands[position])}
        adds = (*line,) in totals and trace.nodes[indices[-1]].rule.adds
        if len(indices) > 1 and (adds or len(arrays) < 2):  # derivatives by different arrays are not added up
            yield (*line,), position, sorted(indices), adds


MOST_MISTAKES = 1500  # most mistakes that are combined
LARGEST = 1000  # components of the largest gradient that two mistakes are tried on
NEAR = 1e-5  # relative distance of sums that are compared further
ORDER_OF_TWO = 20  # added to the implausibility of two mistakes


class TriedMistake(NamedTuple):
    """A mistake: its key, its step and an argument of that, the step that it is reported at, and the error it makes."""

    key: Key
    mistake: Mistake
    step: int
    source: int
    row: int
    error: Any


def mistake_pairs(
    tried: Sequence[TriedMistake], gap: Discrepancy, gradient: Any, texts: StepTexts, wanted: Set[Key] | None
) -> Iterator[Slip]:
    """The pairs of mistakes at different steps that account for a gradient; only the `wanted` ones if given."""
    if not 1 < len(tried) <= MOST_MISTAKES or len(gradient) > LARGEST:
        return
    weights = np.random.default_rng(0).uniform(0.5, 1.5, len(gradient))
    sums = np.array([one.error for one in tried]) @ weights
    missing = (gap.candidate - gap.reference) @ weights
    order = np.argsort(sums)
    room = NEAR * np.abs(gap.candidate - gap.reference) @ weights
    for n, first in enumerate(tried):
        low, high = np.searchsorted(sums[order], [missing - sums[n] - room, missing - sums[n] + room])
        for m in order[low:high]:
            second = tried[m]
            key = ((), "pair", first.key, second.key)
            if m <= n or not (wanted is None or key in wanted):
                continue
            if gap.is_filled_by(gradient + first.error + second.error) and not _are_nested(texts, first, second):
                parts = tuple(
                    Slip(one.key, texts.finished(one.mistake.says(texts)), one.row, one.mistake.order)
                    for one in (first, second)
                )
                yield Slip(key, "", None, ORDER_OF_TWO + sum(part.order for part in parts), parts=parts)


def _are_nested(texts: StepTexts, first: TriedMistake, second: TriedMistake) -> bool:
    """Whether both concern the same argument of a step, or one of the steps is on the way from the other's argument."""
    nodes = texts.trace.nodes
    same = (first.step, first.source) == (second.step, second.source)
    return same or any(x.step in ancestors(nodes, y.source) for x, y in ((first, second), (second, first)))
