"""The tangent of a node as text, given the tangent of one argument."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.answers.explain.argument_uses import ArgumentUse, is_complex
from gradcli.answers.explain.array_operation_text import MATRIX_PRODUCT, subscripted
from gradcli.answers.explain.elementwise_terms import scaled_by_partial
from gradcli.answers.explain.node_formulas import formula_of_operands
from gradcli.answers.explain.numpy_calls import is_linear
from gradcli.answers.explain.numpy_names_and_constants import Writer
from gradcli.answers.explain.rule_vjp_jvp_formulas import RecordedProduct, by_jvp
from gradcli.answers.explain.shaped_terms import Term, exact_shape, mask_condition, masked
from gradcli.answers.explain.vjp_text import (
    extremes,
    extremes_share,
    has_extremes,
    last_written,
    product_call,
    unwritten_elements,
    written_places,
)
from gradcli.mathematics.language.formula_text import ATOM, Piece
from gradcli.mathematics.rules.rule_types import Elementwise


def node_tangent(writer: Writer, use: ArgumentUse, dot: Term, value: Any) -> Term | None:
    """The text of a node's tangent if an argument has the tangent `dot` with this value; None if it is not selected."""
    rule = use.node.rule
    if rule is not None and rule.folds and is_linear(use):
        text = exact_shape(writer, dot, use.wanted)
        operands = [text if n == use.position else operand for n, operand in enumerate(use.operands)]
        return Term(formula_of_operands(writer, use.node, operands), use.full)
    if rule is not None and rule.folds:
        return product_call(writer, "jvp", use, dot.text)
    if rule is None or isinstance(rule, Elementwise):
        term = scaled_by_partial(writer, use, dot)
        if term is None or is_complex(use.node.value) or not is_complex(use.node.operands[use.position]):
            return term
        return Term(writer.call("real", term.text), term.shape)
    if rule.clear:
        return (
            masked(writer, dot, unwritten_elements(use.node))
            if use.position == 0
            else assignment_tangent(writer, use, dot)
        )
    text = exact_shape(writer, dot, use.wanted)
    if rule.linear:
        return Term(formula_of_operands(writer, use.node, _alone(writer, use, text)), use.full)
    if rule.bilinear:
        operands = [text if n == use.position else operand for n, operand in enumerate(use.operands)]
        return Term(formula_of_operands(writer, use.node, operands), use.full)
    if rule.extreme and has_extremes(use):
        return _of_extreme(writer, use, extremes_share(writer, extremes(writer, use), dot, use.wanted))
    term = RecordedProduct(writer, use.node, use.operands, use.v).forth(use.position, text, value)
    return term or by_jvp(writer, use.node, use.position, text, use.operands)


def _alone(writer: Writer, use: ArgumentUse, text: Piece) -> list[Piece]:
    """The arguments of a linear operation if only one moves."""
    pieces: list[Piece] = []
    for n, value in enumerate(use.node.operands):
        shape = np.shape(value)
        nothing = writer.call("zeros", str(shape[0] if len(shape) == 1 else shape)) if shape else ("0", ATOM)
        pieces.append(text if n == use.position else nothing)
    return pieces


def _of_extreme(writer: Writer, use: ArgumentUse, moved: Term) -> Term:
    axis = use.node.static["axis"]
    along = [] if axis is None else [f"axis={axis}"]
    along += ["keepdims=True"] if use.node.static["keepdims"] else []
    return Term(writer.call("sum", moved.text, *along), use.full)


def assignment_tangent(writer: Writer, use: ArgumentUse, dot: Term) -> Term:
    """The tangent of an array of which a place is written: that of the written value there, and 0 elsewhere."""
    places = written_places(use.node)
    if not dot.shape:
        changed = mask_condition(writer, ~unwritten_elements(use.node))
        return Term(writer.call("where", changed.text, dot.text, "0"), changed.shape)
    there = masked(writer, Term(exact_shape(writer, dot, np.shape(places)), np.shape(places)), last_written(places))
    assert there is not None
    unit = subscripted(writer.call("eye", str(np.size(use.node.value))), writer.key(np.ravel(places)))
    moved = MATRIX_PRODUCT.write([writer.call("ravel", there.text), unit])
    return Term(writer.call("reshape", moved, str(use.full)), use.full)
