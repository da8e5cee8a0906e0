"""Copies of rows and outcomes of a run with other numbers, sources or pullbacks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradcli.engine.tape.pullbacks import array_operation
from gradcli.engine.tape.tape import CONSTANT, OutcomeRow, Row, RowOperation
from gradcli.engine.traces.node import TraceOutcome

Pull = Callable[[Any, list[Any], Row], None]


def moved_row(row: Row, value: Any, values: Sequence[Any], handed_on: Mapping[int, Any]) -> Row:
    """A row with other values; `handed_on` gives the new data outcomes by the identity of the old ones."""
    operation = row[0]
    if handed_on and any(id(x) in handed_on for x in operation.static.values()):
        static = {name: handed_on.get(id(x), x) for name, x in operation.static.items()}
        operation = array_operation(operation.rule, operation.recorded, static)
    again: list[Any] = [operation, value]
    for source, x in zip(row[2::2], row[3::2], strict=True):
        again += [source, values[source] if source != CONSTANT else handed_on.get(id(x), x)]
    return tuple(again)


def row_with_numbers(row: Row, value: Any, constant: Callable[[Any], Any]) -> Row:
    """A row with another value and other constants."""
    operation, _, *rest = row
    pairs = zip(rest[::2], rest[1::2], strict=True)
    return (operation, value, *(y for i, x in pairs for y in (i, constant(x) if i == CONSTANT else x)))


def row_with_sources(row: Row, places: Mapping[int, int]) -> Row:
    """A row whose arguments were made by rows at other places."""
    operation, value, *rest = row
    pairs = zip(rest[::2], rest[1::2], strict=True)
    return (operation, value, *(y for i, x in pairs for y in (i if i == CONSTANT else places[i], x)))


def row_with_pull(row: Row, pull: Pull) -> Row:
    """A row with another pullback."""
    was, *rest = row
    other = RowOperation(was.rule, was.recorded, pull, static=was.static, arrays=was.arrays)
    other.slopes, other.push = was.slopes, was.push
    return (other, *rest)


def moved_outcome(outcome: TraceOutcome, values: Sequence[Any], handed_on: Mapping[int, Any]) -> TraceOutcome:
    """An outcome with other values."""
    pairs = zip(outcome.sources, outcome.operands, strict=True)
    operands = tuple(values[source] if source != CONSTANT else handed_on.get(id(x), x) for source, x in pairs)
    return outcome.changed(operands=operands, answer=handed_on.get(id(outcome.answer), outcome.answer))


MORE = 10_000  # outcomes: a continued loop that has so many more will not end


class Inverting(list[Any]):
    """Outcomes, some of which are inverted, given by number. A list's `append` returns None; this one True for those.

    Raises:
        RuntimeError: there are far more outcomes than before.
    """

    def __init__(self, numbers: Sequence[int]) -> None:
        super().__init__()
        self.numbers = numbers

    def append(self, outcome: OutcomeRow) -> Any:
        """Append an outcome as the program sees it."""
        inverts = len(self) in self.numbers
        super().append((*outcome[:5], not outcome[5]) if inverts else outcome)
        if len(self) > 2 * self.numbers[-1] + MORE:
            raise RuntimeError("the continued loop does not end")
        return inverts or None
