"""Replay: the values of a trace at another point, or in another number system with its outcomes as they were."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from gradcli.rules.table import ArrayRule, Elementwise
from gradcli.tape.compiled import ARITHMETIC
from gradcli.tape.tape import CONSTANT
from gradcli.traces.node import TraceNode, TraceOutcome


class Diverged(Exception):
    """An outcome at the new point differs from the recorded one, so that the program would go another way."""


def values(nodes: Sequence[TraceNode], outcomes: Sequence[TraceOutcome], inputs: Mapping[int, Any]) -> list[Any]:
    """The values of all nodes when the inputs have other values; each outcome is computed again.

    Raises:
        Diverged: an outcome differs, or a value cannot be computed along the recorded path.
    """
    found: list[Any] = []
    told = iter(outcomes)
    outcome = next(told, None)
    try:
        for node in nodes:
            while outcome is not None and outcome.before <= node.index:
                _check(outcome, found)
                outcome = next(told, None)
            found.append(inputs[node.index] if node.index in inputs else _computed_again(node, found))
        while outcome is not None:
            _check(outcome, found)
            outcome = next(told, None)
    except ARITHMETIC as error:
        raise Diverged from error
    return found


def _check(outcome: TraceOutcome, found: list[Any]) -> None:
    if not np.array_equal(outcome.again(found), outcome.told):
        raise Diverged


def _computed_again(node: TraceNode, found: list[Any]) -> Any:
    if not node.is_computed:
        return node.value
    return computed(node, [x if source == CONSTANT else found[source] for source, x in node.arguments()])


def computed(node: TraceNode, arguments: list[Any]) -> Any:
    """What a node gives of other arguments."""
    rule = node.rule
    if rule is None:
        return arguments[0]
    if isinstance(rule, ArrayRule):
        return rule.forward(*arguments, **node.static)
    return rule.on_arrays(*arguments) if node.is_of_arrays else rule.plain(*arguments)


class NumberSystem(Protocol):
    """Numbers of another kind, such as SymPy's or those of 50 digits."""

    def number(self, value: float) -> Any:
        """The number that is exactly the binary value."""

    def elementwise(self, rule: Elementwise) -> Callable[..., Any]:
        """The rule as a function of these numbers."""

    def extreme(self, rule: ArrayRule, values: Any, recorded: Any, **static: Any) -> Any:
        """A maximum or minimum along axes, as the recorded point decided it."""


def replay_system(nodes: Sequence[TraceNode], system: NumberSystem, inputs: Mapping[int, Any]) -> list[Any]:
    """The values of nodes in another number system; arrays are object arrays of its numbers.

    The outcomes of the recorded point are kept: every branch, index and mask stays what it was.
    """
    found: list[Any] = []
    for node in nodes:
        found.append(inputs[node.index] if node.index in inputs else _compute(node, found, system))
    return found


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


def _compute(node: TraceNode, found: list[Any], system: NumberSystem) -> Any:
    rule = node.rule
    if not node.is_computed:
        return lift(system, node.value)
    arguments = [lift(system, x) if source == CONSTANT else found[source] for source, x in node.arguments()]
    if rule is None or rule.name == "cast":
        return _scalar(arguments[0]) if np.ndim(node.value) == 0 else arguments[0]
    if isinstance(rule, Elementwise):
        return apply_elementwise(system.elementwise(rule), arguments)
    if rule.name == "index":
        arguments = [np.asarray(arguments[0], dtype=object)]
    if rule.name in ("max", "min"):
        return system.extreme(rule, arguments[0], node.operands[0], **node.static)
    return _scalar(rule.forward(*arguments, **node.static))


def apply_elementwise(function: Callable[..., Any], arguments: list[Any]) -> Any:
    """A function of single numbers on numbers and object arrays."""
    if all(np.ndim(x) == 0 for x in arguments):
        return function(*map(_scalar, arguments))
    return np.frompyfunc(function, len(arguments), 1)(*arguments)


def _scalar(x: Any) -> Any:
    return x.item() if isinstance(x, np.ndarray) and x.ndim == 0 and x.dtype == object else x
