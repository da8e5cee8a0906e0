"""Detection of repeated loop bodies in a recorded run.

Two steps a period apart are alike if they run the same operation on values of the same kinds at the same line, and each
argument is the same, is also a period later, or is an integer or a list item that has advanced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.derivation.reading.value_kind import kind_of, shape_of
from gradcli.engine.traces.trace import Trace

LEAST_TURNS = 8
LONGEST_BODY = 300
LONGEST_LAG = 3
SAME, LATER = "same", "later"

Item = tuple[str, int]
"""An item of a list input: the name of the input, and the position."""


class RepeatedBody(NamedTuple):
    """Equal bodies, one after another.

    Attributes:
        start: the first step of the first body.
        period: the number of steps in a body.
        turns: the number of bodies.
        lags: for each place in a body whose value later bodies read, the largest distance in bodies.
        first: for each such place and distance, the argument that stands for the value before the first body.
        steps: for each step and argument place of the last body, the increment of the argument per body.
    """

    start: int
    period: int
    turns: int
    lags: dict[int, int]
    first: dict[tuple[int, int], int]
    steps: dict[tuple[int, int], Any]

    @property
    def end(self) -> int:
        """The step after the last body."""
        return self.start + self.period * self.turns

    @property
    def last(self) -> int:
        """The first step of the last body."""
        return self.end - self.period

    def lag(self, argument: int) -> tuple[int, int]:
        """For an argument in the last body, the place in a body of its step, and how many bodies ago it ran."""
        lag = -((argument - self.last) // self.period)
        return argument - self.last + lag * self.period, lag


class RepeatedBodies:
    """The repeated bodies of a run.

    Args:
        trace: the run, with the user's lines.
        items: the list items that steps read, by step.
    """

    def __init__(self, trace: Trace, items: Mapping[int, Item]) -> None:
        self.trace, self.items = trace, items
        self.program = trace.program
        self.steps = self.program.steps
        numbers: dict[Any, int] = {}
        known = [numbers.setdefault(self._what(index), len(numbers)) for index in range(len(self.steps))]
        self.what = np.array(known, dtype=np.int64)
        self.read_last = self._readers()

    def bodies(self) -> list[RepeatedBody]:
        """The bodies that repeat often enough, in order and without overlap."""
        cuts = {0, len(self.steps), *(outcome.before for outcome in self.program.outcomes)}
        for node in self.trace.nodes:
            if node.is_input or (node.rule is not None and node.rule.writes):
                cuts |= {node.index, node.index + 1}
        ordered = sorted(cuts)
        return [loop for start, stop in pairwise(ordered) for loop in self._within(start, stop)]

    def _within(self, start: int, stop: int) -> Iterator[RepeatedBody]:
        """The repetition that saves most in a range of steps, and those before and after it."""
        best: RepeatedBody | None = None
        saved = 0
        for period in range(1, min(LONGEST_BODY, (stop - start) // LEAST_TURNS) + 1):
            for begin, end in self._alike(start, stop, period, saved):
                one = self._placed(start, begin, end + period, period)
                if one is not None and (one.turns - 1) * period > saved:
                    best, saved = one, (one.turns - 1) * period
        if best is not None:
            yield from self._within(start, best.start)
            yield best
            yield from self._within(best.end, stop)

    def _readers(self) -> np.ndarray:
        """For each step, the last step that reads it or is preceded by an outcome that does; -1 if unused."""
        last = np.full(len(self.steps), -1)
        readers = [(index, step.arguments) for index, step in enumerate(self.steps)]
        readers += [(outcome.before, outcome.arguments) for outcome in self.program.outcomes]
        for reader, arguments in readers:
            for argument in arguments:
                if 0 <= argument < len(last):
                    last[argument] = max(last[argument], reader)
        result = self.trace.result_index()
        if result is not None:
            last[result] = len(last)
        return last

    def _what(self, index: int) -> Any:
        """The operation and line of a step, without its arguments."""
        node = self.trace.nodes[index]
        operation = self.program.operations[self.steps[index].operation]
        kinds = [(kind_of(operand), shape_of(operand)) for operand in (node.value, *node.operands)]
        return operation.name, id(operation.rule), operation.choices, operation.names, tuple(kinds), node.place

    def _alike(self, start: int, stop: int, period: int, saved: int) -> Iterator[tuple[int, int]]:
        """The ranges of steps that are alike from one period to the next, longer than `saved`."""
        least = max(saved + 1, (LEAST_TURNS - 3) * period)
        equal = self.what[start : stop - period] == self.what[start + period : stop]
        edges = np.flatnonzero(np.diff(np.concatenate(([False], equal, [False])).astype(np.int8)))
        for begin, end in edges.reshape(-1, 2) + start:
            if end - begin >= least:
                for one, other in self._steady(int(begin), int(end), period):
                    if other - one >= max(2 * period, least - 2 * period):
                        yield one, other

    def _steady(self, begin: int, end: int, period: int) -> Iterator[tuple[int, int]]:
        """The parts of such a range whose arguments advance regularly, by the same increment in each body."""
        moves: dict[int, Any] = {}
        for index in range(begin, end):
            moves[index] = self._moves(index, period)
            if None in moves[index]:
                yield begin, index
                begin = index + 1
            elif index - period >= begin and moves[index - period] != moves[index]:
                yield begin, index
                begin = index - period + 1
        yield begin, end

    def _moves(self, index: int, period: int) -> list[Any]:
        """How the arguments of a step advance in a period; None for an argument without a known pattern."""
        pairs = zip(self.steps[index].arguments, self.steps[index + period].arguments, strict=True)
        return [self._move(one, other, period) for one, other in pairs]

    def _move(self, one: int, other: int, period: int) -> Any:
        if one == other:
            return SAME
        if one < 0 and other < 0:
            return difference(*(self.program.constants[-1 - place].value for place in (one, other)))
        before, after = self.items.get(one), self.items.get(other)
        if before is not None and after is not None:
            return after[1] - before[1] if before[0] == after[0] else None
        is_later = other == one + period and 0 <= one < other < len(self.steps) and before is None
        return LATER if is_later else None

    def _placed(self, least: int, begin: int, end: int, period: int) -> RepeatedBody | None:
        """The bodies in a range: most bodies, then fewest carried values, then the earliest.

        The first bodies may start before the range, because the values they carry come from elsewhere.
        """
        candidates = []
        for start in range(max(least, begin - 2 * period), min(begin + period, end - LEAST_TURNS * period + 1)):
            body = self._body(start, begin, period, (end - start) // period)
            if body is not None:
                candidates.append(((-body.turns, sum(body.lags.values()), start), body))
        return min(candidates, key=lambda candidate: candidate[0])[1] if candidates else None

    def _body(self, start: int, begin: int, period: int, turns: int) -> RepeatedBody | None:
        before = slice(start, max(start, begin)), slice(start + period, max(start, begin) + period)
        if turns < LEAST_TURNS or not np.array_equal(self.what[before[0]], self.what[before[1]]):
            return None
        body = RepeatedBody(start, period, turns, {}, {}, {})
        for index in range(body.last, body.end):
            moves = self._moves(index - period, period)
            for place, (move, argument) in enumerate(zip(moves, self.steps[index].arguments, strict=True)):
                if move == LATER and argument < body.last:
                    if not self._carries(body, index, place, argument):
                        return None
                elif move not in (SAME, LATER):
                    body.steps[index, place] = move
        return body if self._begins(body, begin) and self._ends(body) else None

    def _carries(self, body: RepeatedBody, index: int, place: int, argument: int) -> bool:
        """Note the value that an argument in the last body carries from an earlier body; False if it is irregular."""
        at, lag = body.lag(argument)
        body.lags[at] = max(lag, body.lags.get(at, 0))
        for turn in range(min(lag, LONGEST_LAG)):
            initial = self.steps[index - (body.turns - 1 - turn) * body.period].arguments[place]
            if initial >= body.start or body.first.setdefault((at, lag - turn), initial) != initial:
                return False
        return lag <= LONGEST_LAG

    def _begins(self, body: RepeatedBody, begin: int) -> bool:
        """Whether the steps before the range equal those in it, except for carried values."""
        period = body.period
        for index in range(body.start, begin):
            turn, at = divmod(index - body.start, period)
            moves = self._moves(body.last + at - period, period)
            for place, (one, move) in enumerate(zip(self._moves(index, period), moves, strict=True)):
                argument = self.steps[body.last + at].arguments[place]
                is_first = move == LATER and argument < body.last and turn < body.lag(argument)[1]
                if one != move and not is_first:
                    return False
        return True

    def _ends(self, body: RepeatedBody) -> bool:
        """Whether later reads find their values: those of the last body, or carried ones."""
        for argument in np.flatnonzero(self.read_last[body.start : body.last] >= body.end) + body.start:
            at, lag = body.lag(int(argument))
            if body.lags.get(at, 0) < lag + 1:
                return False
        return True


def difference(one: Any, other: Any) -> Any:
    """The difference of two integers, or of the parts of two indices; None for other values that differ."""
    if type(one) is not type(other):
        return None
    if type(one) is int:
        return other - one
    if type(one) is tuple and len(one) == len(other):
        parts = tuple(difference(a, b) for a, b in zip(one, other, strict=True))
        return None if None in parts else parts
    if type(one) is slice:
        parts = tuple(difference(a, b) for a, b in zip(_ends_of(one), _ends_of(other), strict=True))
        return None if None in parts else parts
    return 0 if one is None or one is Ellipsis else None


def _ends_of(key: slice) -> Sequence[Any]:
    return key.start, key.stop, key.step
