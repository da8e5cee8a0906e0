"""Programs: what a run did, without its numbers; two runs along the same path have equal ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli import devices
from gradcli.record_base import Frozen
from gradcli.tape.data_outcomes import DataOutcomes, DataStep
from gradcli.traces.node import CONSTANT, TraceNode, TraceOutcome

SIMPLE = (int, float, complex, str, bytes, bool, type(None), type, np.dtype, np.generic)


class Constant:
    """A plain value that a program holds, equal to another of the same type, shape and bits."""

    __slots__ = ("key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self.key = _key(value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"Constant({self.value!r})"


def _key(value: Any) -> Hashable:
    """What tells a value from others: a nan is itself, and -0.0 is not 0.0."""
    kind = type(value)
    if kind is float and value - value == 0.0 != value:  # the quick way for most
        return kind, value
    if devices.is_array(value):
        return kind, value.dtype.str, value.shape, value.strides, np.ascontiguousarray(devices.host(value)).tobytes()
    if kind is float or kind is complex or isinstance(value, np.generic):
        return kind, np.asarray(value).tobytes()
    if kind in (tuple, list):
        return kind, tuple(map(_key, value))
    if kind is dict:
        return kind, tuple((key, _key(item)) for key, item in value.items())
    if kind is slice:
        return kind, tuple(map(_key, (value.start, value.stop, value.step)))
    try:
        hash(value)
    except TypeError:
        return kind, id(value)
    return kind, value


class Operation(Frozen):
    """What one or more steps of a program do, each to its own arguments.

    Attributes:
        name: of the rule; "input", "alias" or "constant" where there is none.
        rule: None where there is none.
        positions: the arguments that other steps make.
        is_of_arrays: whether an elementwise rule is applied to NumPy values.
        slopes: the partials of an elementwise rule at such arguments; None of other rules.
        choices: such as an axis, by name.
        names: those of the last arguments, such as an index or a mask, which go by name.
    """

    name: str
    rule: Any
    positions: tuple[int, ...]
    is_of_arrays: bool
    slopes: Any = None
    choices: tuple[tuple[str, Constant], ...] = ()
    names: tuple[str, ...] = ()


class ProgramStep(NamedTuple):
    """One step of a program.

    Attributes:
        operation: the number of what it does.
        arguments: for each the step that makes it; with n steps, n for the first outcome of the program, n + 1 for the
            second, ...; -1 for the first constant, -2 for the second, ...
    """

    operation: int
    arguments: tuple[int, ...]


class ProgramOutcome(NamedTuple):
    """What was computed after so many steps that carries no derivative, of the arguments of a step.

    Attributes:
        before: the number of steps that there were.
        name: what was asked, such as a comparison.
        function: gives it.
        arguments: as those of a step.
        told: what the program was told, which is a guard; None where it only handed the numbers on, as a mask.
    """

    before: int
    name: str
    function: Callable[..., Any]
    arguments: tuple[int, ...]
    told: Constant | None


class Program(Frozen):
    """What a run did: operations, wiring, constants, outcomes, and the structures of its inputs and result.

    Programs are equal, and hash alike, where they do the same with the same constants.

    Attributes:
        operations: each once.
        steps: in execution order.
        constants: each once.
        outcomes: what carries no derivative, in order: what the program was told, and what it only handed on.
        inputs: the structure of the inputs, with the number of the step in place of each.
        result: that of the result; None in place of a number that is constant.
        solutions: the inputs at which a solver's equation was entered, each with the step of the solution.
    """

    operations: tuple[Operation, ...]
    steps: tuple[ProgramStep, ...]
    constants: tuple[Constant, ...]
    outcomes: tuple[ProgramOutcome, ...]
    inputs: Constant
    result: Constant
    solutions: tuple[tuple[int, int], ...] = ()


class _Numbered(dict[Any, int]):
    """Numbers things in the order in which they come first."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


Asked = Sequence[tuple[TraceOutcome | DataStep, Any]]


def in_order(outcomes: Sequence[TraceOutcome], data: DataOutcomes | None) -> Asked:
    """The outcomes and the steps of the data as the run came to them, each with what the program was told.

    What was only handed on is HANDED_ON, and what is fixed is left out.
    """
    if data is None:
        return [(outcome, outcome.told) for outcome in outcomes]
    found: list[tuple[TraceOutcome | DataStep, Any]] = []
    waiting = [(step, step.value if n in data.told else HANDED_ON) for n, step in enumerate(data.steps)][::-1]
    for number, outcome in enumerate(outcomes):
        while waiting and waiting[-1][0].after <= number:
            found.append(waiting.pop())
        if number not in data.covered:
            found.append((outcome, outcome.told))
    return [*found, *waiting[::-1]]


def program_of(
    nodes: Sequence[TraceNode], asked: Asked, data: DataOutcomes | None, inputs: Any, result: Any
) -> Program:
    """The program of a run with its outcomes in order; some two microseconds a step."""
    interning = _Interning(len(nodes), data, [outcome for outcome, _ in asked])
    steps = tuple([interning.step(node) for node in nodes])
    found = tuple([interning.outcome(outcome, told) for outcome, told in asked])
    operations, constants = tuple(interning.operations), tuple(interning.constants)
    solutions = () if data is None else tuple(data.solutions)
    return Program(operations, steps, constants, found, Constant(inputs), Constant(result), solutions)


HANDED_ON: Any = object()


class _Interning:
    """The operations and constants that were met so far, each with its number.

    Args:
        count: the number of the steps of the program.
        data: the outcomes that operations refer to.
        asked: all outcomes, in order.
    """

    def __init__(self, count: int, data: DataOutcomes | None, asked: Sequence[TraceOutcome | DataStep]) -> None:
        self.operations = _Numbered()
        self.constants = _Numbered()
        self._data = data
        self._places = [count + n for n, outcome in enumerate(asked) if isinstance(outcome, DataStep)]
        self._known: dict[Any, int] = {}

    def step(self, node: TraceNode) -> ProgramStep:
        arguments = self._arguments(node.sources, node.operands)
        if node.static:
            return self._with_choices(node, arguments)
        number = self._known.get(node.identity)
        if number is None:
            number = self._known[node.identity] = self.operations[_operation(node)]
        if node.rule is None and not node.is_input and not node.is_alias:
            arguments = (self._constant(node.value),)
        return ProgramStep(number, arguments)

    def _with_choices(self, node: TraceNode, arguments: tuple[int, ...]) -> ProgramStep:
        choices, further = [], {}
        for name, x in node.static.items():
            if _is_choice(node.rule, name, x):
                choices.append((name, Constant(x)))
            else:
                further[name] = x
        key = (node.rule, node.positions, *choices), (*further,)
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = self.operations[_operation(node, tuple(choices), tuple(further))]
        return ProgramStep(number, (*arguments, *map(self._constant, further.values())))

    def outcome(self, outcome: TraceOutcome | DataStep, told: Any) -> ProgramOutcome:
        arguments = self._arguments(outcome.sources, outcome.operands)
        guard = None if told is HANDED_ON else Constant(told)
        return ProgramOutcome(outcome.before, outcome.name, outcome.function, arguments, guard)

    def _arguments(self, sources: tuple[int, ...], operands: tuple[Any, ...]) -> tuple[int, ...]:
        if min(sources, default=0) > CONSTANT:
            return sources
        pairs = zip(sources, operands, strict=True)
        return tuple([self._argument(source, x) for source, x in pairs])

    def _argument(self, source: int, x: Any) -> int:
        if source > CONSTANT:
            return source
        return self._constant(x) if source == CONSTANT else self._places[-2 - source]

    def _constant(self, x: Any) -> int:
        number = None if self._data is None else self._data.number(x)
        return -1 - self.constants[Constant(x)] if number is None else self._places[number]


def _operation(
    node: TraceNode, choices: tuple[tuple[str, Constant], ...] = (), names: tuple[str, ...] = ()
) -> Operation:
    return Operation(node.operation, node.rule, node.positions, node.is_of_arrays, node.slopes, choices, names)


def _is_choice(rule: Any, name: str, x: Any) -> bool:
    """Whether a choice is part of an operation: what is read or written where is no part of one."""
    return name != rule.place and _is_simple(x)


def _is_simple(x: Any) -> bool:
    return all(map(_is_simple, x)) if type(x) is tuple else isinstance(x, SIMPLE)
