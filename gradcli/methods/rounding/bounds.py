"""Bounds of the rounding errors of a recorded run: of its values, and of the derivatives that our sweep computes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.methods.rounding import array_rules
from gradcli.methods.rounding.arithmetic import HALF_ULP, Arithmetic, Rounded, Summands, exactly
from gradcli.methods.rounding.array_rules import Operated
from gradcli.rules.array_rules import ArrayRule
from gradcli.rules.shape import unbroadcast
from gradcli.rules.table import Elementwise
from gradcli.traces.node import CONSTANT, TraceNode
from gradcli.traces.trace import Trace


def value_errors(
    trace: Trace, indices: Sequence[int], half_ulp: float = HALF_ULP, *, typed: bool = False
) -> list[float]:
    """A bound of the rounding error of each number of some nodes, in order; two for the two parts of a complex one.

    With `typed`, the constants of the program were rounded when they were written down.
    """
    return _of_values(trace, indices, Arithmetic(half_ulp, typed=typed))


def value_summands(trace: Trace, indices: Sequence[int], half_ulp: float = HALF_ULP) -> list[float]:
    """How large the terms are of which each number of some nodes is the sum, as they arrive there."""
    return [x / half_ulp if math.isfinite(x) else 0.0 for x in _of_values(trace, indices, Summands(half_ulp))]


def _of_values(trace: Trace, indices: Sequence[int], arithmetic: Arithmetic) -> list[float]:
    known = _run(trace, max(indices, default=-1), arithmetic)
    return [x for index in indices for x in _each(known[index].error, trace.nodes[index].value)]


def running_errors(trace: Trace, last: int, half_ulp: float = HALF_ULP) -> list[Any]:
    """A bound of the rounding error of each node up to `last`, in the shape of its value or one for all its numbers."""
    return [x.error for x in _run(trace, last, Arithmetic(half_ulp))]


def own_errors(trace: Trace, last: int, half_ulp: float = HALF_ULP) -> list[Any]:
    """What the rounding of each node up to `last` alone may move its own value."""
    arithmetic = Arithmetic(half_ulp)
    found: list[Any] = []
    for node in trace.nodes[: last + 1]:
        without = [Rounded(x, 0.0) for x in node.operands]
        found.append(_applied(node, without, arithmetic).error if node.is_computed else 0.0)
    return found


def sweep_errors(
    trace: Trace, last: int, inputs: Sequence[int], half_ulp: float = HALF_ULP, *, typed: bool = False
) -> list[float]:
    """A bound of the rounding error of the derivative of node `last` by each number of the inputs, by our sweep."""
    return _of_sweep(trace, last, inputs, Arithmetic(half_ulp, typed=typed))


def sweep_summands(trace: Trace, last: int, inputs: Sequence[int], half_ulp: float = HALF_ULP) -> list[float]:
    """How large the terms are of which our sweep makes the derivative of node `last` by each number of the inputs."""
    return [x / half_ulp if math.isfinite(x) else 0.0 for x in _of_sweep(trace, last, inputs, Summands(half_ulp))]


def _of_sweep(trace: Trace, last: int, inputs: Sequence[int], arithmetic: Arithmetic) -> list[float]:
    cotangents = _Cotangents(trace, arithmetic, _run(trace, last, arithmetic))
    with np.errstate(all="ignore"):  # an infinite bound times 0 is no news
        cotangents.sweep(last)
    return [x for index in inputs for x in cotangents.errors(index)]


def _each(error: Any, value: Any) -> list[float]:
    spread = np.broadcast_to(error, np.shape(value)).ravel().tolist()
    return [x for x in spread for _ in range(2)] if np.iscomplexobj(value) else spread


def _run(trace: Trace, last: int, arithmetic: Arithmetic) -> list[Rounded]:
    """Every node with its error; the inputs are exact."""
    known: list[Rounded] = []
    for node in trace.nodes[: last + 1]:
        known.append(
            _applied(node, _arguments(node, known, arithmetic), arithmetic) if node.is_computed else exactly(node.value)
        )
    return known


def _arguments(node: TraceNode, known: list[Rounded], arithmetic: Arithmetic) -> list[Rounded]:
    return [arithmetic.constant(x) if source == CONSTANT else known[source] for source, x in node.arguments()]


def _applied(node: TraceNode, arguments: list[Rounded], arithmetic: Arithmetic) -> Rounded:
    rule = node.rule
    if rule is None:  # an alias
        return arguments[0]
    if isinstance(rule, Elementwise):
        return Rounded(exactly(node.value).value, arithmetic.apply(rule, arguments).error)
    return array_rules.applied(_operated(node, rule, arguments, arithmetic))


def _operated(node: TraceNode, rule: ArrayRule, arguments: list[Rounded], arithmetic: Arithmetic) -> Operated:
    unit = arithmetic.half_ulp
    return Operated(rule, node.static, node.value, arguments, unit, arithmetic.unknown * unit)


class _Cotangents:
    """A reverse sweep in which each cotangent carries a bound of its error."""

    def __init__(self, trace: Trace, arithmetic: Arithmetic, known: list[Rounded]) -> None:
        self.nodes = trace.nodes
        self.known = known
        self.arithmetic = arithmetic
        self.found: dict[int, Rounded] = {}
        self._owned: set[int] = set()

    def errors(self, index: int) -> list[float]:
        """The bound for each number of a node."""
        return _each(self.found[index].error if index in self.found else 0.0, self.nodes[index].value)

    def sweep(self, last: int) -> None:
        """Go back from node `last`, whose cotangent is 1."""
        self.found[last] = Rounded(1.0, 0.0)
        for at in range(last, -1, -1):
            node, ct = self.nodes[at], self.found.get(at)
            if ct is None or not node.is_computed:
                continue
            rule = node.rule
            if rule is None:  # an alias
                self._add(node.sources[0], ct)
            elif isinstance(rule, Elementwise):
                self._pull(node, rule, ct)
            else:
                self._pull_array(node, rule, ct)

    def _pull(self, node: TraceNode, rule: Elementwise, ct: Rounded) -> None:
        arguments = _arguments(node, self.known, self.arithmetic)
        for position in node.positions:
            partial = self.arithmetic.partial(node.slopes, position, arguments, self.known[node.index])
            if rule.selects and not np.any(partial.value):
                continue
            contribution = self.arithmetic["mul"](ct, partial)
            if rule.selects:
                taken = np.asarray(partial.value) != 0
                contribution = Rounded(
                    np.where(taken, contribution.value, 0.0)[()], np.where(taken, contribution.error, 0.0)[()]
                )
            self._add(node.sources[position], contribution)

    def _pull_array(self, node: TraceNode, rule: ArrayRule, ct: Rounded) -> None:
        if rule.in_place:
            self._add_in_place(node, rule.in_place, ct)
            return
        arguments = _arguments(node, self.known, self.arithmetic)
        done = _operated(node, rule, arguments, self.arithmetic)
        for position in node.positions:
            self._add(node.sources[position], array_rules.pulled(done, position, ct))

    def _add(self, source: int, contribution: Rounded) -> None:
        contribution = self._summed(contribution, np.shape(self.nodes[source].value))
        if np.iscomplexobj(contribution.value) and not np.iscomplexobj(self.nodes[source].value):
            contribution = Rounded(np.real(contribution.value)[()], contribution.error)
        before = self.found.get(source)
        self.found[source] = contribution if before is None else self.arithmetic["add"](before, contribution)
        self._owned.discard(source)

    def _summed(self, x: Rounded, shape: tuple[int, ...]) -> Rounded:
        """A contribution in the shape of its node; what is broadcast is summed."""
        if np.shape(x.value) == shape:
            return x
        count = np.size(x.value)
        own = self.arithmetic.half_ulp * count * unbroadcast(np.abs(x.value), shape) if count > 1 else 0.0
        error = unbroadcast(np.broadcast_to(x.error, np.shape(x.value)), shape) + own
        return Rounded(unbroadcast(x.value, shape)[()], error[()] if isinstance(error, np.ndarray) else error)

    def _add_in_place(self, node: TraceNode, add: Callable[..., Any], ct: Rounded) -> None:
        source, static = node.sources[0], node.static
        shape = np.shape(self.nodes[source].value)
        if source not in self._owned:
            before = self.found.get(source, Rounded(0.0, 0.0))
            kind = complex if np.iscomplexobj(self.nodes[source].value) else float
            self.found[source] = Rounded(
                np.array(np.broadcast_to(before.value, shape), kind),
                np.array(np.broadcast_to(before.error, shape), float),
            )
            self._owned.add(source)
        buffer = self.found[source]
        add(buffer.value, ct.value if np.iscomplexobj(buffer.value) else np.real(ct.value), **static)
        own = self.arithmetic.half_ulp * np.abs(buffer.value[static["key"]])
        add(buffer.error, np.broadcast_to(ct.error, np.shape(ct.value)) + own, **static)
