"""A recorded run as a library user sees it: value, nodes, sensitivities and outcomes, and the run at another point."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gradcli.errors import ResultError
from gradcli.frozen import Frozen
from gradcli.rules.complex import conjugated
from gradcli.tape import active
from gradcli.tape.accumulate import UNTOUCHED, plain
from gradcli.tape.run import run
from gradcli.tape.structure import is_structure, leaves, leaves_like, map_leaves
from gradcli.tape.sweep import reverse
from gradcli.tape.tape import CONSTANT, Operation, Row, Tape
from gradcli.tape.value import bare, is_recorded

if TYPE_CHECKING:
    from gradcli.tape.names import Watch


class TapeNode(Frozen):
    """One entry of a tape, as read: `inputs` are indices of earlier nodes, `operands` the values of all arguments."""

    index: int
    name: str | None
    operation: str
    inputs: tuple[int, ...]
    operands: tuple[Any, ...]
    value: Any
    file: str | None = None
    line: int | None = None


class Recording(Tape):
    """The tape of one whole run of `function`.

    Attributes:
        value: the plain result.
        inputs: by argument, the structure of the argument with the index of its node in place of each number or array.
        result: the structure of the result with the index of its node, or None where a number is constant.
    """

    __slots__ = ("arguments", "function", "inputs", "result", "value", "watch")

    find: ClassVar[Callable[[Recording], list[Any]]]  # what is worth knowing of a run: it is found further up

    def __init__(self) -> None:
        super().__init__()
        self.function: Callable[..., Any] | None = None
        self.arguments: tuple[Any, ...] = ()
        self.inputs: tuple[Any, ...] = ()
        self.result: Any = None
        self.value: Any = None
        self.watch: Watch | None = None

    def finish(self, function: Callable[..., Any], arguments: tuple[Any, ...], entered: Any, result: Any) -> Recording:
        """Keep what the run was called with and gave; no handle, so that no reference cycle arises."""
        self.function = function
        self.arguments = arguments
        self.inputs = tuple(map_leaves(lambda leaf: leaf.index, argument) for argument in entered)
        self.result = map_leaves(lambda leaf: leaf.index if is_recorded(leaf) else None, result)
        self.value = map_leaves(bare, result)
        self.close_for_reading()
        return self

    def result_rows(self) -> list[int | None]:
        """The node of each number and array of the result, in order; None for one that is constant."""
        found = leaves_like(self.value, self.result)
        assert found is not None
        return found

    def replay(self, *arguments: Any) -> Recording:
        """The run at other arguments: along the recorded path where every outcome is the same, else recorded anew."""
        from gradcli.tape.replay import replayed

        assert self.function is not None
        return replayed(self, arguments) or recorded(self.function, arguments, names=self.watch is not None)

    @property
    def findings(self) -> tuple[Any, ...]:
        """What is worth knowing: inputs, and single numbers of them, that act only through what is flat; and more.

        Of a run whose result is one number.
        """
        return tuple(type(self).find(self))

    @property
    def nodes(self) -> list[TapeNode]:
        """Every entry, in execution order."""
        return [self.node(index) for index in range(len(self.rows))]

    def node(self, index: int) -> TapeNode:
        """One entry."""
        row: Row = self.rows[index]
        place = self.watch.place(index) if self.watch and row[0].recorded else None
        file, line = place or (None, None)
        name = self.watch.names.get(index) if self.watch else None
        inputs = tuple(i for i in row[2::2] if i != CONSTANT)
        return TapeNode(index, name, row[0].name, inputs, row[3::2], row[1], file, line)

    def result_index(self) -> int | None:
        """The node of the result, which has to be one number; None where it is constant.

        Raises:
            ResultError: the result is a structure or an array.
        """
        if is_structure(self.result) or np.ndim(self.value) != 0:
            raise ResultError("the result is no number, so there is no one sensitivity", hint="Use `jacobian`.")
        index: int | None = self.result
        return index

    def cotangents(self) -> list[Any]:
        """The cotangent of every row when the result's is 1; `UNTOUCHED` where the result does not depend on it.

        Raises:
            ResultError: the result is not one number.
        """
        last = self.result_index()
        if last is None:
            return [UNTOUCHED] * len(self.rows)
        value = self.rows[last][1]
        cts = reverse(self, last, 1.0 if type(value) is float else np.ones_like(value)[()], everywhere=True)
        return [conjugated(plain(ct)) for ct in cts] + [UNTOUCHED] * (len(self.rows) - len(cts))

    def sensitivities(self) -> list[Any]:
        """The derivative of the result by every node, in the shape of the node's value; zeros where it has no part.

        Raises:
            ResultError: the result is not one number.
        """
        return [_shaped(ct, row[1]) for ct, row in zip(self.cotangents(), self.rows, strict=True)]

    def input_rows(self) -> Iterator[int]:
        """The indices of the inputs, in order."""
        return iter(leaves(self.inputs))


def recorded(function: Callable[..., Any], arguments: tuple[Any, ...], *, names: bool) -> Recording:
    """One recorded run of `function` with every argument an input; with `names`, the user's names and lines too."""
    watch = _watch() if names else None
    call = watch.call if watch else active.call
    tape, _, entered, result = run(
        function, arguments, range(len(arguments)), None, call=call, new_tape=Recording, lasting=True
    )
    assert isinstance(tape, Recording)
    tape.watch = watch
    return tape.finish(function, arguments, entered, result)


def _watch() -> Watch:
    from gradcli.tape.names import Watch

    return Watch()


def _shaped(ct: Any, value: Any) -> Any:
    return np.zeros_like(value)[()] if ct is UNTOUCHED and np.ndim(value) else ct


def constant_operation(row: Row) -> bool:
    """Whether a row is an input or a constant, and so computes nothing."""
    operation: Operation = row[0]
    return not operation.recorded
