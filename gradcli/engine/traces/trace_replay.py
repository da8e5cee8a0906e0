"""The traversal of a program: its steps executed again in any number system, with other inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, cast

import numpy as np

from gradcli.engine.traces.node import TraceNode, ancestors
from gradcli.engine.traces.number_systems import NumberSystem, Pull, ReverseSystem
from gradcli.engine.traces.straight_line_program import Operation, ProgramRun

_Entry = tuple[int, Callable[..., Any], Any, Any]
# (index of the step, function, its one or two arguments), or (index, function, None, all arguments).

NUMBERS = frozenset((bool, int, float))


UNABLE = (ArithmeticError, ValueError, TypeError, LookupError, AttributeError, NotImplementedError)
"""What the rules of a trace may raise at other numbers, and with numbers of another kind, such as decimals."""


class Diverged(Exception):
    """An outcome at the new point differs from the recorded one: the program would take another path."""


def _pass_on(ct: Any, value: Any, argument: Any) -> list[tuple[int, Any]]:
    return [(0, ct)]


class Traversal:
    """The steps of a program up to a given one, each with its function in a number system.

    Args:
        steps: the program, with the numbers of a run.
        system: the number system.
        last: the last step (default: all steps).
        for_last: whether to execute only the steps that the last one depends on. The values of the others are None,
            and outcomes cannot be computed again.
    """

    def __init__(
        self, steps: ProgramRun, system: NumberSystem, last: int | None = None, *, for_last: bool = False
    ) -> None:
        self._program, self._nodes, self._handed_on, self._masked = steps
        self._count = len(self._nodes) if last is None else last + 1
        self._executed: Iterable[int] = range(self._count)
        if for_last:
            self._executed = sorted(ancestors(self._nodes, self._count - 1))
        self._system = system

    @cached_property
    def _inputs(self) -> list[int]:
        return [n for n in self._executed if self._nodes[n].is_input]

    @cached_property
    def _sees_node(self) -> list[bool]:
        return [x.rule is not None and self._system.sees_node(x) for x in self._program.operations]

    @cached_property
    def _steps(self) -> list[tuple[int, tuple[int, ...]]]:
        """The steps, with arguments that are passed by name taken from the unconverted outcomes and constants."""
        program = self._program
        operations, steps = program.operations, program.steps[: self._count]
        if not any(operation.names for operation in operations) and not self._handed_on:
            return [*steps]
        sizes = len(program.steps), len(program.outcomes), len(program.constants)
        return [(number, _placed(arguments, len(operations[number].names), *sizes)) for number, arguments in steps]

    @cached_property
    def _constants(self) -> list[Any]:
        """The constants as they are, then those used as arguments in the number system; index -1 is the first."""
        plain = [constant.value for constant in reversed(self._program.constants)]
        used = {n for step in self._executed for n in self._steps[step][1] if n < 0}
        return [*plain, *[self._system.constant(x) if n - len(plain) in used else x for n, x in enumerate(plain)]]

    @cached_property
    def _shaped(self) -> list[int]:
        """The steps whose shape may depend on an outcome, except those that index by a mask."""
        first = len(self._program.steps)
        taking = [n for n, (_, arguments) in enumerate(self._steps) if max(arguments, default=-1) >= first]
        return [n for n in taking if n not in self._masked]

    @cached_property
    def _entries(self) -> list[_Entry]:
        return [self._entry(node) for n in self._executed if not (node := self._nodes[n]).is_input]

    def _entry(self, node: TraceNode) -> _Entry:
        number, arguments = self._steps[node.index]
        function = self._functions[number]
        return _entry(node.index, partial(function, node) if self._sees_node[number] else function, arguments)

    @cached_property
    def _functions(self) -> list[Callable[..., Any]]:
        return [_function(self._system, operation) for operation in self._program.operations]

    def values(self, given: Mapping[int, Any], *, asks_again: bool) -> list[Any]:
        """The values of the steps for the given values of some of them. Other inputs keep their recorded values.

        With `asks_again`, data outcomes such as masks, and the solutions of solvers, are recomputed; without it all
        outcomes are unchanged.

        Raises:
            Diverged: a guard differs, or a value that depends on an outcome has another shape.
        """
        return (self._asking(given) if asks_again else self._values(given, asks_again=False))[: self._count]

    def followed(self, given: Mapping[int, Any]) -> tuple[list[Any], list[Any]]:
        """The values of the steps and of the outcomes, all recomputed.

        Raises:
            Diverged: as for `values`.
        """
        values, count = self._asking(given), len(self._program.steps)
        return values[:count], values[count : count + len(self._program.outcomes)]

    def _asking(self, given: Mapping[int, Any]) -> list[Any]:
        for _ in range(MOST_ROUNDS):
            values = self._values(given, asks_again=True)
            moved = {at: values[to] for at, to in self._program.solutions if not _settled(values, at, to)}
            if not moved:
                return values
            given = {**given, **moved}
        raise Diverged

    def _values(self, given: Mapping[int, Any], *, asks_again: bool) -> list[Any]:
        values = self._known([None] * len(self._program.steps), asks_again=asks_again)
        for index in self._inputs:
            values[index] = given[index] if index in given else self._system.entered(self._nodes[index].value)
        entries = self._entries if given.keys() <= {*self._inputs} else self._with(given)
        if asks_again:
            self._run_asking(entries, values)
        else:
            _run(self._system.between(entries), values)
        return values

    def _run_asking(self, entries: Sequence[_Entry], values: list[Any]) -> None:
        outcomes, between = self._program.outcomes, self._system.between
        done, first = 0, len(self._program.steps)
        for place, outcome in enumerate(outcomes, first):
            start = done
            while done < len(entries) and entries[done][0] < outcome.before:
                done += 1
            _run(between(entries[start:done]), values)
            now = outcome.function(*[values[n] for n in outcome.arguments])
            if outcome.guard is None:
                _keep_shape(now, self._handed_on[place - first])
            elif not _is_same(now, outcome.guard.value):
                raise Diverged
            values[place] = values[place + len(outcomes)] = now
        _run(between(entries[done:]), values)
        for index in self._shaped:
            _keep_shape(values[index], self._nodes[index].value)

    def cotangents(self, values: Sequence[Any], last: int, seed: Any) -> dict[int, Any]:
        """The cotangents of the inputs when step `last` has the cotangent `seed`, at these values of the steps.

        Every partial takes part, also at elements that the program did not select. The cotangents of other steps are
        freed as soon as they have been passed on.
        """
        system = cast(ReverseSystem, self._system)
        operations, steps, sees_node = self._program.operations, self._steps, self._sees_node
        pulls = [_pull(system, operation) for operation in operations]
        known = self._known(values, asks_again=False)
        cts = {last: seed}
        for index in system.between(range(last, -1, -1)):
            number, arguments = steps[index]
            if index not in cts or not operations[number].positions:
                continue
            ct, node = cts.pop(index), (self._nodes[index],) if sees_node[number] else ()
            passed = pulls[number](*node, ct, values[index], *[known[n] for n in arguments])
            for place, contribution in system.between(passed):
                source = arguments[place]
                cts[source] = system.add(cts.get(source), contribution, self._nodes[source])
        return {index: ct for index, ct in cts.items() if self._nodes[index].is_input}

    def _known(self, values: Sequence[Any], *, asks_again: bool) -> list[Any]:
        """The values of the steps, of the outcomes (plain and in the number system), and of the constants."""
        missing = [None] * (len(self._program.steps) - len(values))
        outcomes = [None] * 2 * len(self._program.outcomes) if asks_again else self._outcomes
        return [*values, *missing, *outcomes, *self._constants]

    @cached_property
    def _outcomes(self) -> list[Any]:
        """The recorded outcomes as they are, followed by those used as arguments in the number system."""
        first = len(self._program.steps) + len(self._handed_on)
        used = {n - first for step in self._executed for n in self._steps[step][1] if n >= first}
        numbers = [self._system.constant(x) if n in used else x for n, x in enumerate(self._handed_on)]
        return [*self._handed_on, *numbers]

    def _with(self, given: Mapping[int, Any]) -> list[_Entry]:
        """The entries, with given values in place of some computed ones."""
        return [(k, _given(given[k]), None, ()) if k in given else (k, *entry) for k, *entry in self._entries]


def _given(value: Any) -> Callable[[], Any]:
    return lambda: value


def _same(x: Any) -> Any:
    return x


def _function(system: NumberSystem, operation: Operation) -> Callable[..., Any]:
    return _same if operation.rule is None else system.function(operation)


def _pull(system: ReverseSystem, operation: Operation) -> Pull:
    return _pass_on if operation.rule is None else system.pull(operation)


def _placed(arguments: tuple[int, ...], names: int, steps: int, outcomes: int, constants: int) -> tuple[int, ...]:
    """The positions of the arguments' values. The last few, which are passed by name, refer to unconverted values."""
    first = len(arguments) - names
    by_place = (n + outcomes if n >= steps else n for n in arguments[:first])
    return (*by_place, *(n - constants if n < 0 else n for n in arguments[first:]))


def _entry(index: int, function: Callable[..., Any], arguments: tuple[int, ...]) -> _Entry:
    if len(arguments) == 2:
        return index, function, *arguments
    return (index, function, arguments[0], None) if len(arguments) == 1 else (index, function, None, arguments)


def _run(entries: Iterable[_Entry], values: list[Any]) -> None:
    for k, function, a, b in entries:
        if b is None:
            values[k] = function(values[a])
        elif a is None:
            values[k] = function(*[values[n] for n in b])
        else:
            values[k] = function(values[a], values[b])


def _is_same(now: Any, recorded: Any) -> bool:
    if now is recorded:
        return True
    if type(now) in NUMBERS:
        return bool(now == recorded)
    if type(now) is tuple:
        return len(now) == len(recorded) and all(map(_is_same, now, recorded))
    return bool(np.array_equal(now, recorded))


def _keep_shape(value: Any, before: Any) -> None:
    if type(value) is not tuple and np.shape(value) != np.shape(before):
        raise Diverged


MOST_ROUNDS = 8  # each doubles the number of correct digits of a solution


def _settled(values: Sequence[Any], at: int, to: int) -> bool:
    """Whether the point at which an equation was entered equals the result of a Newton step from it."""
    there = np.asarray(values[to])
    return bool(
        np.all(np.abs(there - values[at]) <= 4 * np.finfo(there.dtype).eps * np.max(np.abs(there), initial=0.0))
    )
