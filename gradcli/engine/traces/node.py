"""The entries of a trace: nodes, which are computed values, and outcomes, which are facts that the program received."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from gradcli.engine.code.stack_frames import Place
from gradcli.engine.tape.pullbacks import ARITHMETIC
from gradcli.engine.tape.sweeps import reverse_and_forward
from gradcli.engine.tape.tape import ALIAS, ARRAY_CONSTANT, CONSTANT, INPUT, STOP_GRADIENT, TEXT, Row, Tape
from gradcli.shared.frozen_record import Frozen

if TYPE_CHECKING:
    from gradcli.engine.tape.sweeps.masked_reverse import Marks, Passed

__all__ = ["CONSTANT", "STOP_GRADIENT", "TEXT", "TraceNode", "TraceOutcome", "ancestors", "so_far"]


class TraceNode:
    """One entry of a trace: an operation, its arguments and its value.

    Attributes:
        index: the position in the run.
        operation: the name of the rule, or "input", "alias" or "constant".
        value: the result.
        sources: for each argument the index of the node that made it; CONSTANT for a plain value.
        operands: the values of all arguments.
        name: the user's variable, if names were recorded.
        place: the user's file and line, if names were recorded.
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
        """The name of the rule, or "input", "alias" or "constant"."""
        return self._operation.name  # type: ignore[no-any-return]

    @property
    def rule(self) -> Any:
        """The rule of the operation, elementwise or of arrays; None for an input, an alias or a constant."""
        return self._operation.rule

    @property
    def static(self) -> Mapping[str, Any]:
        """The keyword arguments of an array rule, such as an axis."""
        return self._operation.static  # type: ignore[no-any-return]

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the arguments that other nodes made."""
        return self._operation.recorded  # type: ignore[no-any-return]

    @property
    def inputs(self) -> tuple[int, ...]:
        """The indices of the nodes that made its arguments, constants excluded."""
        return tuple([source for source in self.sources if source != CONSTANT])

    @property
    def is_computed(self) -> bool:
        """Whether it was computed from other nodes. Inputs and constants were not."""
        return bool(self._operation.recorded)

    @property
    def is_of_arrays(self) -> bool:
        """Whether an elementwise rule was applied to NumPy values."""
        return self._operation.arrays  # type: ignore[no-any-return]

    @property
    def slopes(self) -> Any:
        """The partials of an elementwise rule for arguments like these; None for other rules."""
        return self._operation.slopes

    @property
    def partials(self) -> tuple[Callable[..., Any] | None, ...]:
        """The partials of an elementwise rule, as functions of the value and the operands; None for a zero partial."""
        return self._operation.partials  # type: ignore[no-any-return]

    @property
    def is_sum(self) -> bool:
        """Whether it adds or subtracts terms: two arguments, or the elements of an array."""
        return self.rule is not None and (self.rule.adds or self.rule.sums)

    @property
    def is_alias(self) -> bool:
        """Whether it is an alias of another node."""
        return self._operation is ALIAS

    @property
    def is_input(self) -> bool:
        """Whether it is an input."""
        return self._operation is INPUT

    @property
    def is_constant(self) -> bool:
        """Whether it is an array that the program created."""
        return self._operation is ARRAY_CONSTANT

    def arguments(self) -> Iterator[tuple[int, Any]]:
        """The source and the value of each argument."""
        return zip(self.sources, self.operands, strict=True)

    @property
    def identity(self) -> Any:
        """An object that nodes with the same operation share."""
        return self._operation

    def passed(self, position: int, ct: Any, marks: Marks) -> Passed | None:
        """The cotangent that the node passes to one argument, and the mask of its reached elements; None if there is
        none.

        Both have the shape of the argument, or of its broadcast.
        """
        from gradcli.engine.tape.sweeps.masked_reverse import argument_contribution

        return argument_contribution(self._row, position, ct, marks, self.value, self.operands)

    def pull(self, ct: Any, cts: MutableMapping[int, Any] | list[Any]) -> None:
        """Add the cotangents that the node passes to its arguments to `cts`, computed by IEEE 754."""
        try:
            self._operation.pull(ct, cts, self._row)
        except ARITHMETIC:
            self._operation.safe_pull(ct, cts, self._row)

    def tangent(self, moved: Mapping[int, Any] | list[Any]) -> Any:
        """The tangent of the node, from the tangents of its arguments; the int 0 stands for what does not move."""
        return reverse_and_forward.tangent(self._row, moved)

    def __repr__(self) -> str:
        return f"TraceNode({self.index}, {self.operation}, {self.sources}, {self.value!r})"


class TraceOutcome(Frozen):
    """A fact that the program received.

    Attributes:
        before: the number of nodes recorded before it.
        name: the operation, such as a comparison.
        function: computes the fact from the operands.
        sources: for each operand the index of the node that made it; CONSTANT for a plain value.
        operands: the values of the operands.
        answer: the fact.
        place: the user's file and line, if names were recorded.
    """

    before: int
    name: str
    function: Callable[..., Any]
    sources: tuple[int, ...]
    operands: tuple[Any, ...]
    answer: Any
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
        """The fact for other values of the nodes."""
        return self.function(*self.asked_of(values))

    def asked_of(self, values: list[Any]) -> tuple[Any, ...]:
        """The operands for other values of the nodes."""
        pairs = zip(self.sources, self.operands, strict=True)
        return tuple(x if source == CONSTANT else values[source] for source, x in pairs)


def so_far(tape: Tape, start: int) -> tuple[list[TraceNode], list[TraceOutcome]]:
    """The nodes from index `start` on, and all outcomes, of a run that is not over."""
    nodes = [TraceNode(index, row) for index, row in enumerate(tape.rows[start:], start)]
    return nodes, [TraceOutcome(*outcome) for outcome in tape.outcomes]


def descendants(nodes: Iterable[TraceNode], start: Iterable[int]) -> set[int]:
    """Some nodes and all that depend on them."""
    reached = {*start}
    for node in nodes:
        if not reached.isdisjoint(node.sources):
            reached.add(node.index)
    return reached


def ancestors(nodes: Sequence[TraceNode], *last: int) -> set[int]:
    """Some nodes and all that they were computed from."""
    indices, waiting = {*last}, [*last]
    while waiting:
        new = set(nodes[waiting.pop()].inputs) - indices
        indices |= new
        waiting += new
    return indices
