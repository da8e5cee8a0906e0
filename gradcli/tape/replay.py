"""Playing a tape again: at another point, or in another number system with the outcomes of the recorded point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from gradcli import arrays
from gradcli.rules.table import ArrayRule, Elementwise
from gradcli.tape.compiled import ARITHMETIC
from gradcli.tape.recording import Recording
from gradcli.tape.structure import leaves, map_leaves
from gradcli.tape.tape import ALIAS, CONSTANT, Row, Tape


class Diverged(Exception):
    """An outcome at the new point differs from the recorded one, so that the program would go another way."""


def replay_numbers(tape: Recording, inputs: dict[int, Any]) -> list[Any]:
    """The values of all rows when the inputs have other values; each outcome is computed again.

    Raises:
        Diverged: an outcome differs, or a value cannot be computed along the recorded path.
    """
    values: list[Any] = []
    told = iter(tape.outcomes)
    outcome = next(told, None)
    try:
        for index, row in enumerate(tape.rows):
            while outcome is not None and outcome[0] <= index:
                _check_outcome(outcome, values)
                outcome = next(told, None)
            values.append(inputs[index] if index in inputs else _recompute(row, values))
        while outcome is not None:
            _check_outcome(outcome, values)
            outcome = next(told, None)
    except ARITHMETIC as error:
        raise Diverged from error
    return values


def _check_outcome(outcome: tuple[Any, ...], values: list[Any]) -> None:
    _, _, function, indices, operands, recorded = outcome
    now = function(*(x if i == CONSTANT else values[i] for i, x in zip(indices, operands, strict=True)))
    if not np.array_equal(now, recorded):
        raise Diverged


def _recompute(row: Row, values: list[Any]) -> Any:
    if not row[0].recorded:
        return row[1]
    return computed(row, [x if i == CONSTANT else values[i] for i, x in zip(row[2::2], row[3::2], strict=True)])


def computed(row: Row, arguments: list[Any]) -> Any:
    """The result of a step on other arguments."""
    operation = row[0]
    rule = operation.rule
    if operation is ALIAS:
        return arguments[0]
    if isinstance(rule, ArrayRule):
        return rule.forward(*arguments, **operation.static)
    return rule.on_arrays(*arguments) if operation.arrays else rule.plain(*arguments)


def replayed(tape: Recording, arguments: tuple[Any, ...]) -> Recording | None:
    """The recording at other arguments along the same path, or None where the program would go another way."""
    if [np.shape(x) for x in leaves(arguments)] != [np.shape(tape.rows[i][1]) for i in leaves(tape.inputs)]:
        return None
    places = zip(leaves(tape.inputs), leaves(arguments), strict=True)
    inputs = {index: _like(x, tape.rows[index][1]) for index, x in places}
    try:
        values = replay_numbers(tape, inputs)
    except Diverged:
        return None
    again = Recording()
    again.has_arrays, again.has_complex = tape.has_arrays, tape.has_complex
    again.rows = [_with_values(index, row, values) for index, row in enumerate(tape.rows)]
    again.outcomes = list(tape.outcomes)
    again.function, again.arguments, again.watch = tape.function, arguments, tape.watch
    again.inputs, again.result = tape.inputs, tape.result
    again.value = _result_value(tape, values)
    return again


def _like(x: Any, value: Any) -> Any:
    """An argument in the kind of the recorded one, and where that is."""
    if arrays.on_device(value):
        return arrays.beside(x, value)
    if hasattr(x, "dtype"):
        return x
    return np.complex128(x) if isinstance(x, complex) else float(x)


def _with_values(index: int, row: Row, values: list[Any]) -> Row:
    again: list[Any] = [row[0], values[index]]
    for i, x in zip(row[2::2], row[3::2], strict=True):
        again += [i, x if i == CONSTANT else values[i]]
    return tuple(again)


def _result_value(tape: Recording, values: list[Any]) -> Any:
    if isinstance(tape.result, int):
        return values[tape.result]
    found = iter(tape.result_rows())
    return map_leaves(lambda old: old if (i := next(found)) is None else values[i], tape.value)


class NumberSystem(Protocol):
    """Numbers of another kind, such as SymPy's or those of 50 digits."""

    def number(self, value: float) -> Any:
        """The number that is exactly the binary value."""

    def elementwise(self, rule: Elementwise) -> Callable[..., Any]:
        """The rule as a function of these numbers."""

    def extreme(self, rule: ArrayRule, values: Any, recorded: Any, **static: Any) -> Any:
        """A maximum or minimum along axes, as the recorded point decided it."""


def replay_system(tape: Tape, system: NumberSystem, inputs: dict[int, Any], last: int) -> list[Any]:
    """The values of rows 0 to `last` in another number system; arrays are object arrays of its numbers.

    The outcomes of the recorded point are kept: every branch, index and mask stays what it was.
    """
    values: list[Any] = []
    for index in range(last + 1):
        row = tape.rows[index]
        values.append(inputs[index] if index in inputs else _compute(row, values, system))
    return values


def lift(system: NumberSystem, value: Any) -> Any:
    """A plain value in another number system; integers and booleans, such as a mask, stay what they are."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "fc":
            return value
        lifted = np.empty(value.shape, dtype=object)
        for place, x in np.ndenumerate(value):
            lifted[place] = system.number(float(x))
        return lifted
    return value if isinstance(value, (bool, int, np.integer, np.bool_)) else system.number(float(value))


def _compute(row: Row, values: list[Any], system: NumberSystem) -> Any:
    operation, rule = row[0], row[0].rule
    if not operation.recorded:
        return lift(system, row[1])
    arguments = [lift(system, x) if i == CONSTANT else values[i] for i, x in zip(row[2::2], row[3::2], strict=True)]
    if operation is ALIAS or rule.name == "cast":
        return _scalar(arguments[0]) if np.ndim(row[1]) == 0 else arguments[0]
    if isinstance(rule, Elementwise):
        return apply_elementwise(system.elementwise(rule), arguments)
    if rule.name == "index":
        arguments = [np.asarray(arguments[0], dtype=object)]
    if rule.name in ("max", "min"):
        return system.extreme(rule, arguments[0], row[3], **operation.static)
    return _scalar(rule.forward(*arguments, **operation.static))


def apply_elementwise(function: Callable[..., Any], arguments: list[Any]) -> Any:
    """A function of single numbers on numbers and object arrays."""
    if all(np.ndim(x) == 0 for x in arguments):
        return function(*map(_scalar, arguments))
    return np.frompyfunc(function, len(arguments), 1)(*arguments)


def _scalar(x: Any) -> Any:
    return x.item() if isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype == object else x
