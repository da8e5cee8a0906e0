"""The traversal of a program: its steps done again, in any number system, with other inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, Protocol, TypeVar, cast

import numpy as np

from gradcli.rules.array_rules import ArrayRule
from gradcli.tape.accumulate import fit, select
from gradcli.tape.compiled import by_ieee
from gradcli.traces.node import TraceNode
from gradcli.traces.program import Operation, Program, ProgramGuard

Step = TypeVar("Step")
Pull = Callable[..., Iterable[tuple[int, Any]]]

_Entry = tuple[int, Callable[..., Any], Any, Any]
# The number of a step, its function, and its argument or its two; or None and all of them.

NUMBERS = frozenset((bool, int, float))


class Diverged(Exception):
    """An outcome at the new point differs from the recorded one, so that the program would go another way."""


class NumberSystem(Protocol):
    """Numbers of one kind, and what the operations do to them."""

    def constant(self, value: Any) -> Any:
        """A plain value among these numbers; what goes by name, such as an index or a mask, stays what it is."""

    def entered(self, value: Any) -> Any:
        """An input as it was recorded, where no other one is given."""
        return self.constant(value)

    def function(self, operation: Operation) -> Callable[..., Any]:
        """What an operation does to these numbers, as a function of its arguments; asked once for each operation."""

    def sees_node(self, operation: Operation) -> bool:
        """Whether the functions of an operation take its node first, as where what was recorded stays chosen."""
        return False

    def between(self, steps: Iterable[Step]) -> Iterable[Step]:
        """The same steps, one after another: a system may stop in between."""
        return steps


class ReverseSystem(NumberSystem, Protocol):
    """Numbers that cotangents can be, too."""

    def pull(self, operation: Operation) -> Pull:
        """What an operation passes back, by the places of the arguments, of its cotangent, its value and these."""

    def add(self, present: Any, contribution: Any, source: TraceNode) -> Any:
        """The cotangent of a node with a contribution more; `present` is None where there is none yet."""


class Floats(ReverseSystem):
    """The numbers of the run itself, computed as it did: Python's floats, NumPy's arrays, those of a device."""

    def constant(self, value: Any) -> Any:
        """Itself."""
        return value

    def function(self, operation: Operation) -> Callable[..., Any]:
        """The rule's own."""
        rule = operation.rule
        if isinstance(rule, ArrayRule):
            return called(rule.forward, operation)
        return rule.on_arrays if operation.is_of_arrays else rule.plain  # type: ignore[no-any-return]

    def pull(self, operation: Operation) -> Pull:
        """By the partials of the rule, or its vector-Jacobian products."""
        if isinstance(operation.rule, ArrayRule):
            return called(partial(_pull_array, operation), operation)
        return partial(_pull_each, operation)

    def add(self, present: Any, contribution: Any, source: TraceNode) -> Any:
        """As the sweeps do: they begin with 0.0."""
        return 0.0 + contribution if present is None else present + contribution


FLOATS = Floats()


def _pass_on(ct: Any, value: Any, argument: Any) -> list[tuple[int, Any]]:
    return [(0, ct)]


def _pull_each(operation: Operation, ct: Any, value: Any, *arguments: Any) -> Iterator[tuple[int, Any]]:
    rule, slopes, arrays = operation.rule, operation.slopes, operation.is_of_arrays
    partials = slopes.on_arrays if arrays else slopes.on_numbers
    products = slopes.array_products if arrays else slopes.number_products
    for place in operation.positions:
        slope, product = partials[place], products[place]
        if slope is None or product is None:
            continue
        if rule.selects:
            found = select(ct, by_ieee(slope, value, *arguments))
        else:
            found = by_ieee(product, ct, value, *arguments)
        yield place, fit(found, arguments[place])


def _pull_array(operation: Operation, ct: Any, value: Any, *arguments: Any, **static: Any) -> Iterator[tuple[int, Any]]:
    for place in operation.positions:
        yield place, fit(operation.rule.vjp(place, ct, value, arguments, static), arguments[place])


def called(function: Callable[..., Any], operation: Operation) -> Callable[..., Any]:
    """A function with the choices of an operation, its last arguments given by name where they have names."""
    if operation.choices:
        function = partial(function, **{name: constant.value for name, constant in operation.choices})
    if not operation.names:
        return function
    count, names = len(operation.names), operation.names
    return lambda *arguments: function(*arguments[:-count], **dict(zip(names, arguments[-count:], strict=True)))


class Traversal:
    """The steps of a program up to one of them, each with what a number system does for it.

    Args:
        program: what was done.
        nodes: the run of it that was recorded.
        system: the numbers.
        last: the last step; all of them by default.
    """

    def __init__(
        self, program: Program, nodes: Sequence[TraceNode], system: NumberSystem, last: int | None = None
    ) -> None:
        self._program = program
        self._nodes = nodes[: last + 1] if last is not None else nodes
        self._system = system

    @cached_property
    def _inputs(self) -> list[int]:
        return [node.index for node in self._nodes if node.is_input]

    @cached_property
    def _sees_node(self) -> list[bool]:
        return [x.rule is not None and self._system.sees_node(x) for x in self._program.operations]

    @cached_property
    def _steps(self) -> list[tuple[int, tuple[int, ...]]]:
        """The steps; what goes by name is found among the plain constants, beyond those of the system."""
        operations, count = self._program.operations, len(self._program.constants)
        steps = self._program.steps[: len(self._nodes)]
        if not any(operation.names for operation in operations):
            return [*steps]
        return [(number, _by_name(arguments, len(operations[number].names), count)) for number, arguments in steps]

    @cached_property
    def _constants(self) -> list[Any]:
        """The constants as they are, and those that are arguments among the numbers of the system; -1 is the first."""
        plain = [constant.value for constant in reversed(self._program.constants)]
        used = {n for _, arguments in self._steps for n in arguments if n < 0}
        return [*plain, *[self._system.constant(x) if n - len(plain) in used else x for n, x in enumerate(plain)]]

    @cached_property
    def _entries(self) -> list[_Entry]:
        functions = [_function(self._system, operation) for operation in self._program.operations]
        entries = []
        for node, (number, arguments) in zip(self._nodes, self._steps, strict=True):
            if node.is_input:
                continue
            function = partial(functions[number], node) if self._sees_node[number] else functions[number]
            entries.append(_entry(node.index, function, arguments))
        return entries

    def values(self, given: Mapping[int, Any], *, asks_again: bool) -> list[Any]:
        """The values of the steps, where those that are given have these; other inputs are as they were recorded.

        Raises:
            Diverged: an outcome, which `asks_again` computes again, differs.
        """
        count = len(self._nodes)
        found: list[Any] = [None] * count + self._constants
        for index in self._inputs:
            found[index] = given[index] if index in given else self._system.entered(self._nodes[index].value)
        entries = self._entries if given.keys() <= {*self._inputs} else self._with(given)
        if not asks_again:
            _run(self._system.between(entries), found)
        else:
            _run_guarded(self._system, entries, found, self._program.guards)
        return found[:count]

    def cotangents(self, values: Sequence[Any], last: int, seed: Any) -> dict[int, Any]:
        """The cotangents of the inputs that have a part in a step whose own is `seed`, at these values of the steps.

        Every partial takes part, also at numbers that the program did not take.  The cotangent of any other step is
        let go of as soon as it is passed on.
        """
        system = cast(ReverseSystem, self._system)
        operations, steps, sees_node = self._program.operations, self._steps, self._sees_node
        pulls = [_pull(system, operation) for operation in operations]
        known = [*values, *self._constants]
        found = {last: seed}
        for index in system.between(range(last, -1, -1)):
            number, arguments = steps[index]
            if index not in found or not operations[number].positions:
                continue
            ct, node = found.pop(index), (self._nodes[index],) if sees_node[number] else ()
            for place, contribution in pulls[number](*node, ct, values[index], *[known[n] for n in arguments]):
                source = arguments[place]
                found[source] = system.add(found.get(source), contribution, self._nodes[source])
        return {index: ct for index, ct in found.items() if self._nodes[index].is_input}

    def _with(self, given: Mapping[int, Any]) -> list[_Entry]:
        """The entries with the values of some that are given in place of what they compute."""
        return [(k, _given(given[k]), None, ()) if k in given else (k, *entry) for k, *entry in self._entries]


def _given(value: Any) -> Callable[[], Any]:
    return lambda: value


def _same(x: Any) -> Any:
    return x


def _function(system: NumberSystem, operation: Operation) -> Callable[..., Any]:
    return _same if operation.rule is None else system.function(operation)


def _pull(system: ReverseSystem, operation: Operation) -> Pull:
    return _pass_on if operation.rule is None else system.pull(operation)


def _by_name(arguments: tuple[int, ...], names: int, constants: int) -> tuple[int, ...]:
    """Arguments of which the last few go by name: plain constants, unless other steps make them."""
    first = len(arguments) - names
    return (*arguments[:first], *(n - constants if n < 0 else n for n in arguments[first:])) if names else arguments


def _entry(index: int, function: Callable[..., Any], arguments: tuple[int, ...]) -> _Entry:
    if len(arguments) == 2:
        return index, function, *arguments
    return (index, function, arguments[0], None) if len(arguments) == 1 else (index, function, None, arguments)


def _run(entries: Iterable[_Entry], found: list[Any]) -> None:
    for k, function, a, b in entries:
        if b is None:
            found[k] = function(found[a])
        elif a is None:
            found[k] = function(*[found[n] for n in b])
        else:
            found[k] = function(found[a], found[b])


def _run_guarded(
    system: NumberSystem, entries: Sequence[_Entry], found: list[Any], guards: Iterable[ProgramGuard]
) -> None:
    done = 0
    for guard in guards:
        start = done
        while done < len(entries) and entries[done][0] < guard.before:
            done += 1
        _run(system.between(entries[start:done]), found)
        _check(guard, found)
    _run(system.between(entries[done:]), found)


def _check(guard: ProgramGuard, found: list[Any]) -> None:
    now, told = guard.function(*[found[n] for n in guard.arguments]), guard.told.value
    if now is not told and not (now == told if type(now) in NUMBERS else np.array_equal(now, told)):
        raise Diverged
