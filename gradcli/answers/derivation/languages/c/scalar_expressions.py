"""Scalar expressions in C."""

from __future__ import annotations

import ast
import math
from collections.abc import Sequence

from gradcli.answers.derivation.intermediate.operation_derivatives import constant_of
from gradcli.answers.derivation.intermediate.templates import text_of
from gradcli.answers.derivation.languages.c.terms import MATH, CTerm, infix, number
from gradcli.answers.derivation.languages.c.value_sizes import GrowingList, SizedNumber
from gradcli.answers.derivation.languages.c.writer import CWriter
from gradcli.mathematics.language.formula_text import AND, ATOM, COMPARISON, CONDITIONAL, OR, PRODUCT, SIGN, SUM

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
OF_TWO = ("atan2", "arctan2", "hypot", "copysign", "fmod", "remainder")
FACTORS = {"radians": math.pi / 180.0, "degrees": 180.0 / math.pi}


def constant(node: ast.Constant, writer: CWriter) -> CTerm:
    """A number."""
    if node.value is None:
        return CTerm("0.0")
    assert isinstance(node.value, (int, float))
    return number(node.value)


def variable(node: ast.Name, writer: CWriter) -> CTerm:
    """A variable."""
    if node.id in writer.bound:
        return writer.bound[node.id]
    if node.id not in writer.sizes.variables and node.id in writer.sizes.constants:
        return number(writer.sizes.constants[node.id])
    kind = writer.kind(node)
    if isinstance(kind, GrowingList):
        return CTerm(f"{writer.count(node.id)} > 0", COMPARISON, "truth")
    return CTerm(writer.name(node.id), ATOM, kind.type if isinstance(kind, SizedNumber) else "double")


def module_constant(node: ast.Attribute, writer: CWriter) -> CTerm:
    """A constant of a module, or a size."""
    known = writer.known(node)
    if known is not None:
        return number(known)
    home = writer.sizes.namespace.get(text_of(node.value), math)
    return number(float(getattr(home, node.attr)))


def scalar_item(node: ast.Subscript, writer: CWriter) -> CTerm:
    """An item of an array or a list."""
    known = writer.known(node)
    return number(known) if known is not None else element(node, writer)


def scalar_unary(node: ast.UnaryOp, writer: CWriter) -> CTerm:
    """A sign or a negation."""
    operand = writer.number(node.operand)
    if isinstance(node.op, ast.Not):
        return CTerm(f"!{operand.within(SIGN)}", SIGN, "truth")
    return signed(node.op, operand)


def signed(operator: ast.unaryop, operand: CTerm) -> CTerm:
    """A term with a sign."""
    if isinstance(operator, ast.UAdd):
        return operand
    text = operand.within(SIGN)
    type_ = "double" if operand.type == "double" else "int"
    if isinstance(operator, ast.Invert):
        return CTerm(f"!{text}", SIGN, "truth")
    return CTerm(f"-({text})" if text.startswith("-") else f"-{text}", SIGN, type_)


def scalar_binary(node: ast.BinOp, writer: CWriter) -> CTerm:
    """An operator of numbers."""
    if isinstance(node.op, ast.MatMult):
        return _array_value(node, writer)
    left, right = writer.number(node.left), writer.number(node.right)
    return combined(node, left, right, writer)


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
        rest = writer.helper("modulo", left, right)
        if is_whole:
            return writer.call("floor", infix("/", infix("-", left, rest, SUM, "double"), right, PRODUCT, "double"))
        return rest
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


def scalar_compare(node: ast.Compare, writer: CWriter) -> CTerm:
    """A comparison of numbers."""
    known = writer.known(node)
    if known is not None:
        return number(known)
    parts = [writer.number(operand) for operand in (node.left, *node.comparators)]
    tests = [compared(op, a, b, text_of(node), writer) for a, op, b in zip(parts, node.ops, parts[1:], strict=False)]
    return joint("&&", tests)


def compared(operator: ast.cmpop, left: CTerm, right: CTerm, text: str, writer: CWriter) -> CTerm:
    """A comparison of two terms."""
    if type(operator) not in COMPARED:
        raise writer.refuse(text)
    symbol = COMPARED[type(operator)]
    return CTerm(f"{left.within(SUM)} {symbol} {right.within(SUM)}", COMPARISON, "truth")


def joint(symbol: str, tests: Sequence[CTerm]) -> CTerm:
    """Several conditions joined by an operator."""
    if len(tests) == 1:
        return tests[0]
    return CTerm(f" {symbol} ".join(test.within(COMPARISON) for test in tests), AND if symbol == "&&" else OR, "truth")


def scalar_boolean(node: ast.BoolOp, writer: CWriter) -> CTerm:
    """Conditions joined by `and` or `or`."""
    is_or = isinstance(node.op, ast.Or)
    left = [value for value in node.values if writer.known(value) is None]
    if any(writer.known(value) == int(is_or) for value in node.values):
        return number(is_or)
    return joint("||" if is_or else "&&", [writer.number(operand) for operand in left]) if left else number(not is_or)


def scalar_choice(node: ast.IfExp, writer: CWriter) -> CTerm:
    """`a if test else b`."""
    known = writer.known(node.test)
    if known is not None:
        return writer.number(node.body if known else node.orelse)
    return choice(writer.number(node.test), writer.number(node.body), writer.number(node.orelse))


def choice(test: CTerm, one: CTerm, other: CTerm) -> CTerm:
    """A conditional expression of two terms."""
    type_ = "double" if "double" in (one.type, other.type) else "int"
    return CTerm(f"{test.within(OR)} ? {one.within(OR)} : {other.within(OR)}", CONDITIONAL, type_)


def scalar_call(node: ast.Call, writer: CWriter) -> CTerm:
    """A call whose result is a number."""
    known = writer.known(node)
    if known is not None:
        return number(known)
    called = node.func.attr if isinstance(node.func, ast.Attribute) else text_of(node.func)
    if called == "len" and isinstance(writer.kind(node.args[0]), GrowingList):
        return CTerm(writer.count(text_of(node.args[0])), ATOM, "int")
    is_method = isinstance(node.func, ast.Attribute) and writer.kind(node.func.value) is not None
    is_of_numbers = bool(node.args) and all(isinstance(writer.kind(argument), SizedNumber) for argument in node.args)
    if is_of_numbers and not node.keywords and not is_method:
        is_numpy = isinstance(node.func, ast.Attribute) and text_of(node.func.value) not in ("math", "special")
        return scalar_function(
            called, [writer.number(argument) for argument in node.args], text_of(node), writer, is_numpy
        )
    return _array_value(node, writer)


def scalar_function(called: str, terms: Sequence[CTerm], text: str, writer: CWriter, is_numpy: bool = True) -> CTerm:
    """A call of a scalar function."""
    first = terms[0]
    if called in ("max", "min", "maximum", "minimum"):
        return extreme(called, terms, writer)
    if called in ROUNDED and not is_numpy:
        return CTerm(f"(int){writer.call(ROUNDED[called], first).text}", SIGN, "int")
    if called in ("float", "int", "bool"):
        return _converted(called, first)
    if called in ("abs", "absolute", "fabs"):
        return _absolute(first, writer)
    if called in FACTORS:
        return infix("*", first, number(FACTORS[called]), PRODUCT, "double")
    if called in ("pow", "power"):
        return writer.call("pow", *terms)
    if called == "where":
        return choice(terms[0], terms[1], terms[2])
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
    found = writer.once(terms[0])
    for term in terms[1:]:
        other = writer.once(term)
        symbol = ">" if called.startswith("max") else "<"
        test = CTerm(f"{other.within(SUM)} {symbol} {found.within(SUM)}", COMPARISON)
        found = choice(test, other, found)
        found = writer.once(found) if term is not terms[-1] else found
    return found


def _converted(called: str, term: CTerm) -> CTerm:
    if called == "bool":
        return CTerm(f"{term.within(SUM)} != 0", COMPARISON, "truth")
    if called == "int":
        return term if term.type != "double" else CTerm(f"(int){term.within(SIGN)}", SIGN, "int")
    return term if term.type == "double" else CTerm(f"(double){term.within(SIGN)}", SIGN)


def _absolute(term: CTerm, writer: CWriter) -> CTerm:
    if term.type == "double":
        return writer.call("fabs", term)
    part = writer.once(term)
    return CTerm(f"{part.text} < 0 ? -{part.text} : {part.text}", CONDITIONAL, "int")


def element(node: ast.expr, writer: CWriter) -> CTerm:
    """An item of an array or a list."""
    assert isinstance(node, ast.Subscript)
    kind = writer.kind(node.value)
    if isinstance(kind, GrowingList):
        return _growing_item(node, writer)
    return writer.lanes(node).at([])


def _growing_item(node: ast.Subscript, writer: CWriter) -> CTerm:
    name, count = writer.name(text_of(node.value)), writer.count(text_of(node.value))
    held = writer.sizes.held.get(text_of(node.value))
    index = writer.number(node.slice)
    known = writer.known(node.slice)
    if known is not None and known < 0:
        index = infix("-", CTerm(count), number(-known), SUM, "int")
    elif id(node.slice) in writer.sizes.below:
        part = writer.once(index, "place")
        index = CTerm(f"{part.text} < 0 ? {part.text} + {count} : {part.text}")
    return CTerm(f"{name}[{index.text}]", type=held.type if isinstance(held, SizedNumber) else "double")


def _array_value(node: ast.expr, writer: CWriter) -> CTerm:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pop":
        stack = text_of(node.func.value)
        held = writer.sizes.held.get(stack)
        if isinstance(held, SizedNumber):
            return CTerm(f"{writer.name(stack)}[--{writer.count(stack)}]", type=held.type)
    return writer.lanes(node).at([])
