"""Contributions to the sensitivities of arguments as text: by formula where one is shorter than the rule's own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.answers.explain.argument_uses import ArgumentUse, is_complex
from gradcli.answers.explain.array_operation_text import (
    MATRIX_PRODUCT,
    OVER,
    TIMES,
    is_whole,
    reshaped,
    subscripted,
    transposed,
    written_place,
)
from gradcli.answers.explain.elementwise_terms import scaled_by_partial
from gradcli.answers.explain.node_formulas import library_call
from gradcli.answers.explain.numpy_calls import short_product
from gradcli.answers.explain.numpy_names_and_constants import Writer
from gradcli.answers.explain.rule_vjp_jvp_formulas import RecordedProduct, by_vjp
from gradcli.answers.explain.shaped_terms import (
    ONE,
    ZERO,
    Term,
    divided,
    exact_shape,
    masked,
    restored_axes,
    summed,
)
from gradcli.engine.tape.pullbacks import by_ieee
from gradcli.engine.traces.node import TraceNode
from gradcli.mathematics.language.formula_text import ATOM, COMPARISON, Inline, Piece
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.indexing import view_through
from gradcli.mathematics.rules.rule_types import Elementwise

EQUAL = Inline("{0} == {1}", COMPARISON, (COMPARISON + 1, COMPARISON + 1))


def argument_contribution(writer: Writer, use: ArgumentUse, ct: Term, value: Any, mask: Any = True) -> Term | None:
    """The text of the contribution of one use to an argument's sensitivity, given the sensitivity `ct` to the result.

    None for an argument to which nothing is passed back. `value` is the cotangent as the rules use it. `mask` marks the
    elements of the contribution that count, if others are not finite.
    """
    if ct.text == ZERO:
        return ct
    node, position = use.node, use.position
    if node.rule is not None and node.rule.folds:
        return short_product(writer, use, ct) or product_call(writer, "vjp", use, ct.text)
    if node.rule is None or isinstance(node.rule, Elementwise):
        term = scaled_by_partial(writer, use, ct, back=True)
        if term and mask is not True:
            term = masked(writer, term, np.broadcast_to(mask, use.full))
        term = term and summed(writer, term, use.full, use.wanted)
    else:
        has_formula = node.rule.name in _BACK and (node.rule.name not in _WHERE or _WHERE[node.rule.name](use, ct))
        term = _by_formula(writer, use, ct) if has_formula else _by_rule(writer, use, ct, value)
        term = masked(writer, term, np.broadcast_to(mask, use.wanted)) if term and mask is not True else term
        if not has_formula:
            return term
    if term is None or not is_complex(node.value) or is_complex(node.operands[position]):
        return term
    return Term(writer.call("real", term.text), term.shape)


def is_passed_back(node: TraceNode, position: int, mask: Any = True) -> bool:
    """Whether a node passes anything to an argument: not if it did not select it, or wrote over all of it.

    `mask` is as for `argument_contribution`, which writes what is passed.
    """
    rule = node.rule
    if mask is not True and not np.any(mask):
        return False
    if isinstance(rule, Elementwise):
        if not rule.selects or np.ndim(node.value):
            return True
        partial = node.partials[position]
        return partial is not None and bool(by_ieee(partial, node.value, *node.operands) != 0)
    return position > 0 or not getattr(rule, "clear", None) or bool(np.any(unwritten_elements(node)))


def product_call(writer: Writer, name: str, use: ArgumentUse, vector: Piece) -> Term:
    """The vector-Jacobian or Jacobian-vector product of a library's call by one quantity: `vjp(call, x)(s)`."""
    call, _ = library_call(writer, use.node, use.operands)
    text, _ = writer.call(name, call, use.operands[use.position])
    return Term((f"{text}({vector[0]})", ATOM), use.wanted if name == "vjp" else use.full)


def is_written(rule: ArrayRule) -> bool:
    """Whether this module has a formula for the product of a rule."""
    return rule.name in _BACK


def _by_formula(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    """The contribution by formula; formulas are linear, so a minus sign stays outside."""
    term = _BACK[use.node.rule.name](writer, use, Term(ct.unsigned, ct.shape))
    return term._replace(is_negative=term.is_negative != ct.is_negative) if term else None


def _by_rule(writer: Writer, use: ArgumentUse, ct: Term, value: Any) -> Term:
    """The contribution by the rule's own product, or by a call of `gradcli.vjp`."""
    text = exact_shape(writer, ct, use.full)
    term = RecordedProduct(writer, use.node, use.operands, use.v).back(use.position, text, value)
    if term is None:
        return by_vjp(writer, use.node, use.position, text, use.operands)
    return summed(writer, term, np.broadcast_shapes(term.shape, use.wanted), use.wanted)


def _same(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    return ct


def _sum(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    return restored_axes(ct, use.reduced, len(use.wanted))


def _mean(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    return divided(
        restored_axes(ct, use.reduced, len(use.wanted)), math.prod(use.wanted) // max(1, math.prod(use.full))
    )


def _extreme(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    """The largest or smallest elements share the sensitivity."""
    return extremes_share(writer, extremes(writer, use), restored_axes(ct, use.reduced, len(use.wanted)), use.wanted)


def extremes_share(writer: Writer, extremes: tuple[Piece, bool], term: Term, shape: tuple[int, ...]) -> Term:
    """A term at the extreme elements and 0 elsewhere; in case of ties, each one's share of it."""
    chosen, ties = extremes
    text = TIMES.write([chosen, term.text]) if ties else writer.call("where", chosen, term.text, "0")
    return Term(text, shape)


def has_extremes(use: ArgumentUse) -> bool:
    """Whether none of a node's extremes is nan."""
    return not np.any(np.isnan(use.node.value))


def extremes(writer: Writer, use: ArgumentUse) -> tuple[Piece, bool]:
    """The condition for the extreme elements; in case of ties, the share of each, and True."""
    x, v, axis = use.node.operands[0], use.node.value, use.node.static["axis"]
    extreme = restored_axes(Term(use.v, use.full), use.reduced, len(use.wanted))
    chosen = EQUAL.write([use.operands[0], extreme.text])
    counts = np.sum(x == (np.expand_dims(v, use.reduced) if use.reduced else v), axis=axis)
    if np.all(counts == 1):
        return chosen, False
    along = [] if axis is None else [f"axis={axis}", "keepdims=True"]
    return OVER.write([chosen, writer.call("sum", chosen, *along)]), True


def _reshape(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    if not ct.shape:
        return ct
    return Term(
        reshaped(writer, exact_shape(writer, ct, use.full), use.full, use.wanted, use.node.static["order"]), use.wanted
    )


def _matmul(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    """`s * y` of vectors, `outer(s, y)` and `x.T @ s` of a matrix and a vector."""
    shapes = [np.shape(x) for x in use.node.operands]
    other = use.operands[1 - use.position]
    if is_complex(use.node.operands[1 - use.position]):
        other = writer.call("conj", other)
    ndims = len(shapes[0]), len(shapes[1])
    if ndims == (1, 1):
        return Term(TIMES.write([ct.text, other]) if ct.text != ONE else other, shapes[0])
    return Term(_with_vector(writer, exact_shape(writer, ct, use.full), other, use.position, ndims), use.wanted)


def _with_vector(writer: Writer, s: Piece, other: Piece, position: int, ndims: tuple[int, int]) -> Piece:
    """The product for a matrix and a vector: an outer product for the matrix, a matrix product for the vector."""
    if ndims[position] == 2:
        return writer.call("outer", s, other) if position == 0 else writer.call("outer", other, s)
    matrix = transposed(writer, other, None, 2) if position == 1 else other
    return MATRIX_PRODUCT.write([matrix, s])


def _put(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    """The contribution of a subscript assignment: the sensitivity there to the written value, the rest to the array."""
    if use.position == 0:
        return masked(writer, ct, unwritten_elements(use.node))
    places = written_places(use.node)
    there = ct
    if ct.shape and not (np.shape(places) == use.full and is_whole(places, use.full)):
        text = written_place(writer, exact_shape(writer, ct, use.full), use.node.static)
        there = Term((text, ATOM), np.shape(places))
    term = masked(writer, there, last_written(places))
    return term and summed(writer, term, np.shape(places), use.wanted)


def unwritten_elements(node: TraceNode) -> Any:
    """Which elements of an array an assignment leaves unchanged."""
    unwritten = np.ones_like(node.value, dtype=bool, shape=np.shape(node.value))
    node.rule.clear(unwritten, **node.static)
    return unwritten


def written_places(node: TraceNode) -> Any:
    """The index in the array, counted in row-major order, of each element that is written."""
    places = np.arange(np.size(node.value)).reshape(np.shape(node.value))
    return view_through(places, node.static.get("through", ()))[node.static["key"]]


def last_written(places: Any) -> Any:
    """Which of the written elements remain: the last one at each index."""
    flat = np.ravel(places)
    last = np.zeros(flat.size, bool)
    last[flat.size - 1 - np.unique(flat[::-1], return_index=True)[1]] = True
    return last.reshape(np.shape(places))


def _prod(writer: Writer, use: ArgumentUse, ct: Term) -> Term | None:
    """The product divided by each element."""
    v = restored_axes(Term(use.v, use.full), use.reduced, len(use.wanted)).text
    back = restored_axes(ct, use.reduced, len(use.wanted)).text
    return Term(OVER.write([v if back == ONE else TIMES.write([back, v]), use.operands[0]]), use.wanted)


def _of_inverse(writer: Writer, use: ArgumentUse, ct: Term, factor: Piece) -> Term | None:
    text = ct.text if factor == ONE else factor if ct.text == ONE else TIMES.write([ct.text, factor])
    if len(use.wanted) > 2:
        text = subscripted(text, "..., None, None") if ct.shape or factor != ONE else text
    turned = transposed(writer, writer.call("linalg.inv", use.operands[0]), _swapped(len(use.wanted)), len(use.wanted))
    return Term(turned if text == ONE else TIMES.write([text, turned]), use.wanted)


def _swapped(ndim: int) -> tuple[int, ...]:
    return (*range(ndim - 2), ndim - 1, ndim - 2)


# Where the text of the rule's own product is the same, as for what only moves numbers, there is no formula.
_BACK: dict[str, Callable[[Writer, ArgumentUse, Term], Term | None]] = {
    "bounded": _same,
    "real": _same,
    "sum": _sum,
    "mean": _mean,
    "prod": _prod,
    "max": _extreme,
    "min": _extreme,
    "reshape": _reshape,
    "matmul": _matmul,
    "put": _put,
    "det": lambda writer, use, ct: _of_inverse(writer, use, ct, use.v),
    "logdet": lambda writer, use, ct: _of_inverse(writer, use, ct, ONE),
}

# The conditions under which a formula holds; elsewhere the rule's own product is used.
_WHERE: dict[str, Callable[[ArgumentUse, Term], bool]] = {
    "max": lambda use, ct: has_extremes(use),
    "min": lambda use, ct: has_extremes(use),
    "matmul": lambda use, ct: sum(map(np.ndim, use.node.operands)) <= 3 and 1 in map(np.ndim, use.node.operands),
    "prod": lambda use, ct: bool(np.all(use.node.operands[0]) and np.all(use.node.value)),
    "det": lambda use, ct: bool(np.all(use.node.value)),
}
