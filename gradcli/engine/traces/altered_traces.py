"""Traces in which some nodes compute something else, with everything that depends on them recomputed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.sweeps.masked_reverse import enter_leaf
from gradcli.engine.tape.tape import Tape
from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.number_systems import NumberSystem, with_keywords
from gradcli.engine.traces.straight_line_program import Operation
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Traversal
from gradcli.shared.pytree import map_leaves


def altered(trace: Trace, computes: Mapping[int, Callable[..., Any]]) -> Trace:
    """The same operations on the same inputs, with other functions of recorded values at some nodes.

    The path is that of the trace; outcomes are not checked again.
    """
    again = new_tape()
    values = Traversal(trace.steps, _Recorded(again, computes)).values({}, asks_again=False)
    entered = map_leaves(lambda index: values[index], trace.inputs)
    made = iter([None if index is None else values[index] for index in trace.result_indices()])
    result = map_leaves(lambda constant: constant if (value := next(made)) is None else value, trace.value)
    return Trace(again, trace.function, trace.arguments, entered, result)


class _Recorded(NumberSystem):
    """The number system of values recorded on a tape, with other functions at some nodes, given by index."""

    def __init__(self, tape: Tape, computes: Mapping[int, Callable[..., Any]]) -> None:
        self.tape, self.computes = tape, computes

    def constant(self, value: Any) -> Any:
        """The value itself."""
        return value

    def entered(self, value: Any) -> Any:
        """An input of the tape."""
        return _entered(self.tape, value)

    def sees_node(self, operation: Operation) -> bool:
        """Always: the replacement is chosen by the node."""
        return True

    def function(self, operation: Operation) -> Callable[..., Any]:
        """The rule, which records, or its replacement."""
        return partial(self._computed, with_keywords(operation.rule, operation))

    def _computed(self, function: Callable[..., Any], node: TraceNode, *arguments: Any) -> Any:
        other = self.computes.get(node.index)
        return function(*arguments) if other is None else other(*arguments[: len(node.operands)])


def _entered(tape: Tape, value: Any) -> Any:
    has_arrays = tape.has_arrays or type(value) is not float
    entered = enter_leaf(tape, value)
    tape.has_arrays = has_arrays
    return entered
