"""The traversal of a program: its steps done again, in any number system, with other inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, cast

import numpy as np

from gradcli.rules.array_rules import ArrayRule
from gradcli.tape.accumulate import fit, select
from gradcli.tape.compiled import by_ieee
from gradcli.traces.node import TraceNode
from gradcli.traces.program import Operation, Program, ProgramGuard

_Entry = tuple[int, Callable[..., Any], Any, Any]
# The number of a step, its function, and its argument or its two; or None and all of them.


NUMBERS = frozenset((bool, int, float))


class Diverged(Exception):
    """An outcome at the new point differs from the recorded one, so that the program would go another way."""


class NumberSystem(Protocol):
    """Numbers of one kind, and what the operations do to them."""

    def constant(self, value: Any) -> Any:
        """A plain value among these numbers."""

    def function(self, operation: Operation) -> Callable[..., Any]:
        """What an operation does to these numbers, as a function of its arguments; asked once for each operation.

        Where `chooses` says so, the node as it was recorded comes first.
        """

    def chooses(self, operation: Operation) -> bool:
        """Whether what was chosen at the recorded point stays chosen, so that the function has to see it."""


class ReverseSystem(NumberSystem, Protocol):
    """Numbers that cotangents can be, too."""

    def pull(self, operation: Operation) -> Callable[[Any, Any, Sequence[Any]], Iterable[tuple[int, Any]]]:
        """What an operation passes back of its cotangent, by the place of the argument."""

    def add(self, present: Any, contribution: Any) -> Any:
        """The sum of a cotangent, None where there is none yet, and a contribution."""


class Floats:
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

    def pull(self, operation: Operation) -> Callable[[Any, Any, Sequence[Any]], Iterable[tuple[int, Any]]]:
        """By the partials of the rule, or its vector-Jacobian products."""
        if isinstance(operation.rule, ArrayRule):
            return partial(_pull_array, operation, called(_vjp, operation))
        return partial(_pull_each, operation)

    def add(self, present: Any, contribution: Any) -> Any:
        """As the sweeps do: they begin with 0.0."""
        return 0.0 + contribution if present is None else present + contribution

    def chooses(self, operation: Operation) -> bool:
        """Every choice is made anew."""
        return False


FLOATS = Floats()


def _pass_on(ct: Any, value: Any, arguments: Sequence[Any]) -> list[tuple[int, Any]]:
    return [(0, ct)] if arguments else []


def _pull_each(operation: Operation, ct: Any, value: Any, arguments: Sequence[Any]) -> Iterator[tuple[int, Any]]:
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


def _vjp(rule: ArrayRule, place: int, ct: Any, value: Any, *arguments: Any, **static: Any) -> Any:
    return rule.vjp(place, ct, value, arguments, static)


def _pull_array(
    operation: Operation, vjp: Callable[..., Any], ct: Any, value: Any, arguments: Sequence[Any]
) -> Iterator[tuple[int, Any]]:
    for place in operation.positions:
        yield place, fit(vjp(operation.rule, place, ct, value, *arguments), arguments[place])


def called(function: Callable[..., Any], operation: Operation) -> Callable[..., Any]:
    """A function with the choices of an operation, its last arguments given by name where they have names."""
    if operation.choices:
        function = partial(function, **dict(operation.choices))
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
        self._constants = [system.constant(constant.value) for constant in reversed(program.constants)]
        functions = [_function(system, operation) for operation in program.operations]
        self._inputs: list[int] = []
        self._entries: list[_Entry] = []
        for node, (number, arguments) in zip(self._nodes, program.steps, strict=False):
            if node.is_input:
                self._inputs.append(node.index)
                continue
            function = functions[number]
            if system.chooses(program.operations[number]):
                function = partial(function, node)
            self._entries.append(_entry(node.index, function, arguments))

    def values(self, given: Mapping[int, Any], *, asks_again: bool) -> list[Any]:
        """The values of the steps, where those that are given have these; other inputs are as they were recorded.

        Raises:
            Diverged: an outcome, which `asks_again` computes again, differs.
        """
        count = len(self._nodes)
        found: list[Any] = [None] * count + self._constants
        for index in self._inputs:
            found[index] = given[index] if index in given else self._system.constant(self._nodes[index].value)
        entries = self._entries if given.keys() <= {*self._inputs} else self._with(given)
        if not asks_again:
            _run(entries, found)
        else:
            _run_guarded(entries, found, self._program.guards)
        return found[:count]

    def cotangents(self, values: Sequence[Any], last: int, seed: Any) -> dict[int, Any]:
        """The cotangents of all steps that have a part in one, whose own is `seed`, at these values of the steps.

        Every partial takes part, also at numbers that the program did not take.
        """
        system = cast(ReverseSystem, self._system)
        pulls = [_pull(system, operation) for operation in self._program.operations]
        known = [*values, *self._constants]
        found = {last: seed}
        for index in range(last, -1, -1):
            if index not in found:
                continue
            number, arguments = self._program.steps[index]
            taken = [known[n] for n in arguments]
            for place, contribution in pulls[number](found[index], values[index], taken):
                source = arguments[place]
                found[source] = system.add(found.get(source), contribution)
        return found

    def _with(self, given: Mapping[int, Any]) -> list[_Entry]:
        """The entries with the values of some that are given in place of what they compute."""
        return [(k, _given(given[k]), None, ()) if k in given else (k, *entry) for k, *entry in self._entries]


def _given(value: Any) -> Callable[[], Any]:
    return lambda: value


def _same(x: Any) -> Any:
    return x


def _function(system: NumberSystem, operation: Operation) -> Callable[..., Any]:
    return _same if operation.rule is None else system.function(operation)


def _pull(system: ReverseSystem, operation: Operation) -> Callable[..., Iterable[tuple[int, Any]]]:
    return _pass_on if operation.rule is None else system.pull(operation)


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


def _run_guarded(entries: Sequence[_Entry], found: list[Any], guards: Iterable[ProgramGuard]) -> None:
    done = 0
    for guard in guards:
        start = done
        while done < len(entries) and entries[done][0] < guard.before:
            done += 1
        _run(entries[start:done], found)
        _check(guard, found)
    _run(entries[done:], found)


def _check(guard: ProgramGuard, found: list[Any]) -> None:
    now, told = guard.function(*[found[n] for n in guard.arguments]), guard.told.value
    if now is not told and not (now == told if type(now) in NUMBERS else np.array_equal(now, told)):
        raise Diverged
