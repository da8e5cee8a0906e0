"""The text of a formula in a target language, with no more brackets than necessary."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType

from gradcli.mathematics.language.constant_limits import as_computed
from gradcli.mathematics.language.syntax import LIST, Apply, Name, Number, Syntax, fold, is_element, walk
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.shared.frozen_record import Frozen

CONDITIONAL, OR, AND, NOT, COMPARISON, SUM, PRODUCT, SIGN, POWER, ATOM = range(1, 11)
"""Levels of operator precedence, the same in Python and C."""

Piece = tuple[str, int]
"""Text and its precedence."""


class Inline(Frozen):
    """The inline form of a function: a pattern such as `{0} * {1}`, its precedence, and that of its arguments."""

    pattern: str
    binding: int
    needs: tuple[int, ...]

    def write(self, arguments: list[Piece]) -> Piece:
        """The pattern with its arguments, each in brackets if its precedence is too low."""
        parts = [text if has >= need else f"({text})" for (text, has), need in zip(arguments, self.needs, strict=True)]
        return self.pattern.format(*parts), self.binding


def left_associative(symbol: str, binding: int) -> Inline:
    """A left-associative binary operator."""
    return Inline("{0} " + symbol + " {1}", binding, (binding, binding + 1))


def comparison(symbol: str) -> Inline:
    """A comparison operator. A nested comparison gets brackets, because Python would chain the two."""
    return Inline("{0} " + symbol + " {1}", COMPARISON, (SUM, SUM))


def call(function: str, arguments: list[Piece]) -> Piece:
    """`function(a, b)`."""
    return f"{function}({', '.join(text for text, _ in arguments)})", ATOM


def literal(value: int | float) -> Piece:
    """A number as a Python literal. Infinity and nan are names."""
    if isinstance(value, float) and not math.isfinite(value):
        text = "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    else:
        text = repr(as_computed(value))
    return text, SIGN if text.startswith("-") else ATOM


class Emitter(Frozen):
    """A target language: the functions that it writes inline. All others become calls.

    Args:
        inline: the inline forms by canonical name.
        power: the inline form of a power with a small integer exponent, or None for a call.
        square_by_product: write the square of a name as a product, which never raises.
        number: writes a number.
        call: writes a call.
        names: the names of functions in calls, if they differ from the canonical ones.
    """

    inline: Mapping[str, Inline]
    power: Inline | None = None
    square_by_product: bool = False
    number: Callable[[int | float], Piece] = literal
    call: Callable[[str, list[Piece]], Piece] = call
    names: Mapping[str, str] = MappingProxyType({})

    def apply(self, node: Apply, arguments: list[Piece]) -> Piece:
        """The text of one function, given the texts of its arguments."""
        if node.function == LIST:
            return f"[{', '.join(text for text, _ in arguments)}]", ATOM
        if is_element(node.function):
            (text, binding), *_ = arguments
            return (text if binding == ATOM else f"({text})") + node.function, ATOM
        if node.function == "pow" and (inline := self._whole_power(node)):
            return inline.write(arguments)
        if node.function in self.inline:
            return self.inline[node.function].write(arguments)
        return self.call(self.names.get(node.function, node.function), arguments)

    def _whole_power(self, node: Apply) -> Inline | None:
        base, exponent = node.arguments
        if not isinstance(exponent, Number) or not isinstance(exponent.value, int) or not 0 <= exponent.value < 100:
            return None
        if self.square_by_product and exponent.value == 2 and isinstance(base, Name):
            return _PRODUCT_OF_ITSELF
        return self.power


_PRODUCT_OF_ITSELF = Inline("{0} * {0}", PRODUCT, (ATOM, CONDITIONAL))
_POWER = Inline("{0} ** {1}", POWER, (ATOM, SIGN))
_ARITHMETIC = {
    "neg": Inline("-{0}", SIGN, (SIGN,)),
    "pos": Inline("+{0}", SIGN, (SIGN,)),
    "add": left_associative("+", SUM),
    "sub": left_associative("-", SUM),
    "mul": left_associative("*", PRODUCT),
}
_DIVISION = {
    "div": left_associative("/", PRODUCT),
    "floordiv": left_associative("//", PRODUCT),
    "mod": left_associative("%", PRODUCT),
}
_COMPARISONS = {
    name: comparison(symbol)
    for name, symbol in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items()
}
_LOGIC = {
    "logical_and": left_associative("and", AND),
    "logical_or": left_associative("or", OR),
    "logical_not": Inline("not {0}", NOT, (NOT,)),
}
# Only the selected side runs, as in Python. Always in brackets, which it needs in every context.
_CHOICE = {"where": Inline("({1} if {0} else {2})", ATOM, (OR, OR, CONDITIONAL))}

PLAIN = Emitter({**_ARITHMETIC, **_DIVISION, **_COMPARISONS, **_LOGIC, **_CHOICE}, power=_POWER)
"""Python source for Python numbers, with Python's exceptions."""

# The second side runs only if the first does not decide: what it compares would be recorded as an outcome.
_LAZY = {
    "logical_and": Inline("(not not {1} if {0} else False)", ATOM, (OR, NOT)),
    "logical_or": Inline("(True if {0} else not not {1})", ATOM, (OR, NOT)),
}

CALLS = Emitter({**_ARITHMETIC, **_COMPARISONS, **_LAZY, **_CHOICE}, square_by_product=True)
"""Python source for Python numbers that never raises, with `float_functions.IEEE`: what could raise is a call."""

ARRAY = Emitter({**_ARITHMETIC, **_DIVISION, **_COMPARISONS, "pow": _POWER})
"""Python source for arrays, with `numpy_like_functions.functions`: operators inline, all else calls."""


_CHEAP = {"where", *_LOGIC}


class _ForSlopes(Emitter):
    def apply(self, node: Apply, arguments: list[Piece]) -> Piece:
        within = [x for side in node.arguments[1:] for x in walk(side)] if node.function == "where" else []
        if not any(isinstance(x, Apply) and x.function not in self.inline.keys() | _CHEAP for x in within):
            return super().apply(node, arguments)
        (condition, _), *sides = arguments
        names = ", ".join(dict.fromkeys(x.id for x in within if isinstance(x, Name) and x.id not in CONSTANTS))
        return f"where({condition}, {', '.join(f'lambda {names}: {text}' for text, _ in sides)}, {names})", ATOM


SLOPES = _ForSlopes(ARRAY.inline)
"""The same for partials, in which a side of a choice that calls functions runs on the elements that choose it alone."""


def emit(tree: Syntax, target: Emitter) -> str:
    """The text of `tree` in the language of `target`."""

    def leaf(node: Number | Name) -> Piece:
        return (node.id, ATOM) if isinstance(node, Name) else target.number(node.value)

    return fold(tree, leaf, target.apply)[0]


def used_functions(tree: Syntax) -> set[str]:
    """The canonical names of the functions that `tree` uses."""
    return {node.function for node in walk(tree) if isinstance(node, Apply)}
