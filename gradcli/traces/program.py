"""Programs: what a run did, without its numbers; two runs along the same path have equal ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np

from gradcli import arrays
from gradcli.frozen import Frozen
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
    if arrays.is_array(value):
        return kind, value.dtype.str, value.shape, value.strides, np.ascontiguousarray(arrays.host(value)).tobytes()
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
        arguments: for each the step that makes it; -1 for the first constant of the program, -2 for the second, ...
    """

    operation: int
    arguments: tuple[int, ...]


class ProgramGuard(NamedTuple):
    """What the program was told after so many steps, and of what, as the arguments of a step."""

    before: int
    name: str
    function: Callable[..., Any]
    arguments: tuple[int, ...]
    told: Constant


class Program(Frozen):
    """What a run did: operations, wiring, constants, guards, and the structures of its inputs and result.

    Programs are equal, and hash alike, where they do the same with the same constants.

    Attributes:
        operations: each once.
        steps: in execution order.
        constants: each once.
        guards: what the program was told, in order.
        inputs: the structure of the inputs, with the number of the step in place of each.
        result: that of the result; None in place of a number that is constant.
    """

    operations: tuple[Operation, ...]
    steps: tuple[ProgramStep, ...]
    constants: tuple[Constant, ...]
    guards: tuple[ProgramGuard, ...]
    inputs: Constant
    result: Constant


class _Numbered(dict[Any, int]):
    """Numbers things in the order in which they come first."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


def program_of(nodes: Iterable[TraceNode], outcomes: Iterable[TraceOutcome], inputs: Any, result: Any) -> Program:
    """The program of a run; some two microseconds a step."""
    interning = _Interning()
    steps = tuple([interning.step(node) for node in nodes])
    guards = tuple([interning.guard(outcome) for outcome in outcomes])
    operations, constants = tuple(interning.operations), tuple(interning.constants)
    return Program(operations, steps, constants, guards, Constant(inputs), Constant(result))


class _Interning:
    """The operations and constants that were met so far, each with its number."""

    def __init__(self) -> None:
        self.operations = _Numbered()
        self.constants = _Numbered()
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

    def guard(self, outcome: TraceOutcome) -> ProgramGuard:
        arguments = self._arguments(outcome.sources, outcome.operands)
        return ProgramGuard(outcome.before, outcome.name, outcome.function, arguments, Constant(outcome.told))

    def _arguments(self, sources: tuple[int, ...], operands: tuple[Any, ...]) -> tuple[int, ...]:
        if CONSTANT not in sources:
            return sources
        pairs = zip(sources, operands, strict=True)
        return tuple([self._constant(x) if source == CONSTANT else source for source, x in pairs])

    def _constant(self, x: Any) -> int:
        return -1 - self.constants[Constant(x)]


def _operation(
    node: TraceNode, choices: tuple[tuple[str, Constant], ...] = (), names: tuple[str, ...] = ()
) -> Operation:
    return Operation(node.operation, node.rule, node.positions, node.is_of_arrays, node.slopes, choices, names)


def _is_choice(rule: Any, name: str, x: Any) -> bool:
    """Whether a choice is part of an operation: what is read or written where is no part of one."""
    return name != rule.place and _is_simple(x)


def _is_simple(x: Any) -> bool:
    return all(map(_is_simple, x)) if type(x) is tuple else isinstance(x, SIMPLE)
