"""Bounds on the rounding errors of a recorded run: of its values, and of the derivatives by gradcli's sweep."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.number_systems import Pull, ReverseSystem, Step, with_keywords
from gradcli.engine.traces.straight_line_program import Operation
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Traversal
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.rule_types import Elementwise, elementwise_rule
from gradcli.mathematics.rules.shape import unbroadcast
from gradcli.methods.numerics.deadline import until_interrupted
from gradcli.methods.numerics.rounding import array_rules
from gradcli.methods.numerics.rounding.arithmetic import HALF_ULP, Arithmetic, Rounded, Summands, exact_number
from gradcli.methods.numerics.rounding.array_rules import ArrayOperation
from gradcli.shared.float_errors import ignored_float_errors


class ErrorAnalysis:
    """The running error analysis of a run up to node `last`: of its values, and of the derivatives by a sweep.

    The values are analysed once, for all that is asked.

    Raises:
        TooLongError: `deadline.within` interrupted the computation.
    """

    def __init__(self, trace: Trace, last: int, arithmetic: Arithmetic) -> None:
        self._nodes = trace.nodes
        self._traversal = Traversal(trace.steps, Bounds(arithmetic), last)

    @cached_property
    def _values(self) -> list[Rounded]:
        return self._traversal.values({}, asks_again=False)

    @property
    def errors(self) -> list[Any]:
        """The bounds of all nodes, each for every element or one for all."""
        return [x.error for x in self._values]

    def of_values(self, indices: Iterable[int]) -> list[float]:
        """The bound of each number in some nodes, in order; a complex number has two."""
        return [x for index in indices for x in _each(self._values[index].error, self._nodes[index].value)]

    def of_derivatives(self, result: int, inputs: Iterable[int]) -> list[float]:
        """The bound of the derivative of node `result` by each number of the inputs, by gradcli's sweep."""
        with ignored_float_errors():  # an infinite bound times 0 needs no warning
            cts = self._traversal.cotangents(self._values, result, Rounded(1.0, 0.0))
        errors = {index: ct.error for index, ct in cts.items()}
        return [x for index in inputs for x in _each(errors.get(index, 0.0), self._nodes[index].value)]


def error_analysis(trace: Trace, last: int, half_ulp: float = HALF_ULP, *, typed: bool = False) -> ErrorAnalysis:
    """The analysis with a relative error of `half_ulp` in each rounding.

    With `typed`, constants of the program have been rounded when they were typed.
    """
    return ErrorAnalysis(trace, last, Arithmetic(half_ulp, typed=typed))


def value_errors(
    trace: Trace, indices: Sequence[int], half_ulp: float = HALF_ULP, *, typed: bool = False
) -> list[float]:
    """A bound on the rounding error of each number in some nodes, in order; a complex number has two."""
    return error_analysis(trace, max(indices, default=-1), half_ulp, typed=typed).of_values(indices)


def sweep_errors(
    trace: Trace, last: int, inputs: Sequence[int], half_ulp: float = HALF_ULP, *, typed: bool = False
) -> list[float]:
    """A bound on the rounding error of the derivative of node `last` by each number of the inputs, by gradcli's sweep.

    Raises:
        TooLongError: `deadline.within` interrupted the computation.
    """
    return error_analysis(trace, last, half_ulp, typed=typed).of_derivatives(last, inputs)


def value_summands(trace: Trace, indices: Sequence[int], half_ulp: float = HALF_ULP) -> list[float]:
    """The sizes of the terms of which each number in some nodes is the sum, as they arrive there."""
    analysis = ErrorAnalysis(trace, max(indices, default=-1), Summands(half_ulp))
    return [x / half_ulp if math.isfinite(x) else 0.0 for x in analysis.of_values(indices)]


def sweep_summands(trace: Trace, last: int, inputs: Sequence[int], half_ulp: float = HALF_ULP) -> list[float]:
    """The sizes of the terms in gradcli's sweep for the derivative of node `last` by each number of the inputs."""
    analysis = ErrorAnalysis(trace, last, Summands(half_ulp))
    return [x / half_ulp if math.isfinite(x) else 0.0 for x in analysis.of_derivatives(last, inputs)]


def own_errors(trace: Trace, last: int, half_ulp: float = HALF_ULP) -> list[Any]:
    """Bounds on the rounding error that each node up to `last` adds to its own value."""
    arithmetic = Arithmetic(half_ulp)
    return [_own(arithmetic, node) for node in trace.nodes[: last + 1]]


def _own(arithmetic: Arithmetic, node: TraceNode) -> Any:
    if node.rule is None:
        return 0.0
    return _applied(arithmetic, node.rule, node, *[Rounded(x, 0.0) for x in node.operands], **node.static).error


def _each(error: Any, value: Any) -> list[float]:
    spread = np.broadcast_to(error, np.shape(value)).ravel().tolist()
    return [x for x in spread for _ in range(2)] if np.iscomplexobj(value) else spread


PRODUCT, SUM = elementwise_rule("mul"), elementwise_rule("add")
Slopes = Sequence[tuple[int, Callable[[Sequence[Rounded], Rounded], Rounded]]]  # partials by positions


class _Placed(NamedTuple):
    """The cotangent of a subscript, with the rule's in-place addition and its static arguments."""

    add: Callable[..., Any]
    cotangent: Rounded
    static: Mapping[str, Any]


class Bounds(ReverseSystem):
    """The number system of values and cotangents with error bounds; the inputs are exact."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self.arithmetic = arithmetic
        self._owned: set[int] = set()

    def between(self, steps: Iterable[Step]) -> Iterator[Step]:
        """Stop when the computation is interrupted."""
        return until_interrupted(steps)

    def constant(self, value: Any) -> Rounded:
        """A constant: exact, or rounded when it was typed."""
        return self.arithmetic.constant(value)

    def entered(self, value: Any) -> Rounded:
        """An input: exact."""
        return exact_number(value)

    def sees_node(self, operation: Operation) -> bool:
        """The value comes from the recorded node."""
        return True

    def function(self, operation: Operation) -> Callable[..., Rounded]:
        """The recorded value, with a bound on its error."""
        return with_keywords(partial(_applied, self.arithmetic, operation.rule), operation)

    def pull(self, operation: Operation) -> Pull:
        """The cotangents that gradcli's sweep computes, with bounds on their errors."""
        rule = operation.rule
        if isinstance(rule, Elementwise):
            slopes = [
                (position, self.arithmetic.partial(operation.slopes, position)) for position in operation.positions
            ]
            return partial(self._of_elementwise, slopes, rule.selects)
        return with_keywords(partial(_of_place if rule.in_place else self._of_array, operation), operation)

    def _of_elementwise(
        self, slopes: Slopes, selects: bool, _: TraceNode, ct: Rounded, value: Rounded, *arguments: Rounded
    ) -> Iterator[tuple[int, Rounded]]:
        for position, slope_at in slopes:
            slope = slope_at(arguments, value)
            if selects and not np.any(slope.value):
                continue
            contribution = self.arithmetic.apply(PRODUCT, (ct, slope))
            if selects:
                taken = np.asarray(slope.value) != 0
                contribution = Rounded(
                    np.where(taken, contribution.value, 0.0)[()], np.where(taken, contribution.error, 0.0)[()]
                )
            yield position, contribution

    def _of_array(
        self, operation: Operation, node: TraceNode, ct: Rounded, value: Rounded, *arguments: Rounded, **static: Any
    ) -> Iterator[tuple[int, Rounded]]:
        done = _operated(self.arithmetic, operation.rule, node.value, arguments, static)
        for position in operation.positions:
            yield position, array_rules.argument_cotangent(done, position, ct)

    def add(self, present: Rounded | None, contribution: Rounded | _Placed, source: TraceNode) -> Rounded:
        """Add in the shape and kind of the node; the cotangent of a subscript is added in place."""
        if isinstance(contribution, _Placed):
            return self._added_in_place(present, contribution, source)
        if type(contribution.value) is not float or type(source.value) is not float:
            contribution = self._summed(contribution, np.shape(source.value))
            if np.iscomplexobj(contribution.value) and not np.iscomplexobj(source.value):
                contribution = Rounded(np.real(contribution.value)[()], contribution.error)
        self._owned.discard(source.index)
        return contribution if present is None else self.arithmetic.apply(SUM, (present, contribution))

    def _summed(self, x: Rounded, shape: tuple[int, ...]) -> Rounded:
        """A contribution in the shape of its node, summed over broadcast axes."""
        if np.shape(x.value) == shape:
            return x
        count = np.size(x.value)
        own = self.arithmetic.half_ulp * count * unbroadcast(np.abs(x.value), shape) if count > 1 else 0.0
        error = unbroadcast(np.broadcast_to(x.error, np.shape(x.value)), shape) + own
        return Rounded(unbroadcast(x.value, shape)[()], error[()] if isinstance(error, np.ndarray) else error)

    def _added_in_place(self, present: Rounded | None, placed: _Placed, source: TraceNode) -> Rounded:
        ct, static = placed.cotangent, placed.static
        total = present if present is not None and source.index in self._owned else _spread(present, source.value)
        self._owned.add(source.index)
        placed.add(total.value, ct.value if np.iscomplexobj(total.value) else np.real(ct.value), **static)
        own = self.arithmetic.half_ulp * np.abs(total.value[static["key"]])
        placed.add(total.error, np.broadcast_to(ct.error, np.shape(ct.value)) + own, **static)
        return total


def _applied(arithmetic: Arithmetic, rule: Any, node: TraceNode, *arguments: Rounded, **static: Any) -> Rounded:
    """The recorded value of a node, with a bound on its error."""
    if isinstance(rule, Elementwise):
        return Rounded(exact_number(node.value).value, arithmetic.apply(rule, arguments, node.value).error)
    return array_rules.applied(_operated(arithmetic, rule, node.value, arguments, static))


def _operated(
    arithmetic: Arithmetic, rule: ArrayRule, value: Any, arguments: Sequence[Rounded], static: Mapping[str, Any]
) -> ArrayOperation:
    unit = arithmetic.half_ulp
    return ArrayOperation(rule, static, value, arguments, unit, arithmetic.unknown * unit)


def _of_place(
    operation: Operation, node: TraceNode, ct: Rounded, value: Rounded, *arguments: Rounded, **static: Any
) -> list[tuple[int, _Placed]]:
    return [(0, _Placed(operation.rule.in_place, ct, static))]


def _spread(x: Rounded | None, like: Any) -> Rounded:
    """A copy as new arrays in the shape of `like`; zeros for None."""
    value, error = (0.0, 0.0) if x is None else (x.value, x.error)
    kind = complex if np.iscomplexobj(like) else float
    shape = np.shape(like)
    return Rounded(np.array(np.broadcast_to(value, shape), kind), np.array(np.broadcast_to(error, shape), float))
