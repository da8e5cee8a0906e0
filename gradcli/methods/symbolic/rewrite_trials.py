"""Trials of rewritten formulas: one is worth showing if it keeps more digits of a node at the point.

The true value comes from a replay in many digits. If no known pattern applies and the node is a polynomial of the
inputs, SymPy's factorisation is tried.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.methods.diagnose.stable_rewrites import Rewriting
from gradcli.methods.exact import decimals
from gradcli.methods.exact.complex_decimals import ComplexDecimal
from gradcli.methods.exact.replay import Replay
from gradcli.methods.numerics.coordinates import Coordinate
from gradcli.methods.numerics.deadline import Deadline
from gradcli.methods.symbolic import closed_form

DIGITS = 120
SECONDS = 3.0
BETTER = 1.0  # digits that a rewrite has to gain
LARGEST = 40  # operations of the largest polynomial that is factored


class Tried(NamedTuple):
    """A formula, with the correct digits of the node's value as computed and by the formula."""

    text: str
    before: float
    after: float


class Trials:
    """Rewrites of a run's nodes, judged in many digits.

    Args:
        trace: the run.
        parts: the numbers of its point.
        names: the text of each node.
        half_ulp: the relative error of one rounding.
    """

    def __init__(self, trace: Trace, parts: Sequence[Coordinate], names: Sequence[str], half_ulp: float) -> None:
        self.trace = trace
        self.parts = parts
        self.names = names
        self.half_ulp = half_ulp
        self.rewriting = Rewriting(trace)
        self._exact: list[Any] | None = None

    def digits(self, index: int) -> float:
        """The number of correct digits in a node's value; nan if it is unknown."""
        return self._good(index, self.trace.nodes[index].value)

    def lost(self, node: TraceNode, bound: float) -> float:
        """The digits that a node's value has fewer than its worst argument: measured if both are known, else the bound.

        A bound assumes that each rounding is as wrong as it can be, although many are exact.
        """
        left = self.digits(node.index)
        before = min(map(self.digits, node.inputs), default=-math.log10(self.half_ulp))
        return min(bound, max(0.0, before - left)) if left > 0 and not math.isnan(before) else bound

    def best(self, index: int) -> Tried | None:
        """The first rewrite of a node that keeps more of its digits, or None."""
        before = self.digits(index)
        for text, value in self._candidates(index):
            after = self._good(index, value)
            if after >= before + BETTER:
                return Tried(text, before, after)
        return None

    def _candidates(self, index: int) -> Iterator[tuple[str, Any]]:
        """Formulas with their values."""
        try:
            if (known := self.rewriting.of(index)) is not None:
                yield known.text(lambda index: self.names[index]), known.value()
            elif (rule := self.trace.nodes[index].rule) is not None and rule.adds:
                yield from self._factored(index)
        except (*UNABLE, NameError):
            return

    def _factored(self, index: int) -> Iterator[tuple[str, Any]]:
        """The factorisation of a polynomial."""
        import sympy

        inputs = list(self.trace.input_indices())
        if self._is_long(index) or closed_form.size(self.trace, index, inputs) > LARGEST:
            return
        form = closed_form.expression(self.trace, index, inputs, self.parts)
        if not form.value.is_polynomial(*form.symbols):
            return
        factors = sympy.factor(form.value)
        if factors != form.value and not factors.is_Add:
            compute = sympy.lambdify(form.symbols, factors, modules="math")
            yield closed_form.text(factors), compute(*(part.value for part in self.parts))

    def _is_long(self, index: int) -> bool:
        """Whether a node is an array, or the operations on numbers that it depends on are too many already."""
        reached, waiting = {index}, [index]
        while waiting and len(reached) <= LARGEST:
            node = self.trace.nodes[waiting.pop()]
            if np.ndim(node.value):
                return node.index == index
            new = [source for source in node.inputs if source not in reached and self.trace.nodes[source].is_computed]
            reached.update(new)
            waiting += new
        return bool(waiting)

    def _good(self, index: int, value: Any) -> float:
        """The number of correct digits in a value of a node; for an array, in its worst element."""
        true = self._truth(index)
        if true is None or np.shape(true) != np.shape(value):
            return math.nan
        with decimals.digits(DIGITS):
            return min(map(self._number, np.ravel(np.asarray(true, dtype=object)), np.ravel(value)), default=math.nan)

    def _number(self, true: Any, value: Any) -> float:
        most = -math.log10(self.half_ulp)
        true = true if isinstance(true, (Decimal, ComplexDecimal)) else decimals.to_decimals(true)
        off = abs(decimals.to_decimals(value) - true)
        if not off.is_finite():
            return 0.0
        if not off or not true:
            return 0.0 if off else most
        return min(most, max(0.0, -float((off / abs(true)).log10())))

    def _truth(self, index: int) -> Any:
        if self._exact is None:
            last = len(self.trace.nodes) - 1
            try:
                with decimals.digits(DIGITS):
                    self._exact = Replay(self.trace, last, Deadline(SECONDS)).values()
            except (*UNABLE, NameError):
                self._exact = []
        return self._exact[index] if index < len(self._exact) else None
