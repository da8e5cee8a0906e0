"""A recorded program with a mistake in it: another derivative, or another operation, at some of its steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradcli.crosscheck.mistake import Mistake, Passed
from gradcli.tape.accumulate import UNTOUCHED, plain
from gradcli.tape.reach import leaf
from gradcli.tape.sweep import reverse
from gradcli.tape.tape import ALIAS, CONSTANT, INPUT, Operation, Row, Tape
from gradcli.traces.trace import Trace


def sources(row: Row) -> Iterator[tuple[int, int]]:
    """The recorded arguments of a step, each once: its position, and the step that made it."""
    seen = set()
    for position, source in enumerate(row[2::2]):
        if source != CONSTANT and source not in seen:
            seen.add(source)
            yield position, source


def passed_back(tape: Tape, index: int, cotangent: Any) -> Iterator[tuple[int, Passed]]:
    """What a step passes back to each of its recorded arguments, and the step that made the argument."""
    row = tape.rows[index]
    pulled = reverse(tape, index, cotangent, index)
    for position, source in sources(row):
        if pulled[source] is not UNTOUCHED:
            yield source, Passed(row, position, cotangent, plain(pulled[source]))


def with_other_derivatives(tape: Trace, mistakes: Mapping[int, Mapping[int, Mistake]]) -> list[Any]:
    """The cotangents with mistakes in what some steps, by their index, pass back to arguments, by their position."""
    altered, last = Tape(), tape.result_index()
    assert last is not None
    altered.has_arrays = tape.has_arrays
    altered.rows = [*tape.rows]
    for index, made in mistakes.items():
        altered.rows[index] = (_mistaken(tape, index, made), *tape.rows[index][1:])
    return reverse(altered, last, _one(tape.rows[last][1]))


def _mistaken(tape: Trace, index: int, made: Mapping[int, Mistake]) -> Operation:
    def pull(ct: Any, cts: list[Any], row: Row) -> None:
        for source, passed in passed_back(tape, index, plain(ct)):
            passes = made[passed.position].passes if passed.position in made else None
            cts[source] = cts[source] + (passes(passed) if passes else passed.pulled)

    operation: Operation = tape.rows[index][0]
    return Operation(operation.rule, operation.recorded, pull, static=operation.static, arrays=operation.arrays)


def with_other_operations(tape: Trace, mistakes: Mapping[int, Mistake]) -> list[Any]:
    """The cotangents of a program that computes another thing at some steps, by their index."""
    again = Tape()
    values: list[Any] = []
    for index, row in enumerate(tape.rows):
        arguments = [x if i == CONSTANT else values[i] for i, x in zip(row[2::2], row[3::2], strict=True)]
        values.append(_done(again, row, arguments, mistakes.get(index)))
    last = tape.result_index()
    assert last is not None
    result = values[last]
    cotangents = reverse(again, result.index, _one(result._value))
    return [cotangents[x.index] if x.index < len(cotangents) else UNTOUCHED for x in values[: _inputs_end(tape)]]


def _inputs_end(tape: Trace) -> int:
    return max(tape.input_rows(), default=-1) + 1


def _done(tape: Tape, row: Row, arguments: list[Any], mistake: Mistake | None) -> Any:
    """One step done again on recorded values."""
    if mistake is not None:
        return mistake.computes(*arguments)  # type: ignore[misc]
    if row[0] is INPUT:
        return _entered(tape, row[1])
    if not row[0].recorded:
        return row[1]
    return arguments[0] if row[0] is ALIAS else row[0].rule(*arguments, **row[0].static)


def _entered(tape: Tape, value: Any) -> Any:
    had = tape.has_arrays
    entered = leaf(tape, value)
    tape.has_arrays = had or type(value) is not float
    return entered


def _one(value: Any) -> Any:
    return 1.0 if type(value) is float else value * 0 + 1
