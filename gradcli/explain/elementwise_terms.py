"""What an elementwise node passes on, as text: the partial with the user's names put in, times what comes in.

The texts are written from the very rules that computed the numbers.  Where a partial chooses by a condition that is
settled at the point, the side that was taken is written; factors of 1 are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.explain.array_formulas import MINUS, TIMES, bracketed
from gradcli.explain.formulas import POW, emitter
from gradcli.explain.numpy_spelling import Writer
from gradcli.explain.shape_text import ONE, Term
from gradcli.language.formula_text import ATOM, Emitter, Piece, literal
from gradcli.language.syntax import Apply, Name, Number, Syntax, fold
from gradcli.language.vocabulary import CONSTANTS
from gradcli.rules.rule_types import IEEE_FUNCTIONS, Elementwise, array_functions
from gradcli.traces.node import CONSTANT, TraceNode


class Part(NamedTuple):
    """A part of a partial: its text, its value at the point, and whether it is a number that was written out.

    `choice` is the condition of a part that is 1 where it holds and 0 elsewhere, or the other way round.
    """

    text: Piece
    value: Any
    plain: bool = False
    choice: tuple[Piece, bool] | None = None


class Use(NamedTuple):
    """One use of an argument by a node.

    Attributes:
        node: the node.
        position: which of its arguments it is.
        operands, v: the arguments and the result as text.
    """

    node: TraceNode
    position: int
    operands: Sequence[Piece]
    v: Piece

    @property
    def full(self) -> tuple[int, ...]:
        """The shape of the result."""
        return np.shape(self.node.value)

    @property
    def wanted(self) -> tuple[int, ...]:
        """The shape of the argument."""
        return np.shape(self.node.operands[self.position])

    @property
    def static(self) -> Any:
        """The choices of the operation."""
        return self.node.static

    @property
    def reduced(self) -> tuple[int, ...]:
        """The axes of the argument that a reduction took away."""
        axis, ndim = self.static["axis"], len(self.wanted)
        if self.static["keepdims"] or not ndim:
            return ()
        axes = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        return tuple(a % ndim for a in axes)


def scaled(writer: Writer, use: Use, other: Term, *, back: bool = False) -> Term | None:
    """The partial of a node by an argument times a sensitivity, or times a tangent; None where it was not taken.

    The sensitivity on a complex number is the conjugate of the derivative by it, so that what a complex partial passes
    back is multiplied by its conjugate.
    """
    rule = use.node.rule
    if rule is None:  # an alias
        return other
    factor = partial(writer, use)
    if back and is_complex(factor.value):
        factor = _conjugate(writer, factor)
    if rule.selects and factor.plain and not factor.value:
        return None
    shape = np.broadcast_shapes(np.shape(factor.value), other.shape)
    if factor.choice:
        condition, otherwise = factor.choice
        sides = ("0", other.text) if otherwise else (other.text, "0")
        return Term(writer.call("where", condition, *sides), shape)
    text = times(factor, other.text)
    if not back and not np.all(np.isfinite(factor.value)):  # what stands still takes no part
        text = writer.call("where", f"{bracketed(other.text)} != 0", text, "0")
    return Term(text, shape)


def is_complex(value: Any) -> bool:
    """Whether a number or an array is complex."""
    return bool(np.iscomplexobj(value))


def _conjugate(writer: Writer, part: Part) -> Part:
    value = np.conj(part.value)
    text = writer.constant(_short(value)) if part.plain else writer.call("conj", part.text)
    return part._replace(text=text, value=value)


def times(factor: Part, ct: Piece) -> Piece:
    """A partial times a sensitivity, ones left out."""
    if factor.plain and np.ndim(factor.value) == 0 and factor.value in (1, -1):
        return ct if factor.value == 1 else MINUS.write([ct])
    return factor.text if ct == ONE else TIMES.write([factor.text, ct])


def partial(writer: Writer, use: Use) -> Part:
    """The partial of an elementwise node by one argument, in the names of the operands."""
    node, rule = use.node, use.node.rule
    assert isinstance(rule, Elementwise)
    names = {name: Part(*each) for name, *each in zip(rule.parameters, use.operands, node.operands, strict=True)}
    names = {name: _constant(part, node.sources[n]) for n, (name, part) in enumerate(names.items())}
    names["v"] = Part(use.v, node.value)
    functions = array_functions() if node.is_of_arrays else IEEE_FUNCTIONS
    return _Folding(writer, names, functions).folded(_tree(rule, use.position, node))


def _constant(part: Part, index: int) -> Part:
    return part._replace(plain=index == CONSTANT and np.ndim(part.value) == 0)


def _tree(rule: Elementwise, position: int, node: TraceNode) -> Syntax:
    """The partial as syntax; where the last argument is a constant, the one that is written for it."""
    is_constant = node.sources[-1] == CONSTANT and np.ndim(node.operands[-1]) == 0
    slopes = rule.slopes_at.get(np.asarray(node.operands[-1]).item(), rule.slopes) if is_constant else rule.slopes
    tree = slopes.trees[position]
    assert tree is not None
    return tree


class _Folding:
    """Writes a partial as a text, and computes it."""

    def __init__(self, writer: Writer, names: Mapping[str, Part], functions: Mapping[str, Callable[..., Any]]) -> None:
        self.writer, self.names, self.functions = writer, names, functions
        self.emitter: Emitter = emitter(writer)

    def folded(self, tree: Syntax) -> Part:
        """The text and the value of a partial."""
        with np.errstate(all="ignore"):
            return fold(tree, self.leaf, self.apply)

    def leaf(self, node: Number | Name) -> Part:
        """A number, an argument, or a constant such as pi."""
        if isinstance(node, Number):
            return Part(literal(node.value), float(node.value), plain=True)
        if node.id in self.names:
            return self.names[node.id]
        if node.id == "tau":  # NumPy has no such name
            return Part(TIMES.write([literal(2), (self.writer.function("pi"), ATOM)]), CONSTANTS["tau"])
        return Part((self.writer.function(node.id), ATOM), CONSTANTS[node.id])

    def apply(self, node: Apply, parts: list[Part]) -> Part:
        """One function with its arguments written, or what is left of it."""
        if node.function == "where" and np.ndim(parts[0].value) == 0:
            return parts[1] if parts[0].value else parts[2]
        value = self.functions[node.function](*(part.value for part in parts))
        if all(part.plain for part in parts):
            return Part(self.writer.constant(_short(value)), value, plain=True)
        if (same := _neutral(node.function, parts)) is not None:
            return same
        texts = [part.text for part in parts]
        choice = None
        if node.function == "where" and all(part.plain for part in parts[1:]):
            sides = parts[1].value, parts[2].value
            choice = (texts[0], sides == (0, 1)) if sides in ((1, 0), (0, 1)) else None
        written = POW.write([texts[0], literal(2)]) if node.function == "square" else self.emitter.apply(node, texts)
        return Part(written, value, choice=choice)


def _short(value: Any) -> int | float | complex:
    """A number as it would be typed: 4 rather than 4.0."""
    if np.imag(value):
        return complex(value) + 0  # no minus before a zero
    number = float(np.real(value))
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _neutral(function: str, parts: list[Part]) -> Part | None:
    """The part that is left where another one changes nothing: `1 * x`, `x ** 1`."""
    one = [part.plain and np.ndim(part.value) == 0 and part.value == 1 for part in parts]
    if function == "mul" and any(one):
        return parts[1] if one[0] else parts[0]
    return parts[0] if function in ("pow", "div") and one[1] else None
