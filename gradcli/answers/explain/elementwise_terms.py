"""The contributions of elementwise nodes as text: the partial in the user's names, times the incoming sensitivity.

The texts are written from the rules that computed the numbers. If a partial depends on a condition, only the side taken
at the point is written. Factors of 1 are omitted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.explain.argument_uses import ArgumentUse, is_complex, shape_of
from gradcli.answers.explain.array_operation_text import OVER, TIMES, bracketed
from gradcli.answers.explain.node_formulas import POW, emitter
from gradcli.answers.explain.numpy_names_and_constants import Writer
from gradcli.answers.explain.shaped_terms import ONE, ZERO, Term, minus
from gradcli.engine.traces.node import CONSTANT, TraceNode
from gradcli.mathematics.language.formula_text import ATOM, PRODUCT, Emitter, Piece, literal
from gradcli.mathematics.language.syntax import Apply, Name, Number, Syntax, fold
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules.compiled_formulas import ARRAY_FUNCTIONS, IEEE_FUNCTIONS
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.float_errors import ignored_float_errors

LONGEST_NUMBER = 8  # characters of a number computed from constants; longer ones are written as the computation


class PartialText(NamedTuple):
    """A part of a partial: its text, and its value at the point.

    Attributes:
        unsigned: the text without its sign.
        value: the value, with its sign.
        is_negative: whether the text has a minus sign.
        is_number: whether the text is a literal number.
        quotient: the texts of the numerator and of the denominator, if it is a quotient.
        condition: the condition of a part that is 1 or 0 by it.
        is_one: whether such a part is 1 where the condition holds, and 0 elsewhere.
    """

    unsigned: Piece
    value: Any
    is_negative: bool = False
    is_number: bool = False
    quotient: tuple[Piece, Piece] | None = None
    condition: Piece | None = None
    is_one: bool = True

    @property
    def text(self) -> Piece:
        """The text with its sign."""
        return minus(self.unsigned) if self.is_negative else self.unsigned

    def conjugate(self, writer: Writer) -> PartialText:
        """The conjugate of a complex part."""
        value = np.conj(self.value)
        text = writer.constant(_short(value)) if self.is_number else writer.call("conj", self.text)
        return PartialText(text, value, is_number=self.is_number)


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
        factor = factor.conjugate(writer)
    if rule.selects and factor.is_number and not factor.value:
        return Term(ZERO) if use.full else None
    shape = np.broadcast_shapes(shape_of(factor.value), other.shape)
    if factor.condition and not factor.is_negative:
        sides = (other.text, "0") if factor.is_one else ("0", other.text)
        return Term(writer.call("where", factor.condition, *sides), shape)
    term = Term(product_text(factor, other), shape, factor.is_negative != other.is_negative)
    if not back and not np.all(np.isfinite(factor.value)):  # elements that do not move must not contribute
        return Term(writer.call("where", f"{bracketed(other.text)} != 0", term.text, "0"), shape)
    return term


def product_text(factor: PartialText, ct: Term) -> Piece:
    """The product of a partial and a sensitivity without signs; 1 is omitted, and `1 / y` becomes a division."""
    if factor.is_number and np.ndim(factor.value) == 0 and factor.value in (1, -1):
        return ct.unsigned
    if ct.unsigned == ONE:
        return factor.unsigned
    if factor.quotient and factor.quotient[0] == ONE:
        return OVER.write([ct.unsigned, factor.quotient[1]])
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
    parts = zip(rule.parameters, operands, node.operands, node.sources, strict=True)
    names = {name: _operand(text, value, source == CONSTANT) for name, text, value, source in parts}
    is_quotient = len(operands) == 2 and use.v == OVER.write([*operands])
    names["v"] = PartialText(use.v, node.value, quotient=(operands[0], operands[1]) if is_quotient else None)
    functions = ARRAY_FUNCTIONS if node.is_of_arrays else IEEE_FUNCTIONS
    folding = _Folding(writer, names, functions)
    with ignored_float_errors():
        return fold(_tree(rule, use.position, node), folding.leaf, folding.apply)


def _operand(text: Piece, value: Any, is_constant: bool) -> PartialText:
    is_number = is_constant and np.ndim(value) == 0 and is_literal(text[0])
    is_real = is_number and not np.iscomplexobj(value)
    return _number(np.asarray(value).item()) if is_real else PartialText(text, value, is_number=is_number)


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

    def leaf(self, node: Number | Name) -> PartialText:
        """A number, an argument, or a constant such as pi."""
        if isinstance(node, Number):
            return _number(node.value)
        if node.id in self.names:
            return self.names[node.id]
        if node.id == "tau":  # NumPy has no such name
            return PartialText(TIMES.write([literal(2), (self.writer.function("pi"), ATOM)]), CONSTANTS["tau"])
        return PartialText((self.writer.function(node.id), ATOM), CONSTANTS[node.id])

    def apply(self, node: Apply, parts: list[PartialText]) -> PartialText:
        """A function with its arguments, simplified where possible."""
        if node.function == "where" and (np.all(parts[0].value) or not np.any(parts[0].value)):
            return parts[1] if np.all(parts[0].value) else parts[2]
        value = self.functions[node.function](*(part.value for part in parts))
        is_number = all(part.is_number for part in parts)
        if is_number and (number := self.computed(node.function, value)) is not None:
            return number
        if node.function == "neg":
            return parts[0]._replace(value=value, is_negative=not parts[0].is_negative)
        is_negative = False
        if node.function in ("mul", "div"):
            is_negative = parts[0].is_negative != parts[1].is_negative
            parts = [part._replace(is_negative=False) for part in parts]
        if (same := _neutral(node.function, parts)) is not None:
            return same._replace(value=value, is_negative=is_negative or same.is_negative)
        return self.written(node, parts, value)._replace(is_number=is_number, is_negative=is_negative)

    def computed(self, function: str, value: Any) -> PartialText | None:
        """A number computed from numbers; None if the computation is the better text, as for a quotient."""
        number = _short(value)
        if isinstance(number, complex):
            return PartialText(self.writer.constant(number), value, is_number=True)
        is_short = isinstance(number, int) or (function != "div" and len(repr(number)) <= LONGEST_NUMBER)
        return _number(number) if is_short else None

    def written(self, node: Apply, parts: list[PartialText], value: Any) -> PartialText:
        """A function of parts without signs."""
        texts = [part.text for part in parts]
        upper, lower = parts[0].quotient or (texts[0], None)
        if node.function == "div" and lower == texts[1]:  # (a / b) / b
            return _quotient(upper, _squared(texts[1]), value)
        if node.function == "div":
            return _quotient(texts[0], texts[1], value)
        if node.function == "square" and lower and upper == ONE:
            return _quotient(ONE, _squared(lower), value)
        if node.function == "square":
            return PartialText(_squared(texts[0]), value)
        made = PartialText(self.emitter.apply(node, texts), value)
        if node.function == "where" and all(part.is_number for part in parts[1:]):
            sides = parts[1].value, parts[2].value
            return made._replace(condition=texts[0], is_one=sides == (1, 0)) if sides in ((1, 0), (0, 1)) else made
        return made


def _squared(text: Piece) -> Piece:
    return POW.write([text, literal(2)])


def _number(value: float) -> PartialText:
    """A literal number."""
    return PartialText(literal(-value if value < 0 else value), float(value), value < 0, is_number=True)


def _short(value: Any) -> int | float | complex:
    """A number as a user would type it: 4 rather than 4.0."""
    if np.imag(value):
        return complex(value) + 0  # avoids a minus sign before a zero
    number = float(np.real(value))
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _neutral(function: str, parts: list[PartialText]) -> PartialText | None:
    """The remaining part if the other has no effect, as in `1 * x` or `x ** 1`; else None."""
    one = [part.is_number and np.ndim(part.value) == 0 and part.value == 1 for part in parts]
    if function == "mul" and any(one):
        return parts[1] if one[0] else parts[0]
    return parts[0] if function in ("pow", "div") and one[1] else None


def _quotient(numerator: Piece, denominator: Piece, value: Any) -> PartialText:
    return PartialText(OVER.write([numerator, denominator]), value, quotient=(numerator, denominator))
