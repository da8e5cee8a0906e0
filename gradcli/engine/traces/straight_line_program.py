"""Programs: the operations of a run without its numbers. Two runs along the same path have equal programs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.tape import tape
from gradcli.engine.traces.node import CONSTANT, TraceNode, TraceOutcome
from gradcli.shared import devices
from gradcli.shared.frozen_record import Frozen

SIMPLE = (int, float, complex, str, bytes, bool, type(None), type, np.dtype, np.generic)


class Constant:
    """A plain value in a program, equal to another of the same type, shape and bits."""

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
    """A hashable key that distinguishes values bit by bit: nan equals itself, and -0.0 differs from 0.0."""
    kind = type(value)
    if kind is float and value - value == 0.0 != value:  # the fast path for most values
        return kind, value
    if devices.is_array(value):
        return kind, value.dtype.str, value.shape, value.strides, np.ascontiguousarray(devices.to_host(value)).tobytes()
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
    """An operation, shared by all steps of a program that apply it.

    Attributes:
        name: the name of the rule; "input", "alias" or "constant" without a rule.
        rule: the rule, or None.
        positions: the positions of the arguments that other steps make.
        is_of_arrays: whether an elementwise rule is applied to NumPy values.
        slopes: the partials of an elementwise rule for such arguments; None for other rules.
        choices: the keyword arguments that belong to the operation, such as an axis, by name.
        names: the names under which the last arguments of a step are passed, such as an index or a mask.
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
        operation: the index of its operation.
        arguments: for each argument the step that makes it. In a program with n steps, n is the first outcome, n + 1
            the second, and so on; -1 is the first constant, -2 the second, and so on.
    """

    operation: int
    arguments: tuple[int, ...]


class ProgramOutcome(NamedTuple):
    """A value without derivative, computed between two steps.

    Attributes:
        before: the number of steps before it.
        name: the operation, such as a comparison.
        function: computes it.
        arguments: like those of a step.
        guard: the value that the program received, which is a guard; None if the program used it as data only, as a
            mask.
    """

    before: int
    name: str
    function: Callable[..., Any]
    arguments: tuple[int, ...]
    guard: Constant | None


class Program(Frozen):
    """The operations of a run: their wiring, constants, outcomes, and the structures of inputs and result.

    Programs are equal, and hash equal, if they apply the same operations to the same constants.

    Attributes:
        operations: the operations, without repetition.
        steps: in execution order.
        constants: the constants, without repetition.
        outcomes: the values without derivative, in execution order: guards and data outcomes.
        inputs: the structure of the inputs, with the index of a step in place of each.
        result: the structure of the result, with None in place of constant numbers.
        solutions: the inputs at which a solver's equation was entered, each with the step of its solution.
    """

    operations: tuple[Operation, ...]
    steps: tuple[ProgramStep, ...]
    constants: tuple[Constant, ...]
    outcomes: tuple[ProgramOutcome, ...]
    inputs: Constant
    result: Constant
    solutions: tuple[tuple[int, int], ...] = ()


class ProgramRun(NamedTuple):
    """A program with the numbers of one run.

    Attributes:
        program: the program.
        nodes: for each step its node.
        handed_on: the values of the program's outcomes, in order; empty if no operation refers to one.
        masked: the steps whose shape may differ in a replay, because they index an array by a mask.
    """

    program: Program
    nodes: Sequence[TraceNode]
    handed_on: list[Any]
    masked: Collection[int]


class _Numbered(dict[Any, int]):
    """Assigns numbers to objects in the order of their first occurrence."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


Asked = Sequence[tuple[TraceOutcome | tape.DataStep, Any]]


def in_order(outcomes: Sequence[TraceOutcome], data: tape.Recomputed | None) -> Asked:
    """The outcomes and data steps of a run in execution order, each with the value that the program received.

    A data outcome has HANDED_ON in place of its value; fixed outcomes are left out.
    """
    if data is None:
        return [(outcome, outcome.answer) for outcome in outcomes]
    ordered: list[tuple[TraceOutcome | tape.DataStep, Any]] = []
    waiting = [(step, step.value if n in data.known else HANDED_ON) for n, step in enumerate(data.steps)][::-1]
    for number, outcome in enumerate(outcomes):
        while waiting and waiting[-1][0].after <= number:
            ordered.append(waiting.pop())
        if number not in data.covered:
            ordered.append((outcome, outcome.answer))
    return [*ordered, *waiting[::-1]]


def program_of(
    nodes: Sequence[TraceNode], asked: Asked, data: tape.Recomputed | None, inputs: Any, result: Any
) -> Program:
    """The program of a run with its outcomes in order. It costs about two microseconds per step."""
    interning = _Interning(len(nodes), data, [outcome for outcome, _ in asked])
    steps = tuple([interning.step(node) for node in nodes])
    outcomes = tuple([interning.outcome(outcome, fact) for outcome, fact in asked])
    operations, constants = tuple(interning.operations), tuple(interning.constants)
    solutions = () if data is None else tuple(data.solutions)
    return Program(operations, steps, constants, outcomes, Constant(inputs), Constant(result), solutions)


HANDED_ON: Any = object()


class _Interning:
    """The operations and constants met so far, each with its index.

    Args:
        count: the number of steps of the program.
        data: the data outcomes that operations refer to.
        asked: all outcomes, in execution order.
    """

    def __init__(self, count: int, data: tape.Recomputed | None, asked: Sequence[TraceOutcome | tape.DataStep]) -> None:
        self.operations = _Numbered()
        self.constants = _Numbered()
        self._data = data
        self._places = [count + n for n, outcome in enumerate(asked) if isinstance(outcome, tape.DataStep)]
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
            if name != node.rule.place and _is_simple(x):  # the index that a rule reads or writes at is no choice
                choices.append((name, Constant(x)))
            else:
                further[name] = x
        key = (node.rule, node.positions, *choices), (*further,)
        number = self._known.get(key)
        if number is None:
            number = self._known[key] = self.operations[_operation(node, tuple(choices), tuple(further))]
        return ProgramStep(number, (*arguments, *map(self._constant, further.values())))

    def outcome(self, outcome: TraceOutcome | tape.DataStep, value: Any) -> ProgramOutcome:
        arguments = self._arguments(outcome.sources, outcome.operands)
        guard = None if value is HANDED_ON else Constant(value)
        return ProgramOutcome(outcome.before, outcome.name, outcome.function, arguments, guard)

    def _arguments(self, sources: tuple[int, ...], operands: tuple[Any, ...]) -> tuple[int, ...]:
        if min(sources, default=0) > CONSTANT:
            return sources
        pairs = zip(sources, operands, strict=True)
        return tuple([self._argument(source, x) for source, x in pairs])

    def _argument(self, source: int, x: Any) -> int:
        if source > CONSTANT:
            return source
        return self._constant(x) if source == CONSTANT else self._places[tape.step_source(source)]

    def _constant(self, x: Any) -> int:
        number = None if self._data is None else self._data.number(x)
        return -1 - self.constants[Constant(x)] if number is None else self._places[number]


def _operation(
    node: TraceNode, choices: tuple[tuple[str, Constant], ...] = (), names: tuple[str, ...] = ()
) -> Operation:
    return Operation(node.operation, node.rule, node.positions, node.is_of_arrays, node.slopes, choices, names)


def _is_simple(x: Any) -> bool:
    return all(map(_is_simple, x)) if type(x) is tuple else isinstance(x, SIMPLE)
