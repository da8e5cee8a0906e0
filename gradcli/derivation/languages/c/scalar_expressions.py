"""Scalar expressions in C."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradcli.derivation.intermediate.operation_derivatives import constant_of
from gradcli.derivation.intermediate.templates import NamesInUse, text_of
from gradcli.derivation.languages.c.size_inference import Sizes
from gradcli.derivation.languages.c.terms import MATH, RESERVED, CLine, CTerm, infix, number
from gradcli.derivation.languages.c.value_sizes import GrowingList, SizedNumber, Value
from gradcli.errors import UnsupportedError
from gradcli.language.formula_text import AND, ATOM, COMPARISON, CONDITIONAL, OR, PRODUCT, SIGN, SUM

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


class Numbers:
    """Writes the scalar expressions of one function.

    Args:
        sizes: the types and sizes of its expressions.
        taken: the names in use.

    Attributes:
        out: the lines written so far.
        helpers: the helper functions that it needs.
        uses_math: whether it needs <math.h>.
    """

    def __init__(self, sizes: Sizes, taken: Iterable[str]) -> None:
        self.sizes = sizes
        self.taken = NamesInUse({*taken, *RESERVED})
        self.fresh = self.taken.fresh
        self.out: list[CLine] = []
        self.depth = 1
        self.helpers: set[str] = set()
        self.uses_math = False
        self.bound: dict[str, CTerm] = {}
        self._names: dict[str, str] = {}

    def refuse(self, what: str) -> UnsupportedError:
        """The error for a construct that cannot be written in C."""
        return self.sizes.refuse(what)

    def name(self, theirs: str) -> str:
        """The name of a variable in C, distinct from reserved words."""
        if theirs not in self._names:
            plain = "".join(each if each.isascii() else f"u{ord(each):x}" for each in theirs)
            self._names[theirs] = self.fresh(plain) if plain in RESERVED or plain != theirs else theirs
        return self._names[theirs]

    def write(self, text: str, sets: str = "") -> None:
        """Write one line."""
        self.out.append(CLine(text, self.depth, sets))

    def kind(self, node: ast.expr) -> Value | None:
        """The type and sizes of an expression."""
        if isinstance(node, ast.Name) and node.id in self.sizes.variables:
            return self.sizes.variables[node.id]
        return self.sizes.seen.get(id(node))

    def once(self, term: CTerm, stem: str = "part") -> CTerm:
        """A term that may be repeated: anything but a name or constant is assigned to a variable."""
        if term.binding == ATOM and "(" not in term.text:
            return term
        made = self.fresh(stem)
        type_ = "double" if term.type == "double" else "int"
        self.write(f"const {type_} {made} = {term.text};", made)
        return CTerm(made, ATOM, term.type)

    # Expressions

    def number(self, node: ast.expr) -> CTerm:
        """A scalar expression."""
        method: Callable[[Any], CTerm] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise self.refuse(text_of(node))
        return method(node)

    def element(self, node: ast.expr) -> CTerm:
        """An item of an array or a list."""
        raise NotImplementedError

    def array_value(self, node: ast.expr) -> CTerm:
        """A scalar expression computed from arrays."""
        raise NotImplementedError

    def _constant(self, node: ast.Constant) -> CTerm:
        if node.value is None:
            return CTerm("0.0")
        assert isinstance(node.value, (int, float))
        return number(node.value)

    def _name(self, node: ast.Name) -> CTerm:
        if node.id in self.bound:
            return self.bound[node.id]
        if node.id not in self.sizes.variables and node.id in self.sizes.constants:
            return number(self.sizes.constants[node.id])
        kind = self.kind(node)
        if isinstance(kind, GrowingList):
            return CTerm(f"{self.count(node.id)} > 0", COMPARISON, "truth")
        return CTerm(self.name(node.id), ATOM, kind.type if isinstance(kind, SizedNumber) else "double")

    def count(self, theirs: str) -> str:
        """The variable that holds the length of a growing list."""
        key = f"{theirs} length"
        if key not in self._names:
            self._names[key] = self.fresh(f"{self.name(theirs)}_length")
        return self._names[key]

    def _attribute(self, node: ast.Attribute) -> CTerm:
        known = self._known(node)
        if known is not None:
            return number(known)
        home = self.sizes.namespace.get(text_of(node.value), math)
        return number(float(getattr(home, node.attr)))

    def _known(self, node: ast.expr) -> int | None:
        kind = self.sizes.seen.get(id(node))
        return kind.known if isinstance(kind, SizedNumber) else None

    def _subscript(self, node: ast.Subscript) -> CTerm:
        known = self._known(node)
        return number(known) if known is not None else self.element(node)

    def _unaryop(self, node: ast.UnaryOp) -> CTerm:
        operand = self.number(node.operand)
        if isinstance(node.op, ast.Not):
            return CTerm(f"!{operand.within(SIGN)}", SIGN, "truth")
        return self.signed(node.op, operand)

    def signed(self, operator: ast.unaryop, operand: CTerm) -> CTerm:
        """A term with a sign."""
        if isinstance(operator, ast.UAdd):
            return operand
        text = operand.within(SIGN)
        type_ = "double" if operand.type == "double" else "int"
        if isinstance(operator, ast.Invert):
            return CTerm(f"!{text}", SIGN, "truth")
        return CTerm(f"-({text})" if text.startswith("-") else f"-{text}", SIGN, type_)

    def _binop(self, node: ast.BinOp) -> CTerm:
        if isinstance(node.op, ast.MatMult):
            return self.array_value(node)
        left, right = self.number(node.left), self.number(node.right)
        return self.combined(node, left, right)

    def combined(self, node: ast.BinOp, left: CTerm, right: CTerm) -> CTerm:
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
            return self.power(left, right, constant_of(node.right))
        if isinstance(operator, (ast.FloorDiv, ast.Mod)):
            is_whole = isinstance(operator, ast.FloorDiv)
            if type_ == "int":
                return self._whole(node, left, right, is_whole)
            rest = self.helper("modulo", left, right)
            if is_whole:
                return self.call("floor", infix("/", infix("-", left, rest, SUM, "double"), right, PRODUCT, "double"))
            return rest
        raise self.refuse(f"the operator in {text_of(node)}")

    def _whole(self, node: ast.BinOp, left: CTerm, right: CTerm, is_whole: bool) -> CTerm:
        """An integer quotient or remainder, which C rounds towards zero."""
        if id(node) in self.sizes.below:
            return self.helper("floor_div" if is_whole else "floor_mod", left, right, type_="int")
        return infix("/" if is_whole else "%", left, right, PRODUCT, "int")

    def power(self, base: CTerm, exponent: CTerm, known: float | None) -> CTerm:
        """A power; a square is a product."""
        if known == 2:
            base = self.once(base, "base")
            return CTerm(f"{base.text} * {base.text}", PRODUCT, base.type if base.type != "truth" else "int")
        return self.call("pow", base, exponent)

    def helper(self, called: str, *terms: CTerm, type_: str = "double") -> CTerm:
        """A call of a helper function."""
        self.helpers.add(called)
        self.uses_math |= called == "modulo"
        return CTerm(f"{called}({', '.join(each.text for each in terms)})", ATOM, type_)

    def call(self, called: str, *terms: CTerm) -> CTerm:
        """A call of a function in <math.h>."""
        self.uses_math = True
        return CTerm(f"{called}({', '.join(each.text for each in terms)})")

    def _compare(self, node: ast.Compare) -> CTerm:
        known = self._known(node)
        if known is not None:
            return number(known)
        parts = [self.number(each) for each in (node.left, *node.comparators)]
        tests = [self.compared(op, a, b, text_of(node)) for a, op, b in zip(parts, node.ops, parts[1:], strict=False)]
        return self.joint("&&", tests)

    def compared(self, operator: ast.cmpop, left: CTerm, right: CTerm, text: str) -> CTerm:
        """A comparison of two terms."""
        if type(operator) not in COMPARED:
            raise self.refuse(text)
        symbol = COMPARED[type(operator)]
        return CTerm(f"{left.within(SUM)} {symbol} {right.within(SUM)}", COMPARISON, "truth")

    def joint(self, symbol: str, tests: Sequence[CTerm]) -> CTerm:
        """Several conditions joined by an operator."""
        if len(tests) == 1:
            return tests[0]
        return CTerm(
            f" {symbol} ".join(each.within(COMPARISON) for each in tests), AND if symbol == "&&" else OR, "truth"
        )

    def _boolop(self, node: ast.BoolOp) -> CTerm:
        is_or = isinstance(node.op, ast.Or)
        left = [each for each in node.values if self._known(each) is None]
        if any(self._known(each) == int(is_or) for each in node.values):
            return number(is_or)
        return self.joint("||" if is_or else "&&", [self.number(each) for each in left]) if left else number(not is_or)

    def _ifexp(self, node: ast.IfExp) -> CTerm:
        known = self._known(node.test)
        if known is not None:
            return self.number(node.body if known else node.orelse)
        return self.choice(self.number(node.test), self.number(node.body), self.number(node.orelse))

    def choice(self, test: CTerm, one: CTerm, other: CTerm) -> CTerm:
        """A conditional expression of two terms."""
        type_ = "double" if "double" in (one.type, other.type) else "int"
        return CTerm(f"{test.within(OR)} ? {one.within(OR)} : {other.within(OR)}", CONDITIONAL, type_)

    def _call(self, node: ast.Call) -> CTerm:
        known = self._known(node)
        if known is not None:
            return number(known)
        called = node.func.attr if isinstance(node.func, ast.Attribute) else text_of(node.func)
        if called == "len" and isinstance(self.kind(node.args[0]), GrowingList):
            return CTerm(self.count(text_of(node.args[0])), ATOM, "int")
        is_method = isinstance(node.func, ast.Attribute) and self.kind(node.func.value) is not None
        is_of_numbers = bool(node.args) and all(isinstance(self.kind(each), SizedNumber) for each in node.args)
        if is_of_numbers and not node.keywords and not is_method:
            is_numpy = isinstance(node.func, ast.Attribute) and text_of(node.func.value) not in ("math", "special")
            return self.function(called, [self.number(each) for each in node.args], text_of(node), is_numpy)
        return self.array_value(node)

    def function(self, called: str, terms: Sequence[CTerm], text: str, is_numpy: bool = True) -> CTerm:
        """A call of a scalar function."""
        first = terms[0]
        if called in ("max", "min", "maximum", "minimum"):
            return self._extreme(called, terms)
        if called in ROUNDED and not is_numpy:
            return CTerm(f"(int){self.call(ROUNDED[called], first).text}", SIGN, "int")
        if called in ("float", "int", "bool"):
            return self._converted(called, first)
        if called in ("abs", "absolute", "fabs"):
            return self._absolute(first)
        if called in FACTORS:
            return infix("*", first, number(FACTORS[called]), PRODUCT, "double")
        if called in ("pow", "power"):
            return self.call("pow", *terms)
        if called == "where":
            return self.choice(terms[0], terms[1], terms[2])
        if called == "clip":
            return self._extreme("minimum", [self._extreme("maximum", [first, terms[1]]), terms[2]])
        if called == "square":
            return self.power(self.once(first), number(2), 2)
        if called == "negative":
            return self.signed(ast.USub(), first)
        if called == "sign":
            part = self.once(first)
            return CTerm(f"({part.text} > 0.0) - ({part.text} < 0.0)", SUM, "int")
        if called not in MATH or len(terms) != 1 + (called in OF_TWO):
            raise self.refuse(text)
        return self.call(MATH[called], *terms)

    def _extreme(self, called: str, terms: Sequence[CTerm]) -> CTerm:
        """The maximum or minimum, which is the first of equal values."""
        found = self.once(terms[0])
        for each in terms[1:]:
            other = self.once(each)
            symbol = ">" if called.startswith("max") else "<"
            test = CTerm(f"{other.within(SUM)} {symbol} {found.within(SUM)}", COMPARISON)
            found = self.choice(test, other, found)
            found = self.once(found) if each is not terms[-1] else found
        return found

    def _converted(self, called: str, term: CTerm) -> CTerm:
        if called == "bool":
            return CTerm(f"{term.within(SUM)} != 0", COMPARISON, "truth")
        if called == "int":
            return term if term.type != "double" else CTerm(f"(int){term.within(SIGN)}", SIGN, "int")
        return term if term.type == "double" else CTerm(f"(double){term.within(SIGN)}", SIGN)

    def _absolute(self, term: CTerm) -> CTerm:
        if term.type == "double":
            return self.call("fabs", term)
        part = self.once(term)
        return CTerm(f"{part.text} < 0 ? -{part.text} : {part.text}", CONDITIONAL, "int")
