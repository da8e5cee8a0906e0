"""A reverse sweep over a played program with many digits: SymPy's partials, and adjoints that rest on the forward."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from gradcli.methods import adjoints, choices, complex_functions, digits
from gradcli.methods.adjoints import adjoint
from gradcli.methods.complex_decimal import real_part
from gradcli.methods.partials import partial_of
from gradcli.methods.playing import Clock, Played, arguments_of, boxed, computes_complex, single
from gradcli.rules.array_rules import ArrayRule
from gradcli.rules.shape import unbroadcast
from gradcli.rules.table import Elementwise
from gradcli.traces.node import CONSTANT, TraceNode


class Sweep:
    """A reverse sweep with many digits, from one node to the inputs.

    With `marks`, what the program did not take contributes exactly nothing, even where its partial is infinite.
    """

    def __init__(
        self, played: Played, result: int, inputs: Sequence[int], clock: Clock, marks: list[Any] | None = None
    ) -> None:
        self.values = played.values
        self.nodes = played.trace.nodes
        self.inputs = inputs
        self.marks = marks
        self.cotangents: dict[int, Any] = {result: digits.ONE}
        self.largest: dict[int, Any] = {}
        self.wrong: set[int] = set()
        self._constants: dict[int, Any] = {}
        self._watched = frozenset(inputs)
        self._has_complex = played.trace.has_complex
        self._owned: set[int] = set()
        for at in range(result, -1, -1):
            node = self.nodes[at]
            if at in self.cotangents and node.is_computed:
                self._pull(node, self.cotangents[at])
                if at not in self._watched:
                    del self.cotangents[at]
            if not at % 64 or np.ndim(node.value):
                clock.check()

    def numbers(self) -> tuple[list[Decimal], list[Decimal]]:
        """The derivative by each number of the inputs, and the largest contribution to each.

        A complex number has two: c pairs with a movement t as Re(c * t), which is Re(c) along 1 and -Im(c) along i.
        """
        return self._in_order(self.cotangents), self._in_order(self.largest)

    def _in_order(self, by_node: dict[int, Any]) -> list[Decimal]:
        found: list[Decimal] = []
        for index in self.inputs:
            value = self.nodes[index].value
            shape = np.shape(value)
            whole = by_node.get(index, digits.ZERO)
            spread = np.broadcast_to(np.asarray(whole, dtype=object), shape).ravel() if shape else [whole]
            if np.iscomplexobj(value):
                spread = [part for x in spread for part in (x.real, -x.imag if by_node is self.cotangents else x)]
            found += [digits.ONE * x for x in spread]
        return found

    def _pull(self, node: TraceNode, ct: Any) -> None:
        rule = node.rule
        if rule is None:  # an alias
            self._add(node.sources[0], ct)
            return
        arguments = arguments_of(node, self.values, self._constants)
        for position in node.positions:
            source = node.sources[position]
            if isinstance(rule, Elementwise):
                pull = _complex if self._has_complex and computes_complex(node) else _elementwise
                contribution = pull(rule, position, ct, arguments, node)
                self._add(source, contribution if self.marks is None else _masked(contribution, self.marks[node.index]))
            elif rule.moves:
                self._add_at(source, adjoints.places(rule, position, arguments, node.static), ct)
            elif rule.extreme:
                self._add(source, choices.shared(rule, node, ct))
            else:
                self._pull_array(node, rule, position, ct, arguments)

    def _pull_array(self, node: TraceNode, rule: ArrayRule, position: int, ct: Any, arguments: list[Any]) -> None:
        source = node.sources[position]
        found = adjoint(rule, position, ct, self.values[node.index], arguments, node.static)
        if found.agrees is False:
            self.wrong.add(node.index)
        sizes = None
        if rule.bilinear and source in self._watched:
            absolute = [abs(x) for x in arguments]
            sizes = unbroadcast(
                rule.vjp(position, boxed(abs(ct)), None, tuple(map(boxed, absolute)), node.static),
                _shape(arguments[position]),
            )
        self._add(source, found.cotangent, sizes)

    def _add(self, source: int, contribution: Any, sizes: Any = None) -> None:
        """Add to the cotangent of a node, in its shape; what is broadcast is summed."""
        shape = _shape(self.values[source])
        if source in self._watched:
            self._note(source, abs(contribution) if sizes is None else sizes, shape)
        contribution = self._for(source, contribution)
        if _shape(contribution) != shape:
            contribution = single(unbroadcast(contribution, shape))
        before = self.cotangents.get(source)
        self.cotangents[source] = contribution if before is None else before + contribution
        self._owned.discard(source)

    def _for(self, source: int, ct: Any) -> Any:
        """A cotangent as that of a node: of real numbers the real part, for Re(ct * t) has no other."""
        return real_part(ct) if self._has_complex and not np.iscomplexobj(self.nodes[source].value) else ct

    def _note(self, source: int, sizes: Any, shape: tuple[int, ...]) -> None:
        """Keep the largest contribution to each number of an input."""
        if not np.size(sizes):
            return
        while np.ndim(sizes) > len(shape):
            sizes = np.max(sizes, axis=0)
        for axis, (length, of_input) in enumerate(zip(_shape(sizes), shape, strict=False)):
            if of_input == 1 != length:
                sizes = np.max(sizes, axis=axis, keepdims=True)
        before = self.largest.get(source)
        self.largest[source] = sizes if before is None else np.maximum(before, sizes)

    def _add_at(self, source: int, places: Any, ct: Any) -> None:
        """Add to the numbers of a node at places counted from 1, in place."""
        shape = _shape(self.values[source])
        ct = self._for(source, ct)
        if not shape:
            self._add(source, np.sum(np.where(np.asarray(places) == 1, ct, digits.ZERO)))
            return
        flat = self._buffer(source, shape).reshape(-1)
        noted = self._noted(source, shape).reshape(-1) if source in self._watched else None
        if not np.ndim(places):
            if places:
                flat[places - 1] += single(np.asarray(ct, dtype=object))
                if noted is not None:
                    noted[places - 1] = max(noted[places - 1], abs(single(np.asarray(ct, dtype=object))))
            return
        ct = np.broadcast_to(np.asarray(ct, dtype=object), np.shape(places))
        there = places > 0
        np.add.at(flat, places[there] - 1, ct[there])
        if noted is not None:
            np.maximum.at(noted, places[there] - 1, np.abs(ct[there]))

    def _buffer(self, source: int, shape: tuple[int, ...]) -> Any:
        """The cotangent of a node as an array that may be added to in place."""
        if source not in self._owned:
            before = self.cotangents.get(source, digits.ZERO)
            self.cotangents[source] = np.array(np.broadcast_to(np.asarray(before, dtype=object), shape))
            self._owned.add(source)
        return self.cotangents[source]

    def _noted(self, source: int, shape: tuple[int, ...]) -> Any:
        before = self.largest.get(source, digits.ZERO)
        if np.shape(before) != shape or not isinstance(before, np.ndarray):
            self.largest[source] = np.array(np.broadcast_to(np.asarray(before, dtype=object), shape))
        return self.largest[source]


def _complex(rule: Elementwise, position: int, ct: Any, arguments: list[Any], node: TraceNode) -> Any:
    """The same where complex numbers take part."""
    if rule.conditional:
        return _elementwise(rule, position, ct, arguments, node)
    if rule.piecewise:
        return choices.share(node, position, ct)
    exponent = (
        node.operands[1]
        if rule.is_power and node.sources[1] == CONSTANT and isinstance(node.operands[1], (int, float))
        else None
    )

    def pulled(cotangent: Any, *operands: Any) -> Any:
        return complex_functions.pulled(rule, position, cotangent, operands, exponent)

    return single(np.frompyfunc(pulled, 1 + len(arguments), 1)(ct, *arguments))


def _masked(contribution: Any, marks: Any) -> Any:
    return contribution if marks is True else single(np.where(marks, contribution, digits.ZERO))


def _shape(x: Any) -> tuple[int, ...]:
    return x.shape if type(x) is np.ndarray else ()


def _elementwise(rule: Elementwise, position: int, ct: Any, arguments: list[Any], node: TraceNode) -> Any:
    """Cotangent times partial; nothing at all where a rule that hands one argument through did not take this one."""
    if rule.conditional:
        return single(np.where(arguments[0], *((ct, digits.ZERO) if position == 1 else (digits.ZERO, ct))))
    fixed = rule.is_power and node.sources[1] == CONSTANT and not np.ndim(arguments[1])
    exponent = float(arguments[1]) if fixed else None
    found = partial_of(rule, position, exponent)
    if found.constant is not None:
        return ct if found.constant == 1 else ct * found.constant
    if rule.piecewise:
        arguments = [digits.many(x) for x in node.operands]
    arrays = any(type(x) is np.ndarray for x in arguments)
    if not arrays or found.on_arrays:
        partial = found.function(*arguments)
    else:
        partial = np.frompyfunc(found.function, len(arguments), 1)(*arguments)
    contribution = ct * partial
    if not rule.selects:
        return contribution
    if arrays or type(ct) is np.ndarray:
        return np.where(np.asarray(partial == 0, dtype=bool), digits.ZERO, contribution)
    return contribution if partial else digits.ZERO
