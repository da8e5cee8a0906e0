"""Programs: what a run did, without its numbers; two runs along the same path have equal ones."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

import numpy as np

from gradcli import arrays
from gradcli.frozen import Frozen
from gradcli.traces.node import CONSTANT, TraceNode, TraceOutcome

SIMPLE = (int, float, complex, str, bytes, bool, type(None), type, np.dtype, np.generic)
PLACES = frozenset(("key", "keys"))  # the choices of rules that read and write arrays


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
        return kind, value.dtype.str, value.shape, np.ascontiguousarray(arrays.host(value)).tobytes()
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
        choices: such as an axis, by name; an index, a mask or any array is a constant of the step.
    """

    name: str
    rule: Any
    positions: tuple[int, ...]
    is_of_arrays: bool
    choices: tuple[tuple[str, Any], ...]


class Step(NamedTuple):
    """One step of a program.

    Attributes:
        operation: the number of what it does.
        sources: for each argument the step that makes it; CONSTANT for a constant.
        constants: the numbers of those among its arguments, in order, and of its further choices.
        names: those of the further choices.
    """

    operation: int
    sources: tuple[int, ...]
    constants: tuple[int, ...]
    names: tuple[str, ...]


class Guard(NamedTuple):
    """What the program was told after so many steps, and of what."""

    before: int
    name: str
    function: Callable[..., Any]
    sources: tuple[int, ...]
    constants: tuple[int, ...]
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
    steps: tuple[Step, ...]
    constants: tuple[Constant, ...]
    guards: tuple[Guard, ...]
    inputs: Constant
    result: Constant


class _Numbered(dict[Any, int]):
    """Numbers things in the order in which they come first."""

    def __missing__(self, thing: Any) -> int:
        self[thing] = len(self)
        return self[thing]


def program_of(nodes: Iterable[TraceNode], outcomes: Iterable[TraceOutcome], inputs: Any, result: Any) -> Program:
    """The program of a run.

    Costs about as much as recording it.
    """
    operations, constants = _Numbered(), _Numbered()
    known: dict[Any, int] = {}
    steps = tuple([_step(node, operations, constants, known) for node in nodes])
    guards = tuple([_guard(outcome, constants) for outcome in outcomes])
    return Program(tuple(operations), steps, tuple(constants), guards, Constant(inputs), Constant(result))


def _step(node: TraceNode, operations: _Numbered, constants: _Numbered, known: dict[Any, int]) -> Step:
    held = [x for source, x in zip(node.sources, node.operands, strict=True) if source == CONSTANT]
    if not node.static and node.rule is not None:  # numbers, most of the time
        number = known.get(node.identity)
        if number is None:
            number = known[node.identity] = operations[_operation(node, ())]
        return Step(number, node.sources, tuple([constants[Constant(x)] for x in held]), ())
    choices = tuple((name, x) for name, x in node.static.items() if _is_choice(name, x))
    further = {name: x for name, x in node.static.items() if not _is_choice(name, x)}
    if node.rule is None and not node.is_input and not node.is_alias:
        held = [node.value]
    numbers = tuple(constants[Constant(x)] for x in (*held, *further.values()))
    return Step(operations[_operation(node, choices)], node.sources, numbers, tuple(further))


def _operation(node: TraceNode, choices: tuple[tuple[str, Any], ...]) -> Operation:
    return Operation(node.operation, node.rule, node.positions, node.is_of_arrays, choices)


def _is_choice(name: str, x: Any) -> bool:
    """Whether a choice is part of an operation: what is read or written where is no part of one."""
    return name not in PLACES and _is_simple(x)


def _is_simple(x: Any) -> bool:
    return all(map(_is_simple, x)) if type(x) is tuple else isinstance(x, SIMPLE)


def _guard(outcome: TraceOutcome, constants: _Numbered) -> Guard:
    held = (x for source, x in zip(outcome.sources, outcome.operands, strict=True) if source == CONSTANT)
    numbers = tuple(constants[Constant(x)] for x in held)
    return Guard(outcome.before, outcome.name, outcome.function, outcome.sources, numbers, Constant(outcome.told))
