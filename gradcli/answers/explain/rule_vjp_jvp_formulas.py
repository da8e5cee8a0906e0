"""The products of array rules as formulas, written from a recording of the rule's own product.

A long product is written as a call of `gradcli.vjp` or `gradcli.jvp`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.answers.explain.node_formulas import formula_of_operands
from gradcli.answers.explain.numpy_names_and_constants import Writer
from gradcli.answers.explain.shaped_terms import ONE, Term
from gradcli.engine.tape.pullbacks import ARITHMETIC
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.engine.traces.rule_vjp_jvp_traces import recorded_product
from gradcli.engine.traces.trace import Trace
from gradcli.errors import GradcliError
from gradcli.mathematics.language.formula_text import ATOM, Piece

LONGEST = 120  # characters of the longest product that is written out
LONGEST_OF_HERMITIAN = 4000  # the limit for Hermitian rules, whose product is not that of NumPy's function

_FAILURES = (GradcliError, np.linalg.LinAlgError, *ARITHMETIC)


class RecordedProduct:
    """One product of a rule as text.

    Args:
        node: the node whose rule is used.
        operands, v: the texts of its arguments and its result.
    """

    def __init__(self, writer: Writer, node: TraceNode, operands: Sequence[Piece], v: Piece) -> None:
        self.writer, self.node, self.operands, self.v = writer, node, operands, v

    def back(self, position: int, ct: Piece, value: Any) -> Term | None:
        """The product with a cotangent in the result's shape; None if it is too long or cannot be recorded."""
        longest = LONGEST_OF_HERMITIAN if self.node.rule.hermitian else LONGEST
        try:
            trace = recorded_product(self.node, position, value)
            term = self.formula(trace, longest, self.conjugated(self.node.value, ct))
        except _FAILURES:
            return None
        return self.fitted(term, np.iscomplexobj(trace.value), self.node.operands[position])

    def forth(self, position: int, dot: Piece, value: Any) -> Term | None:
        """The product with a tangent in the argument's shape; None if it is too long or cannot be recorded."""
        try:
            trace = recorded_product(self.node, position, np.ones_like(self.node.value), value)
            # What is recorded is a derivative by the cotangent of what is linear in it: it does not contain it.
            return self.formula(trace, LONGEST, ("", ATOM), dot)
        except _FAILURES:
            return None

    def conjugated(self, value: Any, text: Piece) -> Piece:
        """The conjugate of a complex sensitivity, which is the cotangent that the rules use."""
        return self.writer.call("conj", text) if np.iscomplexobj(value) else text

    def fitted(self, term: Term | None, is_complex: bool, argument: Any) -> Term | None:
        """A cotangent as a sensitivity: its conjugate for a complex argument, its real part for a real one."""
        if term is None or not (is_complex or np.iscomplexobj(argument)):
            return term
        return Term(self.writer.call("conj" if np.iscomplexobj(argument) else "real", term.text), term.shape)

    def formula(self, trace: Trace, longest: int, *vectors: Piece) -> Term | None:
        """A recorded product as text, with `vectors` for cotangent and tangent; None if it is too long.

        The texts stand for the inputs in the order in which `recorded_product` enters them: the recorded arguments by
        position, the value, the cotangent, and the tangent if there is one.
        """
        if trace.result is None:
            return None
        arguments = [self.operands[n] for n in self.node.positions]
        texts = dict(zip(trace.input_indices(), [*arguments, self.v, *vectors], strict=True))
        text = self.text(trace, texts, longest)
        return None if text is None else Term(text, np.shape(trace.value))

    def text(self, trace: Trace, texts: dict[int, Piece], longest: int) -> Piece | None:
        """The result of a trace as text, with its inputs by `texts`; None if a part is too long."""
        needed = {trace.result}
        for node in reversed(trace.nodes):
            if node.index in needed and node.index not in texts:
                needed.update(node.inputs)
        for index in sorted(needed - texts.keys()):
            piece = self.written(trace.nodes[index], texts)
            if piece is None or len(piece[0]) > longest:
                return None
            texts[index] = piece
        return texts[trace.result]

    def written(self, node: TraceNode, texts: Mapping[int, Piece]) -> Piece | None:
        """The text of one node, without factors of 1 and casts; None if it has no formula."""
        if not node.is_computed or (node.rule is not None and node.rule.writes):
            return None
        operands = [self.writer.constant(x) if index == CONSTANT else texts[index] for index, x in node.arguments()]
        if node.rule is not None and node.rule.casts:
            return operands[0]
        if node.rule is not None and node.rule.is_product:
            for one, other in ((0, 1), (1, 0)):
                is_number = node.sources[one] == CONSTANT and np.ndim(node.operands[one]) == 0
                if operands[one] == ONE or (is_number and node.operands[one] == 1):
                    return operands[other]
        return formula_of_operands(self.writer, node, operands)


def by_vjp(writer: Writer, node: TraceNode, position: int, ct: Piece, operands: Sequence[Piece]) -> Term:
    """The product with a cotangent, as a call of `gradcli.vjp`."""
    function, x = _function(writer, node, position, operands), operands[position][0]
    return Term((f"{writer.call('vjp', function, x)[0]}[1]({ct[0]})[0]", ATOM), np.shape(node.operands[position]))


def by_jvp(writer: Writer, node: TraceNode, position: int, dot: Piece, operands: Sequence[Piece]) -> Term:
    """The product with a tangent, as a call of `gradcli.jvp`."""
    function, x = _function(writer, node, position, operands), operands[position][0]
    return Term((f"{writer.call('jvp', function, f'({x},)', f'({dot[0]},)')[0]}[1]", ATOM), np.shape(node.value))


def _function(writer: Writer, node: TraceNode, position: int, operands: Sequence[Piece]) -> str:
    """A node as a function of one of its arguments: `linalg.inv`, or a lambda."""
    letter = next(letter for letter in "abcdefghijklmnopqrstuvwxyz" if letter not in writer.taken)
    arguments = [(letter, ATOM) if n == position else piece for n, piece in enumerate(operands)]
    text, _ = formula_of_operands(writer, node, arguments)
    head, _, rest = text.partition("(")
    return head if rest == f"{letter})" else f"lambda {letter}: {text}"
