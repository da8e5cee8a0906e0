"""Operators and functions of terms in C."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence
from itertools import pairwise

from gradcli.answers.derivation.intermediate.operation_derivatives import constant_of
from gradcli.answers.derivation.languages.c.terms import MATH, STOPPING, CTerm, infix, number
from gradcli.answers.derivation.languages.c.writer import CWriter
from gradcli.answers.derivation.syntax_trees import text_of
from gradcli.mathematics.language.formula_text import AND, COMPARISON, CONDITIONAL, OR, PRODUCT, SIGN, SUM

INFIX: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", SUM),
    ast.Sub: ("-", SUM),
    ast.Mult: ("*", PRODUCT),
}
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
}
ROUNDED = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint"}
OF_TWO = ("atan2", "arctan2", "hypot", "copysign", "fmod", "remainder", "pow", "power")
JOINT = {"logical_and": "&&", "logical_or": "||"}
FACTORS = {"radians": math.pi / 180.0, "degrees": 180.0 / math.pi}


def signed(operator: ast.unaryop, operand: CTerm) -> CTerm:
    """A term with a sign."""
    if isinstance(operator, ast.UAdd):
        return operand
    text = operand.within(SIGN)
    type_ = "double" if operand.type == "double" else "int"
    if isinstance(operator, ast.Not) or (isinstance(operator, ast.Invert) and operand.type == "truth"):
        return CTerm(f"!{text}", SIGN, "truth")
    if isinstance(operator, ast.Invert):
        return CTerm(f"~{text}", SIGN, type_)
    return CTerm(f"-({text})" if text.startswith("-") else f"-{text}", SIGN, type_)


def combined(node: ast.BinOp, left: CTerm, right: CTerm, writer: CWriter) -> CTerm:
    """Two terms combined by a Python operator."""
    operator, type_ = node.op, "double" if "double" in (left.type, right.type) else "int"
    if type(operator) in INFIX:
        symbol, binding = INFIX[type(operator)]
        return infix(symbol, left, right, binding, type_)
    if isinstance(operator, ast.Div):
        if type_ == "int":
            left = CTerm(f"{left.text}.0") if left.text.isdigit() else CTerm(f"(double){left.within(SIGN)}", SIGN)
        return infix("/", left, right, PRODUCT, "double")
    if isinstance(operator, ast.Pow):
        return power(left, right, constant_of(node.right), writer)
    if isinstance(operator, (ast.FloorDiv, ast.Mod)):
        is_whole = isinstance(operator, ast.FloorDiv)
        if type_ == "int":
            return whole_quotient(node, left, right, is_whole, writer)
        return writer.helper("floor_quotient" if is_whole else "modulo", left, right)
    raise writer.refuse(f"the operator in {text_of(node)}")


def whole_quotient(node: ast.BinOp, left: CTerm, right: CTerm, is_whole: bool, writer: CWriter) -> CTerm:
    """An integer quotient or remainder, which C rounds towards zero."""
    if id(node) in writer.sizes.below:
        return writer.helper("floor_div" if is_whole else "floor_mod", left, right, type_="int")
    return infix("/" if is_whole else "%", left, right, PRODUCT, "int")


def power(base: CTerm, exponent: CTerm, known: float | None, writer: CWriter) -> CTerm:
    """A power; a square is a product."""
    if known == 2:
        base = writer.once(base, "base")
        return CTerm(f"{base.text} * {base.text}", PRODUCT, base.type if base.type != "truth" else "int")
    return writer.call("pow", base, exponent)


def compared(
    operators: Sequence[ast.cmpop], terms: Sequence[CTerm], text: str, writer: CWriter, *, of_arrays: bool = False
) -> CTerm:
    """A comparison of two or more terms; elements of arrays stop where they are equal only if that is what is asked."""
    if not all(type(operator) in COMPARED for operator in operators):
        raise writer.refuse(text)
    stopping = writer.sizes.stopping - ({ast.Lt, ast.LtE, ast.Gt, ast.GtE} if of_arrays else set())
    return joint("&&", [
        _tested(COMPARED[type(operator)], *pair, writer, type(operator) in stopping)
        for operator, pair in zip(operators, pairwise(terms), strict=True)
    ])  # fmt: skip


def _tested(symbol: str, one: CTerm, other: CTerm, writer: CWriter, stops: bool) -> CTerm:
    """A comparison of two terms, which may stop at equal floats."""
    if stops and "double" in (one.type, other.type):
        return writer.helper(f"stopping_{STOPPING[symbol]}", one, other, type_="truth")
    return CTerm(f"{one.within(SUM)} {symbol} {other.within(SUM)}", COMPARISON, "truth")


def joint(symbol: str, tests: Sequence[CTerm]) -> CTerm:
    """Several conditions joined by an operator."""
    if len(tests) == 1:
        return tests[0]
    return CTerm(f" {symbol} ".join(test.within(COMPARISON) for test in tests), AND if symbol == "&&" else OR, "truth")


def choice(test: CTerm, one: CTerm, other: CTerm) -> CTerm:
    """A conditional expression of two terms."""
    type_ = "double" if "double" in (one.type, other.type) else "int"
    return CTerm(f"{test.within(OR)} ? {one.within(OR)} : {other.within(OR)}", CONDITIONAL, type_)


def scalar_function(called: str, terms: Sequence[CTerm], text: str, writer: CWriter, is_numpy: bool = True) -> CTerm:
    """A call of a scalar function."""
    first = terms[0]
    if called in ("max", "min", "maximum", "minimum"):
        return extreme(called, terms, writer)
    if called in ROUNDED and not is_numpy:
        return writer.helper("whole", writer.call(ROUNDED[called], first), type_="int")
    if called in ("float", "int", "bool"):
        return _converted(called, first, writer)
    if called in ("abs", "absolute", "fabs"):
        return _absolute(first, writer)
    if called in FACTORS:
        return infix("*", first, number(FACTORS[called]), PRODUCT, "double")
    if called == "where" and len(terms) == 3:
        return choice(*terms)
    if called in JOINT:
        return joint(JOINT[called], terms)
    if called == "clip":
        return extreme("minimum", [extreme("maximum", [first, terms[1]], writer), terms[2]], writer)
    if called == "square":
        return power(writer.once(first), number(2), 2, writer)
    if called == "negative":
        return signed(ast.USub(), first)
    if called == "sign":
        part = writer.once(first)
        return CTerm(f"({part.text} > 0.0) - ({part.text} < 0.0)", SUM, "int")
    if called not in MATH or len(terms) != 1 + (called in OF_TWO):
        raise writer.refuse(text)
    return writer.call(MATH[called], *terms)


def extreme(called: str, terms: Sequence[CTerm], writer: CWriter) -> CTerm:
    """The maximum or minimum, which is the first of equal values."""
    best = writer.once(terms[0])
    for term in terms[1:]:
        other = writer.once(term)
        stops = called in ("max", "min") and ast.Gt in writer.sizes.stopping
        test = _tested(">" if called.startswith("max") else "<", other, best, writer, stops)
        best = choice(test, other, best)
        best = writer.once(best) if term is not terms[-1] else best
    return best


def _converted(called: str, term: CTerm, writer: CWriter) -> CTerm:
    if called == "bool":
        return CTerm(f"{term.within(SUM)} != 0", COMPARISON, "truth")
    if called == "int":
        return term if term.type != "double" else writer.helper("whole", term, type_="int")
    return term if term.type == "double" else CTerm(f"(double){term.within(SIGN)}", SIGN)


def _absolute(term: CTerm, writer: CWriter) -> CTerm:
    if term.type == "double":
        return writer.call("fabs", term)
    part = writer.once(term)
    return CTerm(f"{part.text} < 0 ? -{part.text} : {part.text}", CONDITIONAL, "int")
