"""The single steps of a recorded program whose mistaken derivative or operation accounts for a wrong gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Set
from functools import cached_property, partial
from typing import Any

import numpy as np

from gradcli.checks.culprit.label_mistakes import label_mistakes
from gradcli.checks.culprit.mistake import (
    OF_A_CONSTANT,
    OF_A_PART,
    OF_A_TERM,
    ArgumentContribution,
    Mistake,
    fixed_text,
)
from gradcli.checks.culprit.possible_mistakes import (
    named_values,
    of_derivative,
    of_keywords,
    of_other_variables,
    of_term,
)
from gradcli.checks.culprit.step_texts import StepTexts
from gradcli.checks.culprit.wrong_components import Discrepancy, Key, Slip
from gradcli.numerics.coordinates import Coordinate
from gradcli.numerics.deadline import Deadline, TooLongError
from gradcli.rules.rule_types import Elementwise
from gradcli.tape.accumulation import UNTOUCHED
from gradcli.traces.altered_traces import altered
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace

SECONDS = 3.0  # limit on the search when steps are slow; otherwise the findings must not depend on the machine
MOST_STEPS = 300_000  # limit on the search in swept scalar steps
ARRAY = 4  # work of an array step, in scalar steps
RECORDED = 5  # work of recording and sweeping a program, in sweeps
LARGE = 2000  # elements of an array that take about the time of one scalar step
EXACTLY = 1e-3  # times the slack: mismatch of a slip up to rounding
MOST_NODES = 4000  # nodes of the largest program that is searched


class MistakeSearch:
    """The single mistakes that account for a wrong gradient of one recorded program.

    Args:
        trace: the program, with the user's names and lines.
        parts: the numbers that it is differentiated by.
        gaps: the gradient's components and the right ones, by the key of the group of components that is to be
            accounted for.
        wanted: the keys of the slips to look for; all by default.
        first: the number of first steps in which to look; all by default.
    """

    def __init__(
        self,
        trace: Trace,
        parts: list[Coordinate],
        gaps: Mapping[Key, Discrepancy],
        wanted: Set[Key] | None = None,
        first: int | None = None,
    ) -> None:
        self.trace = trace
        self.parts = parts
        self._count = len(trace.nodes) if first is None else first
        self.gaps = gaps
        self.wanted = wanted
        self.texts = StepTexts(trace)
        self._clock = Deadline(SECONDS)
        self._swept_steps = 0.0
        self._places = np.array([part.number for part in parts])

    def __iter__(self) -> Iterator[Slip]:
        if self.trace.has_complex or len(self.trace.nodes) > MOST_NODES or self.trace.result_index() is None:
            return
        try:
            yield from self._of_steps()
            yield from self._of_keywords()
            yield from self._of_labels()
            yield from self._of_other_variables()
        except TooLongError:
            return

    def _of_steps(self) -> Iterator[Slip]:
        """Mistakes in the derivative of one step, from the result backwards."""
        for index in range(self._count - 1, -1, -1):
            node = self.trace.nodes[index]
            if self._cotangents[index] is not UNTOUCHED and node.positions and node.rule is not None:
                for source, passed in self._passed_back(index):
                    self._check()
                    yield from self._of_step(index, source, passed)

    def _of_step(self, index: int, source: int, passed: ArgumentContribution) -> Iterator[Slip]:
        if not self._asks_for(index, passed.position):
            return
        share = self._swept(source, passed.pulled)
        if not np.any(share):
            return
        place, terms = self._terms(index, source, passed.position, share)
        mistakes = [(place, mistake) for mistake in terms]
        mistakes += [(index, mistake) for mistake in of_derivative(self.trace, passed.node, passed.position)]
        for at, mistake in mistakes:
            key = (*mistake.kind, index, passed.position)
            yield from self._tried(key, mistake, at, partial(self._changed, mistake, passed, source, share))

    def _passed_back(self, index: int) -> Iterator[tuple[int, ArgumentContribution]]:
        """The contribution of a step to each recorded argument, with the index of the step that computed it."""
        node, cotangent = self.trace.nodes[index], self._cotangents[index]
        pulled = self.trace.passed_back(index, cotangent)
        for source in dict.fromkeys(source for source in node.sources if source != CONSTANT):
            if source in pulled:
                position = node.sources.index(source)
                yield source, ArgumentContribution(node, position, node.operands[position], cotangent, pulled[source])

    def _through(self, node: TraceNode, position: int) -> list[Mistake]:
        def term() -> str:
            argument = f"{self.texts.operands(node)[position][0]} in " if len(node.positions) > 1 else ""
            return f"the term that comes through {argument}{self.texts.step(node)[0]}"

        return of_term(term, OF_A_PART)

    def _terms(self, index: int, source: int, position: int, share: Any) -> tuple[int, list[Mistake]]:
        """The mistakes about everything that comes through one argument, with the step that they are reported at."""
        node, term = self.trace.nodes[index], self.trace.nodes[source]
        whole = np.allclose(share, self._gradient, rtol=1e-9, atol=0)
        if not node.rule.adds or whole:
            return index, self._through(node, position)
        if term.rule is None or term.rule.moves:  # the term is not an expression that a user would write
            return index, of_term(
                lambda: f"the term {self.texts.names[source][0]} of {self.texts.step(node)[0]}", OF_A_TERM
            )
        return source, of_term(lambda: f"the term {self.texts.step(term)[0]}", OF_A_TERM)

    def _changed(self, mistake: Mistake, passed: ArgumentContribution, source: int, share: Any) -> Any:
        """The gradient with a mistake at one step."""
        if mistake.scales is not None:
            return self._gradient - share + mistake.scales * share
        assert mistake.passes is not None
        pulled = mistake.passes(passed)
        if np.ndim(pulled) == 0 and passed.pulled:
            return self._gradient - share + pulled / passed.pulled * share
        return self._gradient - share + self._swept(source, pulled)

    def _of_keywords(self) -> Iterator[Slip]:
        """Another index or axis of a step."""
        for node in self.trace.nodes[: self._count]:
            for mistake in of_keywords(node) if node.positions and self._asks_for("keywords", node.index) else ():
                key = ("keywords", node.index, *mistake.kind)
                yield from self._tried(key, mistake, node.index, partial(self._with_operation, mistake, node.index))

    def _with_operation(self, mistake: Mistake, index: int) -> Any:
        self._swept_steps += RECORDED * self._work[-1]
        assert mistake.computes is not None
        return self._picked(altered(self.trace, {index: mistake.computes}).cotangents())

    def _of_labels(self) -> Iterator[Slip]:
        """Mistakes about the labels of a classification."""
        for mistake in label_mistakes(self.trace, self._cotangents):
            error = self._swept(mistake.logits, mistake.error)
            missing = self._missing
            weight = float(error @ missing / (error @ error)) if np.any(error) else 0.0
            if weight > 0:
                key = (mistake.kind, mistake.logits, mistake.labels)
                made = Mistake(key, OF_A_CONSTANT, fixed_text(mistake.text))
                yield from self._tried(key, made, mistake.labels, partial(np.add, self._gradient, weight * error))

    def _of_other_variables(self) -> Iterator[Slip]:
        """Another variable in the place of one in the derivative of a step."""
        variables = named_values(self.trace, self._count)
        for index in range(self._count - 1, -1, -1):
            node = self.trace.nodes[index]
            if self._cotangents[index] is UNTOUCHED or not node.positions or not isinstance(node.rule, Elementwise):
                continue
            for source, passed in self._passed_back(index):
                if not self._asks_for("variable", index, passed.position):
                    continue
                share = self._swept(source, passed.pulled)
                for mistake in (
                    of_other_variables(self.trace, node, passed.position, variables) if np.any(share) else ()
                ):
                    key = (*mistake.kind[:1], index, passed.position, *mistake.kind[1:])
                    yield from self._tried(key, mistake, index, partial(self._changed, mistake, passed, source, share))

    @cached_property
    def _missing(self) -> Any:
        """The difference of the given gradient and the right one."""
        gap = next(iter(self.gaps.values()))
        return gap.candidate - gap.reference

    def _tried(self, key: Key, mistake: Mistake, index: int, gradient: Callable[[], Any]) -> Iterator[Slip]:
        """Yield the slip for each group of components in which the gradient with the mistake equals the given one."""
        groups = [group for group in self.gaps if self.wanted is None or (group, *key) in self.wanted]
        if not groups:
            return
        self._check()
        try:
            expected = gradient()
        except Exception:  # a gradient that cannot be computed explains nothing
            return
        for group in groups:
            gap = self.gaps[group]
            if gap.is_filled_by(expected):
                loose = not gap.is_filled_by(expected, EXACTLY)
                text = self.texts.finished(mistake.says(self.texts))
                yield Slip((group, *key), text, index, mistake.order, loose)

    def _swept(self, source: int, pulled: Any) -> Any:
        self._swept_steps += self._work[source]
        return self._picked(self.trace.swept(source, pulled))

    def _asks_for(self, *place: Any) -> bool:
        """Whether the key of a wanted slip contains `place` as consecutive items."""
        if self.wanted is None:
            return True
        size = len(place)
        return any(key[at : at + size] == place for key in self.wanted for at in range(len(key)))

    def _check(self) -> None:
        """Stop a search that takes too long.

        Raises:
            TooLongError: the search has exceeded its limit on steps or time.
        """
        if self._swept_steps > MOST_STEPS:
            raise TooLongError("there are too many possible mistakes to try")
        self._clock.check()

    def _picked(self, cotangents: list[Any]) -> Any:
        """The derivatives by the case's parts, from the cotangents of a sweep."""
        pieces = []
        for index in self.trace.input_indices():
            ct = cotangents[index]
            pieces.append(np.ravel(np.broadcast_to(ct, np.shape(self.trace.nodes[index].value))))
        return np.concatenate(pieces).astype(float)[self._places]

    @cached_property
    def _cotangents(self) -> list[Any]:
        return self.trace.cotangents()

    @cached_property
    def _gradient(self) -> Any:
        """The gradient as the sum of its contributions; subtracting one of them leaves no large rounding error."""
        return self._picked(self._cotangents)

    @cached_property
    def _work(self) -> Any:
        """The work of a sweep from each step back to the inputs."""
        return np.cumsum(
            [ARRAY + np.size(node.value) / LARGE if np.ndim(node.value) else 1 for node in self.trace.nodes]
        )
