"""A check of each rule in a recorded program, against differences of its own forward computation at its operands."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.diagnose.outcome_margins import node_at_kink
from gradcli.methods.numerics import differences
from gradcli.methods.numerics.deadline import Deadline
from gradcli.methods.numerics.difference_quotients import Slope
from gradcli.shared.float_errors import ignored_float_errors

WRONG = 1e-5  # relative error of a wrong rule, beyond that of the differences
EPS = float(np.finfo(float).eps)


class WrongRule(NamedTuple):
    """A row whose rule is wrong.

    Attributes:
        row: the index of the row.
        operation: the name of its operation.
        difference: the derivative by the rule and that by differences, in words.
    """

    row: int
    operation: str
    difference: str

    def __str__(self) -> str:
        return f"the rule of {self.operation} is wrong: {self.difference}"


def wrong_rules(trace: Trace, clock: Deadline | None = None) -> Iterator[WrongRule]:
    """Yield the rows whose rule is wrong, in order.

    Raises:
        TooLongError: the clock's time is up.
    """
    for index, node in enumerate(trace.nodes):
        if node.rule is None or node.is_alias or node_at_kink(node, _unlike(node.value)):
            continue
        for position in node.positions:
            if clock:
                clock.check()
            ours, slope = _both(node, position)
            if abs(ours - slope.value) > 10 * slope.error + WRONG * abs(slope.value):
                yield WrongRule(index, node.operation, f"{ours:.6g}, where differences give {slope.value:.6g}")


def _both(node: TraceNode, position: int) -> tuple[float, Slope]:
    """The derivative of one step along a random direction of one argument, by its rule and by differences."""
    generator = np.random.default_rng(position)
    arguments = [np.asarray(x, complex if np.iscomplexobj(x) else float) if np.ndim(x) else x for x in node.operands]
    x = arguments[position]
    direction = _random(generator, x) * np.maximum(np.abs(x), 1e-3)
    cotangent = _random(generator, node.value)

    def along(t: float) -> float:
        moved = [*arguments[:position], x + t * direction, *arguments[position + 1 :]]
        return float(np.sum(cotangent * _forward(node, moved)).real)

    with ignored_float_errors():
        try:
            pulled = _pulled(node, position, cotangent, arguments)
            return float(np.sum(pulled * direction).real), differences.slope(along, 0.0, EPS)
        except UNABLE:
            return math.nan, Slope()


def _random(generator: np.random.Generator, like: Any) -> Any:
    """Random numbers in (0.5, 1), complex like `like`; a cotangent c and a displacement t pair as Re(c * t)."""
    numbers = generator.uniform(0.5, 1.0, np.shape(like))
    return numbers + 1j * generator.uniform(0.5, 1.0, np.shape(like)) if np.iscomplexobj(like) else numbers


def _unlike(value: Any) -> Any:
    """A cotangent whose elements all differ."""
    return _random(np.random.default_rng(0), value)


def _forward(node: TraceNode, arguments: list[Any]) -> Any:
    rule = node.rule
    return rule.on_arrays(*arguments) if isinstance(rule, Elementwise) else rule.forward(*arguments, **node.static)


def _pulled(node: TraceNode, position: int, cotangent: Any, arguments: list[Any]) -> Any:
    rule = node.rule
    if isinstance(rule, Elementwise):
        partial = node.slopes.on_arrays[position]
        slopes = np.zeros(()) if partial is None else np.asarray(partial(node.value, *arguments))
        shape = np.shape(arguments[position])
        return _summed(cotangent * slopes, shape)
    return _summed(
        np.asarray(rule.vjp(position, cotangent, node.value, tuple(arguments), node.static)),
        np.shape(arguments[position]),
    )


def _summed(numbers: Any, shape: tuple[int, ...]) -> Any:
    """Sum over the axes along which an argument was broadcast."""
    numbers = np.asarray(numbers)
    numbers = numbers.sum(axis=tuple(range(numbers.ndim - len(shape))))
    stretched = tuple(n for n, size in enumerate(shape) if size == 1 and numbers.shape[n] != 1)
    return numbers.sum(axis=stretched, keepdims=True)
