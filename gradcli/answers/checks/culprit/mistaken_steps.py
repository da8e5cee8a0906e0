"""The single steps of a recorded program whose mistaken derivative or operation accounts for a wrong gradient.

A line that runs repeatedly counts as one step, because its derivation is written once; its runs are tried together too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from itertools import permutations, product
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.function_mistakes import label_mistakes, of_function
from gradcli.answers.checks.culprit.mistake import (
    OF_A_CONSTANT,
    OF_A_PART,
    OF_A_TERM,
    OF_THE_FUNCTION,
    ArgumentContribution,
    Mistake,
    fixed_text,
    in_iteration,
)
from gradcli.answers.checks.culprit.mistaken_gradients import (
    TriedMistake,
    lengths_of_arrays,
    mistake_pairs,
    passed_back,
    sources,
    steps_by_line,
    steps_by_visit,
    sums_over_loops,
    with_other_derivatives,
    with_other_operations,
)
from gradcli.answers.checks.culprit.possible_mistakes import of_derivative, of_formula, of_loop, of_term
from gradcli.answers.checks.culprit.step_texts import StepTexts
from gradcli.answers.checks.culprit.variable_mistakes import named_values, of_other_variables
from gradcli.answers.checks.culprit.wrong_components import Discrepancy, Key, Slip
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.numerics.coordinates import Coordinate, arguments_with_number
from gradcli.methods.numerics.deadline import Deadline, TooLongError

SECONDS = 3.0  # limit on the search when steps are slow; otherwise the findings must not depend on the machine
MOST_STEPS = 300_000  # limit on the search in swept scalar steps
ARRAY = 4  # work of an array step, in scalar steps
RECORDED = 5  # work of recording and sweeping a program, in sweeps
LARGE = 2000  # elements of an array that take about the time of one scalar step
EXACTLY = 1e-3  # times the slack: mismatch of a slip up to rounding
MOST_NODES = 4000  # nodes of the largest program that is searched
MOST_INPUTS = 6  # most numbers of the point that are tried in place of one another
MOST_SIZES = 6  # most different counts of terms that are tried


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
        self._simple: list[TriedMistake] = []
        self._is_explained = False
        self._places = np.array([part.number for part in parts])

    def __iter__(self) -> Iterator[Slip]:
        if not self._is_searched:
            return
        with suppress(TooLongError):
            yield from self._of_steps()
            yield from self._of_formulas()
            yield from self._of_lines()
            yield from self._of_loops()
            yield from self._of_functions()
            yield from self._of_labels()
            yield from self._of_other_variables()
            yield from self._of_inputs()
            yield from self._of_pairs()

    @property
    def _is_searched(self) -> bool:
        """Whether the program is short, and of real numbers."""
        run = self.trace
        return not run.has_complex and len(run.nodes) <= MOST_NODES and run.result_index() is not None

    def lines_to(self, mask: Any) -> list[int]:
        """The lines whose steps pass something on to all parts of a mask and to no others; none in a long program."""
        by_line: dict[int, Any] = {}
        if not self._is_searched or self._work.sum() > MOST_STEPS:
            return []
        for node, cotangent in zip(self.trace.nodes, self._cotangents, strict=True):
            if node.positions and node.line and cotangent is not UNTOUCHED:
                reached = self._swept(node.index, cotangent) != 0
                by_line[node.line] = by_line.get(node.line, False) | reached
        return [line for line, reached in by_line.items() if np.array_equal(reached, mask)]

    def _of_steps(self) -> Iterator[Slip]:
        """Mistakes in the derivative of one step, from the result backwards."""
        for index, source, passed in self._passed():
            self._check()
            yield from self._of_step(index, source, passed)

    def _passed(self) -> Iterator[tuple[int, int, ArgumentContribution]]:
        """What each step passes on to each step that it was computed from, from the result backwards."""
        for index in range(self._count - 1, -1, -1):
            node = self.trace.nodes[index]
            if self._cotangents[index] is not UNTOUCHED and node.positions and node.rule is not None:
                for source, passed in passed_back(self.trace, index, self._cotangents[index]):
                    yield index, source, passed

    def _of_step(self, index: int, source: int, passed: ArgumentContribution) -> Iterator[Slip]:
        if not self._asks_for(index, passed.position):
            return
        share = self._swept(source, passed.pulled)
        if not np.any(share):
            return
        place, terms = self._terms(index, source, passed.position, share)
        derivatives = of_derivative(self.trace, passed.node, passed.position, self._sizes)
        for at, anywhere in (*product([place], terms), *product([index], derivatives)):
            mistake = replace(anywhere, says=partial(in_iteration, anywhere, index))
            key = (*mistake.kind, index, passed.position)
            changed = partial(self._changed, mistake, passed, source, share)
            edge = (index, source) if mistake.is_simple else None
            for slip in self._tried(key, mistake, at, changed, edge):
                wrong = share + changed() - self._gradient
                yield replace(slip, contributions=(mistake.contribution(passed), wrong[wrong != 0]))

    def _through(self, node: TraceNode, position: int) -> list[Mistake]:
        argument = "{x} in " if len(node.positions) > 1 else ""
        return of_term(f"the term that comes through {argument}{{step}}", node, position, OF_A_PART)

    def _terms(self, index: int, source: int, position: int, share: Any) -> tuple[int, list[Mistake]]:
        """The mistakes about everything that comes through one argument, with the step that they are reported at."""
        node, term = self.trace.nodes[index], self.trace.nodes[source]
        whole = np.allclose(share, self._gradient, rtol=1e-9, atol=0)
        if not node.rule.adds or whole:
            return index, self._through(node, position)
        if term.rule is None or term.rule.moves:  # the term is not an expression that a user would write
            return index, of_term("the term {x} of {step}", node, position, OF_A_TERM)
        return source, of_term("the term {step}", term, 0, OF_A_TERM)

    def _changed(self, mistake: Mistake, passed: ArgumentContribution, source: int, share: Any) -> Any:
        """The gradient with a mistake at one step."""
        if mistake.scales is not None:
            return self._gradient - share + mistake.scales * share
        assert mistake.passes is not None
        pulled = mistake.passes(passed)
        if np.ndim(pulled) == 0 and passed.pulled:
            return self._gradient - share + pulled / passed.pulled * share
        return self._gradient - share + self._swept(source, pulled)

    def _of_formulas(self) -> Iterator[Slip]:
        """Mistakes in the derivative of a line that computes one step from another in several steps."""
        for indices in self._visits:
            source = self._only_source(indices)
            whole = indices[-1] == self.trace.result_index() and source in [*self.trace.input_indices()]
            if source is None or whole or not self._asks_for(indices[-1]) or self._cotangents[indices[-1]] is UNTOUCHED:
                continue
            node, cotangent = self.trace.nodes[indices[-1]], self._cotangents[indices[-1]]
            pulled = self.trace.swept(indices[-1], cotangent, indices[0])[source]
            passed = ArgumentContribution(node, 0, self.trace.nodes[source].value, cotangent, pulled)
            share = self._swept(source, passed.pulled)
            for mistake in of_formula(indices[-1], source):
                changed = partial(self._changed, mistake, passed, source, share)
                yield from self._tried((*mistake.kind, indices[-1]), mistake, indices[-1], changed)

    def _only_source(self, indices: Sequence[int]) -> int | None:
        """The single step from which the last of `indices` is computed elementwise; None if there are several."""
        inside = [self.trace.nodes[index] for index in indices]
        used = {source for node in inside for _, source in sources(node) if source not in indices}
        if len(indices) < 2 or len(used) != 1 or not all(isinstance(node.rule, Elementwise) for node in inside):
            return None
        source = used.pop()
        alike = np.shape(inside[-1].value) == np.shape(self.trace.nodes[source].value)
        ends = alike and all(self._last_uses.get(index, -1) <= indices[-1] for index in indices[:-1])
        return source if ends else None

    def _of_lines(self) -> Iterator[Slip]:
        """The same mistake at each run of a line, or in the derivative by each argument of a step."""
        for line, indices in steps_by_line(self.trace, self._visits).items():
            by_kind = self._by_kind(indices) if self._asks_for(line) else {}
            positions = [position for position, _ in sources(self.trace.nodes[indices[0]])]
            for kind, made in by_kind.items():
                by_position = [{i: {p: m[p]} for i, m in made.items() if p in m} for p in positions]
                lines = by_position if len(indices) > 1 else []
                for mistakes in [*lines, *([made] if max(map(len, made.values())) > 1 else [])]:
                    if mistakes:
                        yield from self._of_line(line, kind, mistakes)

    def _by_kind(self, indices: Sequence[int]) -> dict[Key, dict[int, dict[int, Mistake]]]:
        """The possible mistakes at the steps of a line: by kind, then by step, then by argument."""
        by_kind: dict[Key, dict[int, dict[int, Mistake]]] = {}
        for index in indices:
            node = self.trace.nodes[index]
            for position, _ in sources(node):
                of_argument = of_derivative(self.trace, node, position, self._sizes)
                for mistake in (*of_argument, *self._through(node, position)):
                    by_kind.setdefault(mistake.kind, {}).setdefault(index, {})[position] = mistake
        return by_kind

    def _of_line(self, line: Key, kind: Key, mistakes: dict[int, dict[int, Mistake]]) -> Iterator[Slip]:
        first, last = (next(iter(mistakes[index].values())) for index in (min(mistakes), max(mistakes)))

        def says(texts: StepTexts) -> str:
            text = first.says(texts)
            if len(mistakes) == 1:
                return text
            if text == last.says(texts):
                return f"{text}, each time"
            return f"{in_iteration(first, min(mistakes), texts)}, and likewise each time"

        mistake = replace(first, order=first.order + 1, says=says)
        key = (*kind, line, *mistakes[min(mistakes)])
        yield from self._tried(key, mistake, min(mistakes), lambda: self._with_derivatives(mistakes))

    def _of_loops(self) -> Iterator[Slip]:
        """The last or the first iteration of a loop in place of the sum over it, and the sum without that iteration."""
        for line, position, indices, adds in sums_over_loops(self.trace, self._visits):
            ends = (("last", indices[-1]), ("first", indices[0])) if self._asks_for(line) else ()
            for (word, end), alone in product(ends, (True, False)):
                mistake = of_loop(word, self.trace.nodes[end], position, adds=adds, alone=alone)
                wrong = {index: {position: mistake} for index in indices if (index == end) != alone}
                changed = partial(self._with_derivatives, wrong)
                yield from self._tried((*mistake.kind, line, position), mistake, end, changed)

    def _with_derivatives(self, mistakes: Mapping[int, Mapping[int, Mistake]]) -> Any:
        self._swept_steps += self._work[-1]
        return self._picked(with_other_derivatives(self.trace, mistakes))

    def _with_operations(self, mistakes: Mapping[int, Mistake]) -> Any:
        self._swept_steps += RECORDED * self._work[-1]
        return self._picked(with_other_operations(self.trace, mistakes))

    def _of_functions(self) -> Iterator[Slip]:
        """Another operation in place of a step, at each run of its line."""
        for line, indices in steps_by_line(self.trace, self._visits).items():
            by_kind: dict[Key, dict[int, Mistake]] = {}
            for index in indices if self._asks_for(line) else ():
                for mistake in of_function(self.trace.nodes[index], self._sizes):
                    by_kind.setdefault(mistake.kind, {})[index] = mistake
            for kind, mistakes in by_kind.items():
                first = min(mistakes)
                key = (*kind, line)
                yield from self._tried(key, mistakes[first], first, partial(self._with_operations, mistakes))

    def _of_labels(self) -> Iterator[Slip]:
        """Mistakes about the labels of a classification."""
        for words, logits, labels, error in label_mistakes(self.trace, self._cotangents):
            made = Mistake((words,), OF_A_CONSTANT, fixed_text(words))
            changed = partial(np.add, self._gradient, self._swept(logits, error))
            yield from self._tried((words, logits, labels), made, labels, changed)

    def _of_other_variables(self) -> Iterator[Slip]:
        """Another variable in the place of one in the derivative of a step."""
        variables = named_values(self.trace, self._count)
        for index, source, passed in self._passed():
            if not isinstance(passed.node.rule, Elementwise) or not self._asks_for("variable", index, passed.position):
                continue
            share = self._swept(source, passed.pulled)
            if np.any(share):
                for mistake in of_other_variables(self.trace, passed.node, passed.position, variables):
                    key = (*mistake.kind[:1], index, passed.position, *mistake.kind[1:])
                    yield from self._tried(key, mistake, index, partial(self._changed, mistake, passed, source, share))

    def _of_inputs(self) -> Iterator[Slip]:
        """The derivative at the point where one number of the point has the value of another."""
        parts = self.parts if len(self.parts) <= MOST_INPUTS else []
        for part, other in permutations(parts, 2):
            if part.value != other.value and not part.half and not other.half:
                text = f"{other.name} stands in place of {part.name}"
                mistake = Mistake((), OF_THE_FUNCTION, fixed_text(text))
                key = ("input", part.number, other.number)
                yield from self._tried(key, mistake, -1, partial(self._with_number, part, other.value))

    def _of_pairs(self) -> Iterator[Slip]:
        """Two simple mistakes at once, if no single one accounts for the gradient."""
        if not self._is_explained and () in self.gaps:
            yield from mistake_pairs(self._simple, self.gaps[()], self._gradient, self.texts, self.wanted)

    def _with_number(self, part: Coordinate, value: float) -> Any:
        self._swept_steps += RECORDED * self._work[-1]
        point = {str(n): argument for n, argument in enumerate(self.trace.arguments)}
        return self._picked(self.trace.replay(*arguments_with_number(point, part, value)).cotangents())

    def _tried(
        self, key: Key, mistake: Mistake, index: int, gradient: Callable[[], Any], edge: tuple[int, int] | None = None
    ) -> Iterator[Slip]:
        """Yield the slip for each group of components in which the gradient with the mistake equals the given one.

        A mistake at an edge, from a step to its argument, may be one of two.
        """
        groups = [group for group in self.gaps if self.wanted is None or (group, *key) in self.wanted]
        if not groups:
            return
        self._check()
        try:
            expected = gradient()
        except Exception:  # a gradient that cannot be computed explains nothing
            return
        if edge and () in groups:
            self._simple.append(TriedMistake(((), *key), mistake, *edge, index, expected - self._gradient))
        for group in groups:
            gap = self.gaps[group]
            if gap.is_filled_by(expected):
                self._is_explained |= group == ()
                text, row = self.texts.finished(mistake.says(self.texts)), index if index >= 0 else None
                yield Slip((group, *key), text, row, mistake.order, not gap.is_filled_by(expected, EXACTLY))

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
        shapes = {index: np.shape(self.trace.nodes[index].value) for index in self.trace.input_indices()}
        pieces = [np.ravel(np.broadcast_to(cotangents[index], shape)) for index, shape in shapes.items()]
        return np.concatenate(pieces).astype(float)[self._places]

    @cached_property
    def _cotangents(self) -> list[Any]:
        return self.trace.cotangents()

    @cached_property
    def _gradient(self) -> Any:
        """The gradient as the sum of its contributions; subtracting one of them leaves no large rounding error."""
        return self._picked(self._cotangents)

    @cached_property
    def _last_uses(self) -> dict[int, int]:
        """The last step that uses each step as an argument."""
        return {source: index for index, node in enumerate(self.trace.nodes) for _, source in sources(node)}

    @cached_property
    def _work(self) -> Any:
        """The work of a sweep from each step back to the inputs."""
        values = (node.value for node in self.trace.nodes)
        return np.cumsum([ARRAY + np.size(x) / LARGE if np.ndim(x) else 1 for x in values])

    @cached_property
    def _sizes(self) -> set[int]:
        """Possible numbers of terms in the program's means: the lengths of its arrays, and the number of its inputs."""
        lengths = {*lengths_of_arrays(self.trace), len(list(self.trace.input_indices()))}
        return set(sorted(lengths - {0, 1})[:MOST_SIZES])

    @cached_property
    def _visits(self) -> list[list[int]]:
        return steps_by_visit(self.trace, self._count)
