"""The contributions of elementwise nodes as text: the partial in the user's names, times the incoming sensitivity.

The texts are written from the rules that computed the numbers. If a partial depends on a condition, only the side taken
at the point is written. Factors of 1 are omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.explain.array_operation_text import OVER, TIMES, bracketed
from gradcli.answers.explain.node_formulas import POW, emitter
from gradcli.answers.explain.numpy_names_and_constants import Writer
from gradcli.answers.explain.shaped_terms import ONE, ZERO, Term, minus, signed
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.mathematics.language.formula_text import ATOM, PRODUCT, Emitter, Piece, literal
from gradcli.mathematics.language.syntax import Apply, Name, Number, Syntax, fold
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS, IEEE_FUNCTIONS
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.float_errors import ignored_float_errors

LONGEST_NUMBER = 8  # characters of a number computed from constants; longer ones are written as the computation


class PartialText(NamedTuple):
    """A part of a partial: its text, its value at the point, and whether it is a literal number.

    `choice` is the condition of a part that is 1 where it holds and 0 elsewhere, or the reverse; `magnitude` is the
    text without its leading minus sign; `over` has the numerator and the denominator of a quotient.
    """

    text: Piece
    value: Any
    plain: bool = False
    choice: tuple[Piece, bool] | None = None
    magnitude: Piece | None = None
    over: tuple[Piece, Piece] | None = None

    @property
    def unsigned(self) -> Piece:
        """The text without a minus sign."""
        return self.magnitude or self.text

    def signed(self, negative: bool) -> PartialText:
        """The part, or its negative."""
        return self._replace(text=minus(self.text), magnitude=self.text) if negative else self


class ArgumentUse(NamedTuple):
    """One use of an argument by a node.

    Attributes:
        node: the node.
        position: the position of the argument.
        operands, v: the texts of the arguments and of the result.
    """

    node: TraceNode
    position: int
    operands: Sequence[Piece]
    v: Piece

    @property
    def full(self) -> tuple[int, ...]:
        """The shape of the result."""
        return _shape(self.node.value)

    @property
    def wanted(self) -> tuple[int, ...]:
        """The shape of the argument."""
        return _shape(self.node.operands[self.position])

    @property
    def static(self) -> Any:
        """The static arguments of the operation."""
        return self.node.static

    @property
    def reduced(self) -> tuple[int, ...]:
        """The axes of the argument that a reduction removes."""
        axis, ndim = self.static["axis"], len(self.wanted)
        if self.static["keepdims"] or not ndim:
            return ()
        axes = range(ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        return tuple(a % ndim for a in axes)


def scaled_by_partial(writer: Writer, use: ArgumentUse, other: Term, *, back: bool = False) -> Term | None:
    """The text of a partial times a sensitivity or a tangent; None if the argument was not selected.

    The sensitivity to a complex number is the conjugate of the derivative by it, so on the way back a complex partial
    is conjugated.
    """
    rule = use.node.rule
    if rule is None:  # an alias
        return other
    factor = partial(writer, use)
    if back and is_complex(factor.value):
        factor = _conjugate(writer, factor)
    if rule.selects and factor.plain and not factor.value:
        return Term(ZERO) if use.full else None
    own = _shape(factor.value)
    shape = np.broadcast_shapes(own, other.shape) if own or other.shape else ()
    if factor.choice:
        condition, otherwise = factor.choice
        sides = ("0", other.text) if otherwise else (other.text, "0")
        return Term(writer.call("where", condition, *sides), shape)
    term = signed(product_text(factor, other), shape, bool(factor.magnitude) != bool(other.magnitude))
    if not back and not np.all(np.isfinite(factor.value)):  # elements that do not move must not contribute
        return Term(writer.call("where", f"{bracketed(other.text)} != 0", term.text, "0"), shape)
    return term


def is_complex(value: Any) -> bool:
    """Whether a number or an array is complex."""
    return type(value) is not float and bool(np.iscomplexobj(value))


def _shape(value: Any) -> tuple[int, ...]:
    return () if type(value) is float else np.shape(value)


def _conjugate(writer: Writer, part: PartialText) -> PartialText:
    value = np.conj(part.value)
    text = writer.constant(_short(value)) if part.plain else writer.call("conj", part.text)
    return PartialText(text, value, part.plain)


def product_text(factor: PartialText, ct: Term) -> Piece:
    """The product of a partial and a sensitivity without signs; 1 is omitted, and `1 / y` becomes a division."""
    if factor.plain and np.ndim(factor.value) == 0 and factor.value in (1, -1):
        return ct.unsigned
    if ct.unsigned == ONE:
        return factor.unsigned
    if factor.over and factor.over[0] == ONE:
        return OVER.write([ct.unsigned, factor.over[1]])
    if ct.unsigned[1] == PRODUCT and ct.unsigned[0].startswith("1 / ") and " @ " not in ct.unsigned[0]:
        return OVER.write([factor.unsigned, (ct.unsigned[0][4:], ATOM)])
    text, binding = ct.unsigned
    is_product = binding == PRODUCT and not any(sign in text for sign in (" @ ", " // ", " % "))
    is_chain = is_product and " / " not in factor.unsigned[0]  # brackets after a division keep its end in sight
    return TIMES.write([factor.unsigned, (text, ATOM) if is_chain else ct.unsigned])


def partial(writer: Writer, use: ArgumentUse) -> PartialText:
    """The partial of an elementwise node by one argument, in the names of the operands."""
    node, rule, operands = use.node, use.node.rule, use.operands
    assert isinstance(rule, Elementwise)
    names = {name: PartialText(*texts) for name, *texts in zip(rule.parameters, operands, node.operands, strict=True)}
    names = {name: _constant(part, node.sources[n]) for n, (name, part) in enumerate(names.items())}
    is_quotient = len(operands) == 2 and use.v == OVER.write([*operands])
    names["v"] = PartialText(use.v, node.value, over=(operands[0], operands[1]) if is_quotient else None)
    functions = ARRAY_FUNCTIONS if node.is_of_arrays else IEEE_FUNCTIONS
    return _Folding(writer, names, functions).folded(_tree(rule, use.position, node))


def _constant(part: PartialText, index: int) -> PartialText:
    return part._replace(plain=index == CONSTANT and np.ndim(part.value) == 0 and is_literal(part.text[0]))


def is_literal(text: str) -> bool:
    """Whether a text is a number, and not the name of one or a computation."""
    try:
        return bool(complex(text.strip("()")) is not None)
    except ValueError:
        return text.strip("-()") in {"inf", "nan"}


def _tree(rule: Elementwise, position: int, node: TraceNode) -> Syntax:
    """The partial as syntax; for a constant last argument, the version that is written for it."""
    is_constant = node.sources[-1] == CONSTANT and np.ndim(node.operands[-1]) == 0
    slopes = rule.slopes_at.get(np.asarray(node.operands[-1]).item(), rule.slopes) if is_constant else rule.slopes
    tree = slopes.trees[position]
    assert tree is not None
    return tree


class _Folding:
    """Writes a partial as text while computing its value."""

    def __init__(
        self, writer: Writer, names: Mapping[str, PartialText], functions: Mapping[str, Callable[..., Any]]
    ) -> None:
        self.writer, self.names, self.functions = writer, names, functions
        self.emitter: Emitter = emitter(writer)

    def folded(self, tree: Syntax) -> PartialText:
        """The text and the value of a partial."""
        with ignored_float_errors():
            return fold(tree, self.leaf, self.apply)

    def leaf(self, node: Number | Name) -> PartialText:
        """A number, an argument, or a constant such as pi."""
        if isinstance(node, Number):
            return _number(node.value)
        if node.id in self.names:
            part = self.names[node.id]
            return _number(np.asarray(part.value).item()) if part.plain and _is_real(part.value) else part
        if node.id == "tau":  # NumPy has no such name
            return PartialText(TIMES.write([literal(2), (self.writer.function("pi"), ATOM)]), CONSTANTS["tau"])
        return PartialText((self.writer.function(node.id), ATOM), CONSTANTS[node.id])

    def apply(self, node: Apply, parts: list[PartialText]) -> PartialText:
        """A function with its arguments, simplified where possible."""
        if node.function == "where" and (np.all(parts[0].value) or not np.any(parts[0].value)):
            return parts[1] if np.all(parts[0].value) else parts[2]
        value = self.functions[node.function](*(part.value for part in parts))
        if all(part.plain for part in parts) and (text := self.computed(node.function, value)) is not None:
            return text
        if node.function == "neg":
            return parts[0]._replace(text=parts[0].unsigned, value=value, magnitude=None).signed(not parts[0].magnitude)
        negative = False
        if node.function in ("mul", "div"):
            negative = bool(parts[0].magnitude) != bool(parts[1].magnitude)
            parts = [part._replace(text=part.unsigned, magnitude=None) for part in parts]
        if (same := _neutral(node.function, parts)) is not None:
            return same._replace(value=value).signed(negative)
        return self.written(node, parts, value)._replace(plain=all(part.plain for part in parts)).signed(negative)

    def computed(self, function: str, value: Any) -> PartialText | None:
        """A number computed from numbers; None if the computation is the better text, as for a quotient."""
        number = _short(value)
        if isinstance(number, complex):
            return PartialText(self.writer.constant(number), value, plain=True)
        is_told = isinstance(number, int) or (function != "div" and len(repr(number)) <= LONGEST_NUMBER)
        return _number(number) if is_told else None

    def written(self, node: Apply, parts: list[PartialText], value: Any) -> PartialText:
        """A function of parts without signs."""
        texts = [part.text for part in parts]
        if node.function == "div":
            upper, lower = texts
            if parts[0].over and parts[0].over[1] == lower:
                upper, lower = parts[0].over[0], POW.write([lower, literal(2)])
            return PartialText(OVER.write([upper, lower]), value, over=(upper, lower))
        if node.function == "square":
            if parts[0].over and parts[0].over[0] == ONE:
                lower = POW.write([parts[0].over[1], literal(2)])
                return PartialText(OVER.write([ONE, lower]), value, over=(ONE, lower))
            return PartialText(POW.write([texts[0], literal(2)]), value)
        choice = None
        if node.function == "where" and all(part.plain for part in parts[1:]):
            sides = parts[1].value, parts[2].value
            choice = (texts[0], sides == (0, 1)) if sides in ((1, 0), (0, 1)) else None
        return PartialText(self.emitter.apply(node, texts), value, choice=choice)


def _number(value: float) -> PartialText:
    """A literal number with its sign separated."""
    if value < 0:
        return PartialText(literal(value), float(value), plain=True, magnitude=literal(-value))
    return PartialText(literal(value), float(value), plain=True)


def _is_real(value: Any) -> bool:
    return not np.ndim(value) and not np.iscomplexobj(value)


def _short(value: Any) -> int | float | complex:
    """A number as a user would type it: 4 rather than 4.0."""
    if np.imag(value):
        return complex(value) + 0  # avoids a minus sign before a zero
    number = float(np.real(value))
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _neutral(function: str, parts: list[PartialText]) -> PartialText | None:
    """The remaining part if the other has no effect, as in `1 * x` or `x ** 1`; else None."""
    one = [part.plain and np.ndim(part.value) == 0 and part.value == 1 for part in parts]
    if function == "mul" and any(one):
        return parts[1] if one[0] else parts[0]
    return parts[0] if function in ("pow", "div") and one[1] else None
