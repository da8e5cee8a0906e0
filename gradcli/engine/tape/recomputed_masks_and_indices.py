"""Data outcomes: plain arrays computed from recorded ones, such as a mask or a permutation, that a replay recomputes.

Its handle represents the numbers as long as only recorded operations use them. Once anything else reads the numbers
(`if`, an index into a plain array, a library), the program knows them, and the outcome becomes a guard: a replay must
find it unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.tape.data_outcome_handle import DataOutcome, carries_derivative, plain_numbers
from gradcli.engine.tape.memory.stored_operands import stored_operand
from gradcli.engine.tape.tape import CONSTANT, DataStep, Tape, step_source


class DataOutcomes:
    """The data outcomes of one run.

    Attributes:
        steps: in execution order.
        known: the numbers of the steps whose values the program knows.
        covered: the numbers of the tape's outcomes that are steps too, or need no guard.
        solutions: the rows at which a solver's equation was entered, each with the row of its solution.
        masked: the rows that index an array by a mask, so that a replay may find another length.
    """

    def __init__(self) -> None:
        self.steps: list[DataStep] = []
        self.known: set[int] = set()
        self.covered: set[int] = set()
        self.solutions: list[tuple[int, int]] = []
        self.masked: set[int] = set()
        self._open: list[bool] = []
        self._numbers: dict[int, int] = {}

    def number(self, value: Any) -> int | None:
        """The number of the step whose value is this very object; None if there is none."""
        return self._numbers.get(id(value))

    def asked(self, tape: Tape, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Apply a function with zero derivative to recorded arguments. The result is a step and an outcome."""
        outcome = self.step(tape, name, function, arguments)
        self.covered.add(len(tape.outcomes))
        operands, value = self.steps[-1].operands, self.steps[-1].value
        indices = tuple(x.index if carries_derivative(x) else CONSTANT for x in arguments)
        tape.outcomes.append((len(tape.rows), name, function, indices, operands, value))
        return outcome

    def step(self, tape: Tape, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Apply a function to recorded values, data outcomes and constants, as a new step."""
        value, operands = self._computed(tape, name, function, arguments)
        for x, operand in zip(arguments, operands, strict=True):
            if value is operand and type(x) is DataOutcome:
                self.steps.pop()
                return x
        return self._handed_on(tape, arguments)

    def _computed(
        self, tape: Tape, name: str, function: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> tuple[Any, tuple[Any, ...]]:
        sources, operands = zip(*(_operand(x, tape) for x in arguments), strict=True)
        value = function(*operands)
        self.steps.append(DataStep(len(tape.rows), len(tape.outcomes), name, function, sources, operands, value))
        return value, operands

    def _handed_on(self, tape: Tape, arguments: tuple[Any, ...]) -> Any:
        """The object that the program receives for the last step."""
        number, step = len(self.steps) - 1, self.steps[-1]
        value = step.value
        if not _is_data(value):
            self.known.add(number)
            return value
        # Rows identify the step by its value, so it must be a new object.
        if any(value is operand for operand in step.operands):
            value = value.copy()
            self.steps[number] = step.changed(value=value)
        self._numbers[id(value)] = number
        handle = DataOutcome(tape, number, value)
        for x, operand in zip(arguments, step.operands, strict=True):
            if type(x) is DataOutcome and isinstance(value, np.ndarray) and np.may_share_memory(value, operand):
                handle.become_view(x, step.function)
                break
        return handle

    def key_for_row(self, tape: Tape, key: Any) -> Any:
        """An index as a row stores it, with handles replaced. A tuple that contains any becomes a step of its own."""
        if type(key) is DataOutcome:
            return key.for_row(tape)
        if type(key) is slice and _has_handle(key):
            return slice(*map(plain_numbers, (key.start, key.stop, key.step)))
        if type(key) is not tuple or not any(map(_has_handle, key)):
            return key
        return self._joined(tape, tuple(self.key_for_row(tape, x) if type(x) is slice else x for x in key))

    def _joined(self, tape: Tape, parts: tuple[Any, ...]) -> Any:
        """A tuple of plain parts and data outcomes as a row stores it."""
        pairs = (_operand(x, tape) if type(x) is DataOutcome else (CONSTANT, x) for x in parts)
        sources, operands = zip(*pairs, strict=True)
        self._numbers[id(operands)] = len(self.steps)
        self.steps.append(DataStep(len(tape.rows), len(tape.outcomes), "index", _tuple, sources, operands, operands))
        return operands

    def read(self, tape: Tape, key: Any) -> None:
        """Note that the next row indexes an array with `key`."""
        number = self.number(key)
        if number is not None:
            parts = key if type(key) is tuple else (key,)
            if any(getattr(getattr(part, "dtype", None), "kind", "") == "b" and np.ndim(part) for part in parts):
                self.masked.add(len(tape.rows))

    def tell_shape(self, x: Any) -> None:
        """Note that the program knows the shape of a recorded array. A shape that a mask decides becomes a guard."""
        if self.masked and self._is_open(x.tape.rows, x.index):
            self.require(x.tape, "shape", np.shape, x)

    def _is_open(self, rows: list[Any], index: int) -> bool:
        """Whether the shape of a row may differ in a replay."""
        is_open = self._open
        for at in range(len(is_open), index + 1):
            row = rows[at]
            inherits = np.ndim(row[1]) > 0 and any(source != CONSTANT and is_open[source] for source in row[2::2])
            is_open.append(inherits or at in self.masked)
        return is_open[index]

    def require(self, tape: Tape, name: str, function: Callable[..., Any], *arguments: Any) -> None:
        """Add a guard: a replay must find the result of the function unchanged. The program does not receive it."""
        self.known.add(len(self.steps))
        self._computed(tape, name, function, arguments)


def _is_data(value: Any) -> bool:
    """Whether a result can be represented by a handle: a NumPy array, or a NumPy integer or float scalar."""
    if type(value) is np.ndarray:
        return value.dtype.kind in "biuf"
    return isinstance(value, np.generic) and value.dtype.kind in "iuf"


def _has_handle(part: Any) -> bool:
    return type(part) is DataOutcome or (
        type(part) is slice and DataOutcome in map(type, (part.start, part.stop, part.step))
    )


def _operand(x: Any, tape: Tape) -> tuple[int, Any]:
    """The source and the plain value of an argument."""
    if type(x) is DataOutcome:
        return (step_source(x.number), x._value) if x.is_followed(tape) else (CONSTANT, stored_operand(x.tell(), tape))
    return (x.index, x._value) if carries_derivative(x) else (CONSTANT, stored_operand(x, tape))


def _tuple(*parts: Any) -> tuple[Any, ...]:
    return parts
