"""A trace in which some nodes compute another thing, all that depends on them computed anew."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gradcli.tape.reach import leaf
from gradcli.tape.structure import map_leaves
from gradcli.tape.tape import Tape
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace, trace_of


def altered(trace: Trace, computes: Mapping[int, Callable[..., Any]]) -> Trace:
    """The same operations on the same inputs, with other functions, of recorded values, at some nodes.

    The path is that of the trace: no outcome is asked for again.
    """
    again = Tape()
    values: list[Any] = []
    for node in trace.nodes:
        arguments = [x if source == CONSTANT else values[source] for source, x in node.arguments()]
        values.append(computes[node.index](*arguments) if node.index in computes else _computed(again, node, arguments))
    entered = map_leaves(lambda index: values[index], trace.inputs)
    made = iter([None if index is None else values[index] for index in trace.result_indices()])
    result = map_leaves(lambda constant: constant if (value := next(made)) is None else value, trace.value)
    return trace_of(again, trace.function, trace.arguments, entered, result)


def _computed(tape: Tape, node: TraceNode, arguments: list[Any]) -> Any:
    if node.is_input:
        return _entered(tape, node.value)
    if node.rule is None:
        return arguments[0] if node.is_alias else node.value
    return node.rule(*arguments, **node.static)


def _entered(tape: Tape, value: Any) -> Any:
    has_arrays = tape.has_arrays or type(value) is not float
    entered = leaf(tape, value)
    tape.has_arrays = has_arrays
    return entered
