"""The digits that SciPy's special functions, and the partials of their rules, have at the numbers of a run.

Both are measured by values in 50 digits. A number counts as inaccurate if its error exceeds some thousand roundings of
the number and of the arguments. Cost: the function and its derivative at a few points for each element.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact import decimals
from gradcli.methods.exact.partials import partial_of
from gradcli.methods.numerics.deadline import Deadline, TooLongError
from gradcli.shared.float_errors import ignored_float_errors

DIGITS = 50
SECONDS = 3.0
ROUNDINGS = 4500  # 1e-12 in float64
MOST = 16  # elements of an array that are measured

Exact = Callable[..., Any]


class Inaccuracy(NamedTuple):
    """A number with fewer digits than its dtype: a step's value, or its partial by the argument called `parameter`."""

    node: TraceNode
    place: tuple[int, ...]
    parameter: str | None
    computed: float
    exact: float

    @property
    def digits(self) -> float:
        """The correct decimal digits."""
        off = abs(self.computed - self.exact)
        return max(0.0, -math.log10(off / abs(self.exact))) if self.exact and off < math.inf else 0.0


def inaccuracies(trace: Trace) -> list[Inaccuracy]:
    """The least accurate number of each inaccurate step, in order; of the first steps only if the time runs out."""
    inaccurate, clock = [], Deadline(SECONDS)
    try:
        for node in trace.nodes:
            if isinstance(node.rule, Elementwise) and node.rule.special and not np.iscomplexobj(node.value):
                clock.check()
                inaccurate += sorted(_of_node(node, node.rule), key=lambda argument: argument.digits)[:1]
    except TooLongError:
        pass
    return inaccurate


def _of_node(node: TraceNode, rule: Elementwise) -> Iterator[Inaccuracy]:
    shape = np.shape(node.value)
    step = max(1, math.prod(shape) // MOST)
    for place in list(np.ndindex(shape))[::step]:
        arguments = [float(np.broadcast_to(x, shape)[place]) for x in node.operands]
        allowed = ROUNDINGS * float(np.finfo(np.asarray(node.value).dtype).eps)
        for parameter, computed, exact in _numbers(node, rule, arguments, place):
            with decimals.digits(DIGITS):
                true = _true_if_off(exact, rule, arguments, computed, allowed / 2)
            if true is not None:
                yield Inaccuracy(node, place, parameter, computed, true)


def _numbers(
    node: TraceNode, rule: Elementwise, arguments: Sequence[float], place: tuple[int, ...]
) -> Iterator[tuple[str | None, float, Exact]]:
    """The value and the partials at one element, each with the function that computes it in many digits."""
    value = float(np.asarray(node.value)[place])
    yield None, value, lambda *x: rule.evaluate(decimals.functions(), x)
    for position in node.positions:
        partial = node.slopes.on_arrays[position]
        if partial is not None:
            with ignored_float_errors():
                computed = float(partial(np.float64(value), *map(np.float64, arguments)))
            yield rule.parameters[position], computed, partial_of(rule, position).function


def _true_if_off(
    exact: Exact, rule: Elementwise, arguments: Sequence[float], computed: float, allowed: float
) -> float | None:
    """The true number if the computed one is off by more than what it moves with its arguments; None if unknown too."""
    x = list(map(decimals.number, arguments))
    try:
        true = exact(*x)
        off = abs(decimals.number(computed) - true)
        room = decimals.number(allowed) * abs(true)
        for n, partial in enumerate(rule.partials):
            if partial is not None and off > room:
                moved = exact(*x[:n], x[n] * (1 + decimals.number(allowed)), *x[n + 1 :])
                room += abs(moved - true)
        smallest = decimals.number(float(np.finfo(float).tiny))
        return float(true) if off > room + smallest and math.isfinite(float(true)) else None
    except UNABLE:
        return None
