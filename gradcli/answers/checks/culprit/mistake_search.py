"""The mistakes at the steps of a recorded program that account for a wrong gradient.

A mistake replaces what some steps contribute to an argument, or what they compute; one sweep gives the gradient that it
leads to. A line that runs repeatedly counts as one step too, because its derivation is written once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from gradcli.answers.checks.culprit.discrepancy import EXACTLY, Discrepancy, Key, Slip
from gradcli.answers.checks.culprit.mistake_table import OF_A_PART, OF_A_TERM
from gradcli.answers.checks.culprit.step_mistakes import (
    ArgumentContribution,
    Change,
    of_derivative,
    of_function,
    of_term,
)
from gradcli.answers.checks.culprit.step_texts import StepText, StepTexts
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.traces.altered_traces import altered
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.deadline import Deadline, TooLongError

SECONDS = 3.0  # limit on the search when steps are slow; otherwise the findings must not depend on the machine
MOST_STEPS = 300_000  # limit on the search in swept scalar steps
ARRAY = 4  # work of an array step, in scalar steps
RECORDED = 5  # work of recording and sweeping a program, in sweeps
LARGE = 2000  # elements of an array that take about the time of one scalar step
MOST_NODES = 4000  # nodes of the largest program that is searched
MOST_SIZES = 6  # most different numbers of terms that are tried
MOST_VARIABLES = 16  # most variables that are tried in place of another
IN_SOME = 3  # added to the implausibility of a mistake that was made in some derivatives only

Group = tuple[str, Any]  # some components, which may be wrong by a slip of their own: words for them, and a mask


@dataclass(frozen=True)
class Mistake:
    """A mistake at some steps.

    Attributes:
        key: identifies the same mistake in another run.
        implausibility, wording: as in `Change`.
        row: the step that it is reported at.
        pulls: computes the wrong contributions, by step and argument.
        values: computes the wrong values of steps.
    """

    key: Key
    implausibility: int
    wording: StepText
    row: int
    pulls: Mapping[int, Mapping[int, Callable[..., Any]]] = field(default_factory=dict)
    values: Mapping[int, Callable[..., Any]] = field(default_factory=dict)


class MistakeSearch:
    """The mistakes that account for a wrong gradient of one recorded program.

    Args:
        trace: the program, with the user's names and lines.
        parts: the numbers that it is differentiated by.
        first: the number of first steps in which to look; all by default.
    """

    def __init__(self, trace: Trace, parts: Sequence[Coordinate], first: int | None = None) -> None:
        self.trace = trace
        self.texts = StepTexts(trace)
        self._count = len(trace.nodes) if first is None else first
        self._places = np.array([part.number for part in parts])
        self._clock = Deadline(SECONDS)
        self._swept_steps = 0.0
        self._shares: dict[tuple[int, int], Any] = {}  # by step and argument
        self._changes_by_edge: dict[tuple[int, int], list[Change]] = {}

    def slips(self, gap: Discrepancy, groups: Sequence[Group], wanted: Set[Key] | None = None) -> Iterator[Slip]:
        """The mistakes that account for a group of components; only the `wanted` ones if given."""
        keys = None if wanted is None else {key[1] for key in wanted}
        with suppress(TooLongError):
            for mistake in self._mistakes() if self._is_searched else ():
                if keys is None or mistake.key in keys:
                    yield from self._that_fill(mistake, gap, groups)

    def _that_fill(self, mistake: Mistake, gap: Discrepancy, groups: Sequence[Group]) -> Iterator[Slip]:
        try:
            expected = self._gradient_with(mistake)
        except TooLongError:
            raise
        except Exception:  # a gradient that cannot be computed explains nothing
            return
        for words, mask in groups:
            if gap.is_filled_by(expected, mask):
                loose = not gap.is_filled_by(expected, mask, EXACTLY)
                text = f"in {words}, {mistake.wording(self.texts)}" if words else mistake.wording(self.texts)
                order = loose, mistake.implausibility + IN_SOME * bool(words)
                contributions = self._contributions(mistake, expected)
                yield Slip((words, mistake.key), text, order, mistake.row, contributions=contributions)

    def lines_to(self, mask: Any) -> list[int]:
        """The lines whose steps pass something on to all parts of a mask and to no others; none in a long program."""
        with suppress(TooLongError):
            if self._is_searched and self._work.sum() <= MOST_STEPS:
                by_line: dict[int, Any] = {}
                for node, cotangent in zip(self.trace.nodes, self._cotangents, strict=True):
                    if node.positions and node.line and cotangent is not UNTOUCHED:
                        reached = self._swept(node.index, cotangent) != 0
                        by_line[node.line] = by_line.get(node.line, False) | reached
                return [line for line, reached in by_line.items() if np.array_equal(reached, mask)]
        return []

    @property
    def _is_searched(self) -> bool:
        """Whether the program is short, and of real numbers."""
        run = self.trace
        return not run.has_complex and len(run.nodes) <= MOST_NODES and run.result_index() is not None

    def _mistakes(self) -> Iterator[Mistake]:
        for index in range(self._count - 1, -1, -1):
            yield from self._of_step(index)
        for line, indices in self._lines.items():
            yield from self._of_line(line, indices)
        for line, indices in self._lines.items():
            by_kind: dict[Key, dict[int, Change]] = {}
            for index in indices:
                for change in of_function(self.trace.nodes[index]):
                    by_kind.setdefault(change.kind, {})[index] = change
            for kind, changes in by_kind.items():
                first = min(changes)
                values = {index: change.computes for index, change in changes.items()}
                yield Mistake((kind, line), changes[first].implausibility, changes[first].wording, first, values=values)

    def _of_step(self, index: int) -> Iterator[Mistake]:
        """Mistakes in the derivative of one step."""
        for position, source in self._sources(index):
            if not np.any(self._share(index, position)):
                continue
            row, terms = self._terms(index, source, position)
            changes = ((row, terms), (index, self._changes(index, position)))
            for at, change in ((at, change) for at, group in changes for change in group):
                key = change.kind, index, position
                yield Mistake(key, change.implausibility, change.wording, at, {index: {position: change.computes}})

    def _terms(self, index: int, source: int, position: int) -> tuple[int, list[Change]]:
        """The mistakes about everything that comes through one argument, with the step that they are reported at."""
        node, term = self.trace.nodes[index], self.trace.nodes[source]
        if not node.rule.adds or np.allclose(self._share(index, position), self._gradient, rtol=1e-9, atol=0):
            return index, _through(node, position)
        if term.rule is None or term.rule.moves:  # the term is not an expression that a user would write
            return index, of_term("the term {x} of {step}", node, position)
        return source, of_term("the term {step}", term, 0)

    def _of_line(self, line: Key, indices: Sequence[int]) -> Iterator[Mistake]:
        """The same mistake at each run of a line, or in the derivative by each argument of a step."""
        by_kind: dict[Key, dict[int, dict[int, Change]]] = {}
        for index in indices:
            for position, _ in self._sources(index):
                terms = _through(self.trace.nodes[index], position)
                for change in (*self._changes(index, position), *terms):
                    by_kind.setdefault(change.kind, {}).setdefault(index, {})[position] = change
        positions = [position for position, _ in _sources(self.trace.nodes[indices[0]])]
        for kind, made in by_kind.items():
            alone = [{i: {p: m[p]} for i, m in made.items() if p in m} for p in positions] if len(indices) > 1 else []
            for changes in [*alone, *([made] if max(map(len, made.values())) > 1 else [])]:
                if changes:
                    yield _each_time((kind, line, *changes[min(changes)]), changes)

    def _gradient_with(self, mistake: Mistake) -> Any:
        if mistake.values:
            self._work_on(RECORDED * self._work[-1])
            again = altered(self.trace, mistake.values)
            cotangents = again.cotangents()
            return self._picked([cotangents[index] for index in again.input_indices()])
        if (edge := _only_edge(mistake)) is None:
            self._work_on(self._work[-1])
            instead = {index: partial(self._pull, index, made) for index, made in mistake.pulls.items()}
            cotangents = self.trace.swept(self.trace.result_index() or 0, instead=instead)
            return self._picked([cotangents[index] for index in self.trace.input_indices()])
        passed, share = self._passed(*edge), self._share(*edge)
        pulled = mistake.pulls[edge[0]][edge[1]](passed)
        if np.ndim(pulled) == 0 and passed.pulled:
            return self._gradient - share + pulled / passed.pulled * share
        return self._gradient - share + self._swept(passed.node.sources[edge[1]], pulled)

    def _contributions(self, mistake: Mistake, expected: Any) -> tuple[Any, ...]:
        if (edge := _only_edge(mistake)) is None:
            return ()
        wrong = self._share(*edge) + expected - self._gradient
        return mistake.pulls[edge[0]][edge[1]](self._passed(*edge)), wrong[wrong != 0]

    def _pull(self, index: int, made: Mapping[int, Callable[..., Any]], ct: Any, cts: list[Any], _: Any) -> None:
        pulled = self.trace.passed_back(index, ct)
        for position, source in _sources(self.trace.nodes[index]):
            if source in pulled:
                passed = ArgumentContribution(self.trace.nodes[index], position, ct, pulled[source])
                cts[source] = cts[source] + (made[position](passed) if position in made else passed.pulled)

    def _sources(self, index: int) -> Iterator[tuple[int, int]]:
        """The arguments of a step that it passes something back to: each position, and the step that computed it."""
        if self._cotangents[index] is not UNTOUCHED and self.trace.nodes[index].rule is not None:
            yield from (pair for pair in _sources(self.trace.nodes[index]) if pair[1] in self._pulled[index])

    def _passed(self, index: int, position: int) -> ArgumentContribution:
        node = self.trace.nodes[index]
        return ArgumentContribution(
            node, position, self._cotangents[index], self._pulled[index][node.sources[position]]
        )

    def _share(self, index: int, position: int) -> Any:
        """The part of the gradient that comes through one argument of a step."""
        if (index, position) not in self._shares:
            passed = self._passed(index, position)
            self._shares[index, position] = self._swept(passed.node.sources[position], passed.pulled)
        return self._shares[index, position]

    def _swept(self, source: int, pulled: Any) -> Any:
        self._work_on(self._work[source])
        cotangents = self.trace.swept(source, pulled)
        return self._picked([cotangents[index] for index in self.trace.input_indices()])

    def _work_on(self, steps: float) -> None:
        """Count the work.

        Raises:
            TooLongError: the search has exceeded its limit on steps or time.
        """
        self._swept_steps += steps
        if self._swept_steps > MOST_STEPS:
            raise TooLongError("there are too many possible mistakes to try")
        self._clock.check()

    def _picked(self, cotangents: Sequence[Any]) -> Any:
        """The derivatives by the parts, from the cotangents of the inputs."""
        shapes = [np.shape(self.trace.nodes[index].value) for index in self.trace.input_indices()]
        pieces = [np.ravel(np.broadcast_to(ct, shape)) for ct, shape in zip(cotangents, shapes, strict=True)]
        return np.concatenate(pieces).astype(float)[self._places]

    @cached_property
    def _cotangents(self) -> list[Any]:
        return self.trace.cotangents()

    @cached_property
    def _pulled(self) -> list[Mapping[int, Any]]:
        """For each step, what it passes back to the steps that computed its arguments."""
        reached = [cotangent is not UNTOUCHED for cotangent in self._cotangents]
        passed = self.trace.passed_back
        return [passed(n, self._cotangents[n]) if reached[n] else {} for n in range(len(reached))]

    @cached_property
    def _gradient(self) -> Any:
        """The gradient as the sum of its contributions; subtracting one of them leaves no large rounding error."""
        return self._picked([self._cotangents[index] for index in self.trace.input_indices()])

    def _changes(self, index: int, position: int) -> list[Change]:
        """The mistakes in the derivative of a step by one argument."""
        if (index, position) not in self._changes_by_edge:
            changes = of_derivative(self.trace, self.trace.nodes[index], position, self._sizes, self._variables)
            self._changes_by_edge[index, position] = [*changes]
        return self._changes_by_edge[index, position]

    @cached_property
    def _lines(self) -> dict[Key, list[int]]:
        """The steps that are the same operation on the same line, in order."""
        lines: dict[Key, list[int]] = {}
        counts: Counter[Key] = Counter()
        for node in self.trace.nodes[: self._count]:
            if node.positions and node.rule is not None:
                operation = node.operation, node.positions
                visit = self.trace.visit(node.index), *operation
                counts[visit] += 1
                place = node.place if self.trace.is_named else node.index
                lines.setdefault((place, *operation, counts[visit]), []).append(node.index)
        return lines

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
    def _variables(self) -> list[TraceNode]:
        """The values with a name of the user's, and the elements of inputs."""
        inputs, nodes = {*self.trace.input_indices()}, self.trace.nodes[: self._count]
        moves = [node for node in nodes if node.rule is not None and node.rule.moves and inputs & {*node.inputs}]
        named = {node.index for node in moves} | {*self.trace.names}
        return [node for node in nodes if node.index in named][:MOST_VARIABLES]


def _only_edge(mistake: Mistake) -> tuple[int, int] | None:
    """The step and the argument of a mistake that concerns one contribution only."""
    edges = [(index, position) for index, made in mistake.pulls.items() for position in made]
    return edges[0] if len(edges) == 1 else None


def _through(node: TraceNode, position: int) -> list[Change]:
    argument = "{x} in " if len(node.positions) > 1 else ""
    return of_term(f"the term that comes through {argument}{{step}}", node, position, OF_A_PART - OF_A_TERM)


def _each_time(key: Key, changes: Mapping[int, Mapping[int, Change]]) -> Mistake:
    first, last = (next(iter(changes[index].values())) for index in (min(changes), max(changes)))

    def wording(texts: StepTexts) -> str:
        text = first.wording(texts)
        if len(changes) == 1:
            return text
        return f"{text}, each time" if text == last.wording(texts) else f"{text}, and likewise each time"

    pulls = {index: {p: change.computes for p, change in made.items()} for index, made in changes.items()}
    return Mistake(key, first.implausibility + 1, wording, min(changes), pulls)


def _sources(node: TraceNode) -> Iterator[tuple[int, int]]:
    """The recorded arguments of a step, each once: its position, and the index of the step that computed it."""
    seen = {CONSTANT}
    for position, source in enumerate(node.sources):
        if source not in seen:
            seen.add(source)
            yield position, source


def lengths_of_arrays(trace: Trace) -> set[int]:
    """The lengths and the sizes of all arrays of a program."""
    return {n for node in trace.nodes for x in (node.value, *node.operands) for n in (*np.shape(x), np.size(x))}
