"""Formulas of the rule table as Python expressions, on numbers and on arrays."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from gradcli.answers.derivation.syntax_trees import expression
from gradcli.errors import UnsupportedError
from gradcli.mathematics.language.formula_text import (
    ARRAY,
    ATOM,
    PLAIN,
    SIGN,
    Emitter,
    Inline,
    Piece,
    literal,
    used_functions,
)
from gradcli.mathematics.language.numpy_like_functions import NUMPY_NAMES, SPECIAL_NAMES
from gradcli.mathematics.language.syntax import LIST, Apply, Name, Number, Syntax, fold, is_element
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise

# The functions of the formula language on Python numbers, except for operators.
_MATH = """
    exp expm1 log2 log10 log1p sqrt cbrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc gamma
    lgamma degrees radians floor ceil trunc atan2 hypot copysign fmod remainder exp2
"""
SCALAR_CALLS = {
    **{word: f"math.{word}" for word in _MATH.split()},
    **{"log": "math.log", "abs": "abs", "round": "round", "maximum": "max", "minimum": "min"},
    **{word: f"np.{word}" for word in ("logaddexp", "logaddexp2", "sinc", "heaviside", "clip", "fmax", "fmin")},
    **{"digamma": "special.digamma", "polygamma": "special.polygamma"},
}
ARRAY_CALLS = {
    **{word: f"np.{theirs}" for word, theirs in {"log": "log", **NUMPY_NAMES}.items()},
    **{word: f"special.{theirs}" for word, theirs in {"polygamma": "polygamma", **SPECIAL_NAMES}.items()},
}
_SQUARE = Inline("{0} ** 2", 9, (ATOM,))
_SCALAR = PLAIN.changed(
    inline={
        **PLAIN.inline,
        "square": _SQUARE,
        "sign": Inline("(math.copysign(1.0, {0}) if {0} != 0 else 0.0)", ATOM, (ATOM,)),
        "reciprocal": Inline("1 / {0}", 7, (SIGN,)),
        "pow": Inline("{0} ** {1}", 9, (ATOM, SIGN)),
    },
    names=SCALAR_CALLS,
)
_ARRAY = ARRAY.changed(
    inline={
        **ARRAY.inline,
        "square": _SQUARE,
        "reciprocal": Inline("1 / {0}", 7, (SIGN,)),
        "remainder": Inline("{0} - {1} * np.rint({0} / {1})", 6, (ATOM, ATOM)),
    },
    names=ARRAY_CALLS,
)
# By whether the names are arrays: what writes a formula, and the functions that it writes
_EMITTERS: dict[bool, tuple[Emitter, set[str]]] = {
    False: (_SCALAR, {*SCALAR_CALLS, *_SCALAR.inline, "pow"}),
    True: (_ARRAY, {*ARRAY_CALLS, *_ARRAY.inline, "pow"}),
}


def python_formula(
    tree: Syntax,
    names: Mapping[str, ast.expr],
    on_arrays: bool,
    called: Mapping[str, str] = MappingProxyType({}),
) -> ast.expr:
    """A formula as Python, with its names replaced by expressions. The functions in `called` have names in Python.

    Raises:
        UnsupportedError: a function in the formula has no source form.
    """
    emitter, known = _EMITTERS[on_arrays]
    places = {name: f"_{n}_" for n, name in enumerate(names)}

    def leaf(node: Number | Name) -> Piece:
        if isinstance(node, Number):
            return literal(node.value)
        if node.id in names:
            return places[node.id], ATOM
        return f"{'np' if on_arrays and hasattr(np, node.id) else 'math'}.{node.id}", ATOM  # there is no np.tau

    def apply(node: Apply, arguments: list[Piece]) -> Piece:
        if node.function != LIST:
            lists = [isinstance(item, Apply) and item.function == LIST for item in node.arguments]
            arguments = [(f"np.array({x[0]})", ATOM) if lists[n] else x for n, x in enumerate(arguments)]
        if node.function in called:
            return f"{called[node.function]}({', '.join(text for text, _ in arguments)})", ATOM
        if node.function in known or is_element(node.function) or node.function == LIST:
            return emitter.apply(node, arguments)
        rule = RULES.get(node.function)
        if isinstance(rule, Elementwise) and rule.special and not rule.special.startswith("_"):
            return _of_scipy(rule.special, arguments)
        if not isinstance(rule, Elementwise) or rule.word == node.function:
            raise UnsupportedError(f"the function {node.function} has no written form")
        pieces = dict(zip(rule.parameters, arguments, strict=True))

        def operand(node: Number | Name) -> Piece:
            return pieces[node.id] if isinstance(node, Name) and node.id in pieces else leaf(node)

        return fold(rule.value_tree, operand, apply)

    text = fold(tree, leaf, apply)[0]
    return expression(text, **{places[name]: value for name, value in names.items()})


def rules_by_formula(tree: Syntax, on_arrays: bool) -> dict[str, Elementwise]:
    """The functions in a formula that only a formula of other functions defines, with their rules."""
    _, known = _EMITTERS[on_arrays]
    rules = {word: RULES.get(word) for word in used_functions(tree) if word not in known}
    return {word: rule for word, rule in rules.items() if isinstance(rule, Elementwise) and not rule.special}


def _of_scipy(function: str, arguments: list[Piece]) -> Piece:
    """A call of a function of `scipy.special`; `airy:2` is the third result of `airy`."""
    theirs, _, part = function.partition(":")
    text = f"special.{theirs}({', '.join(argument for argument, _ in arguments)})"
    return (f"{text}[{part}]" if part else text), ATOM
