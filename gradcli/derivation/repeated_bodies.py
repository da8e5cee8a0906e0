"""Equal bodies, one after another, in a recorded run: what a loop of the user's left there, found again.

Two steps a period apart are alike where they do the same with values of the same kinds at the same line, and each
argument is the same, is a period later too, or is a whole number or an item of a list input that has moved on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from gradcli.derivation.reading.value_kinds import kind_of, shape_of
from gradcli.traces.trace import Trace

LEAST_TURNS = 8
LONGEST_BODY = 300
LONGEST_LAG = 3
SAME, LATER = "same", "later"

Item = tuple[str, int]
"""An item of an input that is a list: what the input is called, and where it stands."""


class RepeatedBody(NamedTuple):
    """Equal bodies one after another.

    Attributes:
        start: the first step of the first.
        period: the steps of one.
        turns: how many there are.
        lags: by the place in a body of a step whose value later bodies read, how many bodies later at the most.
        first: by such a place and a lag the argument that stands for the value so many bodies before the first.
        steps: by the last body's steps and places of arguments how far an argument goes on from body to body.
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
        """Of an argument in the last body the place in a body of the step, and how many bodies ago that was."""
        lag = -((argument - self.last) // self.period)
        return argument - self.last + lag * self.period, lag


class RepeatedBodies:
    """The equal bodies of a run.

    Args:
        trace: the run, with the user's lines.
        items: by step the item that it is, of an input that is a list.
    """

    def __init__(self, trace: Trace, items: Mapping[int, Item]) -> None:
        self.trace, self.items = trace, items
        self.program = trace.program
        self.steps = self.program.steps
        numbers: dict[Any, int] = {}
        known = [numbers.setdefault(self._what(index), len(numbers)) for index in range(len(self.steps))]
        self.what = np.array(known, dtype=np.int64)
        self.read_last = self._readers()

    def found(self) -> list[RepeatedBody]:
        """Those that are repeated often enough, in order, without overlap."""
        cuts = {0, len(self.steps), *(outcome.before for outcome in self.program.outcomes)}
        for node in self.trace.nodes:
            if node.is_input or (node.rule is not None and node.rule.writes):
                cuts |= {node.index, node.index + 1}
        ordered = sorted(cuts)
        return [each for start, stop in pairwise(ordered) for each in self._within(start, stop)]

    def _within(self, start: int, stop: int) -> Iterator[RepeatedBody]:
        """The one that saves most of a stretch of steps, and those before and after it."""
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
        """By step the last step that reads it, or before which an outcome does; what nothing reads has -1."""
        last = np.full(len(self.steps), -1)
        readers = [(index, step.arguments) for index, step in enumerate(self.steps)]
        readers += [(outcome.before, outcome.arguments) for outcome in self.program.outcomes]
        for reader, arguments in readers:
            for each in arguments:
                if 0 <= each < len(last):
                    last[each] = max(last[each], reader)
        result = self.trace.result_index()
        if result is not None:
            last[result] = len(last)
        return last

    def _what(self, index: int) -> Any:
        """What a step does, and where: without its arguments."""
        node = self.trace.nodes[index]
        operation = self.program.operations[self.steps[index].operation]
        kinds = [(kind_of(each), shape_of(each)) for each in (node.value, *node.operands)]
        return operation.name, id(operation.rule), operation.choices, operation.names, tuple(kinds), node.place

    def _alike(self, start: int, stop: int, period: int, saved: int) -> Iterator[tuple[int, int]]:
        """The stretches of steps that go on alike from a period to the next, longer than what is saved already."""
        least = max(saved + 1, (LEAST_TURNS - 3) * period)
        equal = self.what[start : stop - period] == self.what[start + period : stop]
        edges = np.flatnonzero(np.diff(np.concatenate(([False], equal, [False])).astype(np.int8)))
        for begin, end in edges.reshape(-1, 2) + start:
            if end - begin >= least:
                for one, other in self._steady(int(begin), int(end), period):
                    if other - one >= max(2 * period, least - 2 * period):
                        yield one, other

    def _steady(self, begin: int, end: int, period: int) -> Iterator[tuple[int, int]]:
        """Those of them whose arguments go on alike, and by the same step at each turn."""
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
        """How the arguments of a step go on to those of the step a period later; None for no way that is known."""
        pairs = zip(self.steps[index].arguments, self.steps[index + period].arguments, strict=True)
        return [self._move(one, other, period) for one, other in pairs]

    def _move(self, one: int, other: int, period: int) -> Any:
        if one == other:
            return SAME
        if one < 0 and other < 0:
            return difference(*(self.program.constants[-1 - each].value for each in (one, other)))
        before, after = self.items.get(one), self.items.get(other)
        if before is not None and after is not None:
            return after[1] - before[1] if before[0] == after[0] else None
        is_later = other == one + period and 0 <= one < other < len(self.steps) and before is None
        return LATER if is_later else None

    def _placed(self, least: int, begin: int, end: int, period: int) -> RepeatedBody | None:
        """The bodies in a stretch: most turns, then fewest values carried, then the earliest.

        The first bodies may begin before the stretch: what they carry comes from elsewhere.
        """
        found = []
        for start in range(max(least, begin - 2 * period), min(begin + period, end - LEAST_TURNS * period + 1)):
            body = self._body(start, begin, period, (end - start) // period)
            if body is not None:
                found.append(((-body.turns, sum(body.lags.values()), start), body))
        return min(found, key=lambda each: each[0])[1] if found else None

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
        """Note what an argument in the last body carries on from a body before; False where it is not plain."""
        at, lag = body.lag(argument)
        body.lags[at] = max(lag, body.lags.get(at, 0))
        for turn in range(min(lag, LONGEST_LAG)):
            initial = self.steps[index - (body.turns - 1 - turn) * body.period].arguments[place]
            if initial >= body.start or body.first.setdefault((at, lag - turn), initial) != initial:
                return False
        return lag <= LONGEST_LAG

    def _begins(self, body: RepeatedBody, begin: int) -> bool:
        """Whether the steps before the stretch are as those in it, but for what they carry."""
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
        """Whether what is read after the bodies is there then: values of the last, and what it carries on."""
        for argument in np.flatnonzero(self.read_last[body.start : body.last] >= body.end) + body.start:
            at, lag = body.lag(int(argument))
            if body.lags.get(at, 0) < lag + 1:
                return False
        return True


def difference(one: Any, other: Any) -> Any:
    """How far apart two whole numbers are, part by part in an index; None for other values that differ."""
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
