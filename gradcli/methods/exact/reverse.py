"""Reverse sweeps in many digits, with SymPy's partials and adjoints based on the forward computation."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.number_systems import Pull, ReverseSystem, with_keywords
from gradcli.engine.traces.straight_line_program import Operation
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import Traversal
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.shape import unbroadcast
from gradcli.methods.exact import array_rule_adjoints, complex_functions, decimals, recorded_choices
from gradcli.methods.exact.array_rule_adjoints import adjoint
from gradcli.methods.exact.complex_decimals import real_part
from gradcli.methods.exact.partials import partial_of
from gradcli.methods.exact.replay import ManyDigits, chosen_argument, computes_complex, single, zero_dimensional
from gradcli.methods.numerics.deadline import Deadline


class Moved(NamedTuple):
    """A contribution to the elements of a node at given indices, from 1; the element for index 0 is dropped."""

    places: Any
    cotangent: Any


class Sized(NamedTuple):
    """A contribution that is itself a sum, with the sizes of its terms."""

    cotangent: Any
    sizes: Any


class Sweep(ManyDigits, ReverseSystem):
    """A reverse sweep in many digits, from one node to the inputs.

    With `marks`, paths that the program did not take contribute exactly nothing, even if their partials are infinite.

    Args:
        trace: the run.
        values: the values of its nodes in many digits.
        result: the node from which the sweep starts.
        inputs: the nodes whose cotangents, and largest contributions, are kept.
        clock: the remaining time.
        marks: for each node, which of its elements contribute to the result.

    Attributes:
        wrong: the nodes whose own vector-Jacobian product disagrees with their forward computation.
        cancels: whether contributions to some node, or to an element of it, add up to 0.
    """

    def __init__(
        self,
        trace: Trace,
        values: Sequence[Any],
        result: int,
        inputs: Sequence[int],
        clock: Deadline,
        marks: list[Any] | None = None,
    ) -> None:
        super().__init__(trace, clock)
        self.nodes, self.inputs, self.marks = trace.nodes, inputs, marks
        self.largest: dict[int, Any] = {}
        self.wrong: set[int] = set()
        self.cancels = False
        self._watched = frozenset(inputs)
        self._owned: set[int] = set()
        self.cotangents = Traversal(trace.steps, self, result).cotangents(values, result, decimals.ONE)

    def numbers(self) -> tuple[list[Decimal], list[Decimal]]:
        """The derivative by each number of the inputs, and the largest contribution to each.

        A complex number has two: c pairs with a displacement t as Re(c * t), which is Re(c) along 1 and -Im(c) along i.
        """
        return self._in_order(self.cotangents), self._in_order(self.largest)

    def _in_order(self, by_node: dict[int, Any]) -> list[Decimal]:
        numbers: list[Decimal] = []
        for index in self.inputs:
            value = self.nodes[index].value
            shape = np.shape(value)
            whole = by_node.get(index, decimals.ZERO)
            spread = np.broadcast_to(np.asarray(whole, dtype=object), shape).ravel() if shape else [whole]
            if np.iscomplexobj(value):
                spread = [part for x in spread for part in (x.real, -x.imag if by_node is self.cotangents else x)]
            numbers += [decimals.ONE * x for x in spread]
        return numbers

    def sees_node(self, operation: Operation) -> bool:
        """True for all but the simplest elementwise rules."""
        is_array = isinstance(operation.rule, ArrayRule)
        return is_array or self.marks is not None or super().sees_node(operation)

    def pull(self, operation: Operation) -> Pull:
        """Elementwise rules by SymPy's partials, array rules by adjoints based on their forward computation."""
        rule = operation.rule
        if isinstance(rule, ArrayRule):
            return with_keywords(partial(self._of_array, operation), operation)
        return partial(self._of_elementwise if self.sees_node(operation) else _of_plain, operation)

    def _of_elementwise(
        self, operation: Operation, node: TraceNode, ct: Any, value: Any, *arguments: Any
    ) -> Iterator[tuple[int, Any]]:
        for place in operation.positions:
            contribution = self._contribution(operation, place, node, ct, arguments)
            yield place, contribution if self.marks is None else _masked(contribution, self.marks[node.index])

    def _contribution(
        self, operation: Operation, place: int, node: TraceNode, ct: Any, arguments: Sequence[Any]
    ) -> Any:
        rule = operation.rule
        if rule.conditional:
            return chosen_argument(node, *((ct, decimals.ZERO) if place == 1 else (decimals.ZERO, ct)))
        if self.has_complex and computes_complex(node):
            return (
                recorded_choices.selected_cotangent(node, place, ct)
                if rule.piecewise
                else _complex(operation, place, ct, arguments, node)
            )
        if rule.piecewise:
            arguments = [decimals.to_decimals(x) for x in node.operands]
        return _product(operation, place, ct, arguments)

    def _of_array(
        self, operation: Operation, node: TraceNode, ct: Any, value: Any, *arguments: Any, **static: Any
    ) -> Iterator[tuple[int, Any]]:
        rule: ArrayRule = operation.rule
        for place in operation.positions:
            if rule.moves:
                yield place, Moved(array_rule_adjoints.source_indices(rule, place, arguments, static), ct)
            elif rule.extreme:
                yield place, recorded_choices.extreme_cotangent(rule, node, ct)
            else:
                adjoints = adjoint(rule, place, ct, value, arguments, static)
                if adjoints.agrees is False:
                    self.wrong.add(node.index)
                self.cancels |= cancels(adjoints.cotangent, [np.any(np.not_equal(ct, 0))])
                is_sum = rule.bilinear and node.sources[place] in self._watched
                sizes = _sizes(rule, place, ct, arguments, static) if is_sum else None
                yield place, adjoints.cotangent if sizes is None else Sized(adjoints.cotangent, sizes)

    def add(self, present: Any, contribution: Any, source: TraceNode) -> Any:
        """Add in the shape of the node, summing over broadcast axes; moved numbers are added in place."""
        shape, sizes = _shape(source.value), None
        if type(contribution) is Moved:
            places, ct = contribution.places, self._for(source, contribution.cotangent)
            if shape:
                return self._added_at(present, places, ct, source.index, shape)
            contribution = np.sum(np.where(np.asarray(places) == 1, ct, decimals.ZERO))
        elif type(contribution) is Sized:
            contribution, sizes = contribution
        if source.index in self._watched:
            self._note(source.index, abs(contribution) if sizes is None else sizes, shape)
        contribution = self._for(source, contribution)
        if _shape(contribution) != shape:
            whole, contribution = contribution, single(unbroadcast(contribution, shape))
            self.cancels |= cancels(contribution, [np.any(np.not_equal(whole, 0))])
        self._owned.discard(source.index)
        if present is None:
            return contribution
        total = present + contribution
        self.cancels |= cancels(total, [contribution])
        return total

    def _for(self, source: TraceNode, ct: Any) -> Any:
        """A cotangent for a node: only the real part for real numbers, since Re(ct * t) has no other."""
        return real_part(ct) if self.has_complex and not np.iscomplexobj(source.value) else ct

    def _note(self, index: int, sizes: Any, shape: tuple[int, ...]) -> None:
        """Keep the largest contribution to each number of an input."""
        if not np.size(sizes):
            return
        while np.ndim(sizes) > len(shape):
            sizes = np.max(sizes, axis=0)
        for axis, (length, of_input) in enumerate(zip(_shape(sizes), shape, strict=False)):
            if of_input == 1 != length:
                sizes = np.max(sizes, axis=axis, keepdims=True)
        before = self.largest.get(index)
        self.largest[index] = sizes if before is None else np.maximum(before, sizes)

    def _added_at(self, present: Any, places: Any, ct: Any, index: int, shape: tuple[int, ...]) -> Any:
        """Add at indices counted from 1, in an array that the sweep owns."""
        ct = np.asarray(ct, dtype=object)
        total = present if index in self._owned else _spread(present, shape)
        self._owned.add(index)
        flat = total.reshape(-1)
        noted = self._noted(index, shape).reshape(-1) if index in self._watched else None
        if not np.ndim(places):
            if places:
                flat[places - 1] += single(ct)
                self.cancels |= cancels(flat[places - 1], [single(ct)])
                if noted is not None:
                    noted[places - 1] = max(noted[places - 1], abs(single(ct)))
            return total
        there, ct = places > 0, np.broadcast_to(ct, np.shape(places))
        np.add.at(flat, places[there] - 1, ct[there])
        self.cancels |= cancels(flat[places[there] - 1], [ct[there]])
        if noted is not None:
            np.maximum.at(noted, places[there] - 1, np.abs(ct[there]))
        return total

    def _noted(self, index: int, shape: tuple[int, ...]) -> Any:
        before = self.largest.get(index)
        if not isinstance(before, np.ndarray) or before.shape != shape:
            self.largest[index] = _spread(before, shape)
        return self.largest[index]


def _of_plain(operation: Operation, ct: Any, value: Any, *arguments: Any) -> Iterator[tuple[int, Any]]:
    for place in operation.positions:
        yield place, _product(operation, place, ct, arguments)


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    """A copy of a number or array as a new array of the given shape; zeros for None."""
    return np.array(np.broadcast_to(np.asarray(decimals.ZERO if x is None else x, dtype=object), shape))


def _sizes(rule: ArrayRule, place: int, ct: Any, arguments: Sequence[Any], static: Mapping[str, Any]) -> Any:
    """The sizes of the terms in the sum that a bilinear rule passes back."""
    absolute = tuple(zero_dimensional(abs(x)) for x in arguments)
    return unbroadcast(rule.vjp(place, zero_dimensional(abs(ct)), None, absolute, static), _shape(arguments[place]))


def _complex(operation: Operation, place: int, ct: Any, arguments: Sequence[Any], node: TraceNode) -> Any:
    """Cotangent times partial for complex operands."""
    fixed = operation.rule.is_power and operation.positions == (0,) and isinstance(node.operands[1], (int, float))
    exponent = node.operands[1] if fixed else None

    def pulled(cotangent: Any, *operands: Any) -> Any:
        return complex_functions.argument_cotangent(operation.rule, place, cotangent, operands, exponent)

    return single(np.frompyfunc(pulled, 1 + len(arguments), 1)(ct, *arguments))


def _product(operation: Operation, place: int, ct: Any, arguments: Sequence[Any]) -> Any:
    """Cotangent times partial; exactly 0 where a selecting rule did not select this argument."""
    rule = operation.rule
    fixed = rule.is_power and operation.positions == (0,) and not np.ndim(arguments[1])
    partial = partial_of(rule, place, float(arguments[1]) if fixed else None)
    if partial.constant is not None:
        return ct if partial.constant == 1 else ct * partial.constant
    arrays = operation.is_of_arrays and any(type(x) is np.ndarray for x in arguments)
    if not arrays or partial.on_arrays:
        slope = partial.function(*arguments)
    else:
        slope = np.frompyfunc(partial.function, len(arguments), 1)(*arguments)
    contribution = ct * slope
    if not rule.selects:
        return contribution
    if arrays or type(ct) is np.ndarray:
        return np.where(np.asarray(slope == 0, dtype=bool), decimals.ZERO, contribution)
    return contribution if slope else decimals.ZERO


def _masked(contribution: Any, marks: Any) -> Any:
    return contribution if marks is True else single(np.where(marks, contribution, decimals.ZERO))


def cancels(total: Any, terms: Iterable[Any]) -> bool:
    """Whether a result, or an element of it, is 0 although no term is, so that a smaller term may be lost in it."""
    if type(total) is not np.ndarray and total:
        return False
    return bool(np.any(reduce(operator.and_, [np.not_equal(x, 0) for x in terms], np.equal(total, 0))))


def _shape(x: Any) -> tuple[int, ...]:
    return x.shape if type(x) is np.ndarray else ()
