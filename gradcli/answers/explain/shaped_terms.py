"""Texts with the shapes of their values: sums over broadcast axes, restored axes, and written places."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.explain.array_operation_text import MINUS, OVER, PLUS, TIMES, subscripted
from gradcli.answers.explain.numpy_names_and_constants import MOST_NUMBERS, Writer
from gradcli.mathematics.language.formula_text import (
    ATOM,
    COMPARISON,
    PRODUCT,
    SUM,
    Inline,
    Piece,
    left_associative,
    literal,
)

Shape = tuple[int, ...]

ONE: Piece = ("1", ATOM)
ZERO: Piece = ("0", ATOM)  # what an argument contributes of which no element was selected
LESS = left_associative("-", SUM)
REMAINDER = re.compile(r" (?:%|//) ")  # binds like a product, but is not one
AND = Inline("{0} & {1}", COMPARISON, (ATOM, ATOM))


class Term(NamedTuple):
    """A text without its sign, with the shape of its value, which is broadcast to that of the sensitivity."""

    unsigned: Piece
    shape: Shape = ()
    is_negative: bool = False

    @property
    def text(self) -> Piece:
        """The text with its sign."""
        return minus(self.unsigned) if self.is_negative else self.unsigned


def minus(text: Piece) -> Piece:
    """The negative of a text: `-x`, or `-x * y` without brackets; a remainder keeps its brackets."""
    if text[1] == PRODUCT and not REMAINDER.search(text[0]) and not text[0].startswith("-"):
        return f"-{text[0]}", PRODUCT
    return MINUS.write([text])


def multiple(count: int, text: Piece) -> Piece:
    """A text times an integer, without brackets around a product."""
    if count == 1:
        return text
    if text == ONE:
        return literal(count)
    if text[1] == PRODUCT and not REMAINDER.search(text[0]):
        return f"{count} * {text[0]}", PRODUCT
    return TIMES.write([literal(count), text])


def total(terms: Sequence[Term]) -> Term:
    """The sum of some terms; equal ones are combined, and zeros left out."""
    terms = [term for term in terms if term.text != ZERO] or terms
    count: dict[Term, int] = {}
    for term in terms:
        count[term] = count.get(term, 0) + 1
    summands = [term._replace(unsigned=multiple(n, term.unsigned)) for term, n in count.items()]
    sum_so_far = summands[0]
    for term in summands[1:]:
        shape = np.broadcast_shapes(sum_so_far.shape, term.shape)
        sum_so_far = Term((LESS if term.is_negative else PLUS).write([sum_so_far.text, term.unsigned]), shape)
    return sum_so_far


def exact_shape(writer: Writer, term: Term, shape: Shape) -> Piece:
    """A text whose value has exactly this shape."""
    if term.shape == shape:
        return term.text
    if term.text == ONE:
        return writer.call("ones", str(shape[0] if len(shape) == 1 else shape))
    return writer.call("broadcast_to", term.text, str(shape))


def summed(writer: Writer, term: Term, full: Shape, wanted: Shape) -> Term:
    """A term for an array of shape `full`, summed to the shape that was broadcast to it."""
    if full == wanted == term.shape:
        return term
    if term.is_negative:
        return summed(writer, term._replace(is_negative=False), full, wanted)._replace(is_negative=True)
    before = len(full) - len(wanted)
    missing = len(full) - len(term.shape)
    repeated = [a for a in range(len(full)) if a < before or (wanted[a - before] == 1 and full[a] != 1)]
    own = [a for a in repeated if a >= missing and (a < before or term.shape[a - missing] != 1)]
    count = math.prod(full[a] for a in repeated if a < missing or term.shape[a - missing] != full[a])
    text = multiple(count, term.text)
    if not own:
        return Term(text, term.shape)
    axes = {a - missing for a in own}
    if all(length == 1 or axis in axes for axis, length in enumerate(term.shape)):
        return Term(writer.call("sum", text))
    lost = sorted(axis for axis in axes if axis + missing < before)
    kept = sorted(axis - len(lost) for axis in axes if axis + missing >= before)
    if lost:
        text = writer.call("sum", text, f"axis={_axes(lost)}")
    if kept:
        text = writer.call("sum", text, f"axis={_axes(kept)}", "keepdims=True")
    left = [1 if axis in axes else length for axis, length in enumerate(term.shape) if axis not in lost]
    return Term(text, tuple(left))


def _axes(axes: Sequence[int]) -> str:
    return str(axes[0] if len(axes) == 1 else tuple(axes))


def restored_axes(term: Term, reduced: Sequence[int], ndim: int) -> Term:
    """The result of a reduction with the removed axes restored."""
    kept = [a for a in range(ndim) if a not in reduced]
    own = kept[len(kept) - len(term.shape) :]
    if not own or own == list(range(own[0], ndim)):
        return term
    axes = range(own[0], ndim)
    lengths = dict(zip(own, term.shape, strict=True))
    key = ", ".join(":" if a in lengths else "None" for a in axes)
    return Term(subscripted(term.text, key), tuple(lengths.get(a, 1) for a in axes))


def masked(writer: Writer, term: Term, kept: Any) -> Term | None:
    """A term set to 0 at the places that are not kept; None if none is kept."""
    if not np.any(kept) or np.all(kept):
        return term if np.all(kept) else None
    condition = mask_condition(writer, ~kept)
    text = writer.call("where", condition.text, "0", term.text)
    return Term(text, np.broadcast_shapes(condition.shape, term.shape))


def mask_condition(writer: Writer, mask: Any) -> Term:
    """A condition that is true where a mask is: as the statement writes it, on the indices along some axes if possible,
    else the mask itself.
    """
    if (written := writer.as_written(mask)) is not None:
        return Term(written, mask.shape)
    axes = range(mask.ndim)
    along = [np.any(mask, axis=tuple(a for a in axes if a != axis)) for axis in axes]
    product = np.ones((), bool)
    for line in along:
        product = product[..., None] & line
    if not np.array_equal(product, mask):
        literal_mask = str(mask.tolist()) if mask.size <= MOST_NUMBERS else writer.constant(mask)[0]
        return Term((literal_mask, ATOM), mask.shape)
    terms = [_along(writer, line, mask.ndim - 1 - axis) for axis, line in enumerate(along) if not np.all(line)]
    condition = terms[0]
    for term in terms[1:]:
        condition = Term(AND.write([condition.text, term.text]), np.broadcast_shapes(condition.shape, term.shape))
    return condition


def _along(writer: Writer, line: Any, behind: int) -> Term:
    """A condition on the index along one axis that is followed by `behind` others."""
    (places,) = np.nonzero(line)
    shape = (line.size, *(1,) * behind)
    index, _ = writer.call("arange", str(line.size))
    index += f"[:{', None' * behind}]" if behind else ""
    first, last, step = int(places[0]), int(places[-1]), int(np.diff(places).min()) if places.size > 1 else 1
    if first == last:
        return Term((f"{index} == {first}", COMPARISON), shape)
    if not np.array_equal(places, np.arange(first, last + 1, step)):
        return Term(writer.call("isin", index, writer.key(places)), shape)
    parts: list[Piece] = [(f"{index} >= {first}", COMPARISON)] if first >= step else []
    parts += [(f"{index} <= {last}", COMPARISON)] if last + step < line.size else []
    parts += [(f"{index} % {step} == {first % step}", COMPARISON)] if step > 1 else []
    text = parts[0]
    for part in parts[1:]:
        text = AND.write([text, part])
    return Term(text, shape)


def divided(term: Term, count: int) -> Term:
    """A term divided by an integer."""
    if count == 1:
        return term
    return term._replace(unsigned=OVER.write([term.unsigned, literal(count)]))
