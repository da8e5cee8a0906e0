"""The entries of a trace: what was computed, and what the program was told on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from typing import Any, NamedTuple

from gradcli.code.stack_frames import Place
from gradcli.tape.pullbacks import ARITHMETIC
from gradcli.tape.sweeps import masked_reverse, reverse_and_forward
from gradcli.tape.sweeps.masked_reverse import Marks, Passed
from gradcli.tape.tape import ALIAS, ARRAY_CONSTANT, CONSTANT, INPUT, TEXT, OutcomeRow, Row, Tape

__all__ = ["CONSTANT", "TEXT", "TraceNode", "TraceOutcome", "inverted", "so_far"]


class TraceNode:
    """One entry of a trace, as read: what was done, with what, and what that gave.

    Attributes:
        index: its place in the run.
        operation: what was done, by its name: that of the rule, or "input", "alias", "constant".
        value: what it gave.
        sources: for each argument the index of the node that made it; CONSTANT for a plain value.
        operands: the values of all arguments.
        name: the user's variable, where names were recorded.
        place: the user's file and line, where names were recorded.
    """

    __slots__ = ("_operation", "_row", "index", "name", "operands", "place", "sources", "value")

    def __init__(self, index: int, row: Row, name: str | None = None, place: Place | None = None) -> None:
        self.index = index
        self._row = row
        self._operation = row[0]
        self.value: Any = row[1]
        self.sources: tuple[int, ...] = row[2::2]
        self.operands: tuple[Any, ...] = row[3::2]
        self.name = name
        self.place = place

    @property
    def file(self) -> str | None:
        """The user's file."""
        return self.place and self.place[0]

    @property
    def line(self) -> int | None:
        """The user's line."""
        return self.place and self.place[1]

    @property
    def operation(self) -> str:
        """What was done, by its name."""
        return self._operation.name  # type: ignore[no-any-return]

    @property
    def rule(self) -> Any:
        """The rule of the operation, elementwise or of arrays; None for an input, an alias or a constant."""
        return self._operation.rule

    @property
    def static(self) -> Mapping[str, Any]:
        """The choices, such as an axis, with which an array rule was called."""
        return self._operation.static  # type: ignore[no-any-return]

    @property
    def positions(self) -> tuple[int, ...]:
        """The places of the arguments that other nodes made."""
        return self._operation.recorded  # type: ignore[no-any-return]

    @property
    def inputs(self) -> tuple[int, ...]:
        """The nodes that made its arguments, without the constants."""
        return tuple(source for source in self.sources if source != CONSTANT)

    @property
    def is_computed(self) -> bool:
        """Whether it was made of other nodes: an input or a constant is not."""
        return bool(self._operation.recorded)

    @property
    def is_of_arrays(self) -> bool:
        """Whether an elementwise rule was applied to NumPy values."""
        return self._operation.arrays  # type: ignore[no-any-return]

    @property
    def slopes(self) -> Any:
        """The partials of an elementwise rule, as they hold at such arguments; None of other rules."""
        return self._operation.slopes

    @property
    def partials(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials of an elementwise rule, as functions of the value and the operands; None where one is zero."""
        return self._operation.partials  # type: ignore[no-any-return]

    @property
    def is_sum(self) -> bool:
        """Whether terms are added or subtracted: two, or the numbers of an array."""
        return self.rule is not None and (self.rule.adds or self.rule.sums)

    @property
    def is_alias(self) -> bool:
        """Whether it hands on what another node made."""
        return self._operation is ALIAS

    @property
    def is_input(self) -> bool:
        """Whether it was entered."""
        return self._operation is INPUT

    @property
    def is_constant(self) -> bool:
        """Whether it is an array of the program's own."""
        return self._operation is ARRAY_CONSTANT

    def arguments(self) -> Iterator[tuple[int, Any]]:
        """The source and the value of each argument."""
        return zip(self.sources, self.operands, strict=True)

    @property
    def identity(self) -> Any:
        """The same for nodes that share what the tape says of them."""
        return self._operation

    def passed(self, position: int, ct: Any, marks: Marks) -> Passed | None:
        """What it passes back to one argument: a cotangent, and which of its numbers were reached.

        None where that is nothing.  Both have the shape of the argument, or of its broadcast.
        """
        return masked_reverse.passed(self._row, position, ct, marks, self.value, self.operands)

    def pull(self, ct: Any, cts: MutableMapping[int, Any] | list[Any]) -> None:
        """Add what it passes back to the cotangents of the nodes that made its arguments, by IEEE 754."""
        try:
            self._operation.pull(ct, cts, self._row)
        except ARITHMETIC:
            self._operation.safe_pull(ct, cts, self._row)

    def tangent(self, moved: Mapping[int, Any] | list[Any]) -> Any:
        """Its tangent, by those of the nodes that made its arguments; 0.0 where none of them moves."""
        return reverse_and_forward.tangent(self._row, moved)

    def __repr__(self) -> str:
        return f"TraceNode({self.index}, {self.operation}, {self.sources}, {self.value!r})"


class TraceOutcome(NamedTuple):
    """A fact that the program was told.

    Attributes:
        before: the number of nodes that there were.
        name: what was asked, such as a comparison.
        function: gives the fact, of the operands.
        sources: for each operand the index of the node that made it; CONSTANT for a plain value.
        operands: their values.
        told: the fact.
        place: the user's file and line, where names were recorded.
    """

    before: int
    name: str
    function: Callable[..., Any]
    sources: tuple[int, ...]
    operands: tuple[Any, ...]
    told: Any
    place: Place | None = None

    @property
    def file(self) -> str | None:
        """The user's file."""
        return self.place and self.place[0]

    @property
    def line(self) -> int | None:
        """The user's line."""
        return self.place and self.place[1]

    def again(self, values: list[Any]) -> Any:
        """The fact of other values of the nodes."""
        return self.function(*self.asked_of(values))

    def asked_of(self, values: list[Any]) -> tuple[Any, ...]:
        """The operands where the nodes have other values."""
        pairs = zip(self.sources, self.operands, strict=True)
        return tuple(x if source == CONSTANT else values[source] for source, x in pairs)


def inverted(outcome: OutcomeRow) -> OutcomeRow:
    """A fact as a tape keeps it, told the other way round."""
    *asked, told = outcome
    return (*asked, not told)  # type: ignore[return-value]


def so_far(tape: Tape, start: int) -> tuple[list[TraceNode], list[TraceOutcome]]:
    """What a run that is not over has recorded, from node `start` on, and all that the program was told."""
    nodes = [TraceNode(index, row) for index, row in enumerate(tape.rows[start:], start)]
    return nodes, [TraceOutcome(*outcome) for outcome in tape.outcomes]
