"""Expressions of a derived program as LaTeX formulas."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.derivation.intermediate.templates import root_of, text_of
from gradcli.derivation.reading.value_kind import ValueKind
from gradcli.language.formula_text import ATOM, COMPARISON, CONDITIONAL, POWER, PRODUCT, SIGN, SUM, Piece

_GREEK = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa mu nu xi pi rho sigma tau upsilon phi chi psi omega Gamma
    Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = {**{part: rf"\{part}" for part in _GREEK.split()}, "lambda": r"\lambda", "lam": r"\lambda"}
_NAMED = "sin cos tan sinh cosh tanh exp log max min arcsin arccos arctan"
NAMED = {
    **{part: rf"\{part}" for part in _NAMED.split()},
    **{"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "maximum": r"\max", "minimum": r"\min"},
}
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<",
    ast.LtE: r"\le",
    ast.Gt: ">",
    ast.GtE: r"\ge",
    ast.Eq: "=",
    ast.NotEq: r"\ne",
    ast.Is: "=",
    ast.IsNot: r"\ne",
    ast.In: r"\in",
}
SAME = ("copy", "array", "asarray", "list", "float", "ravel", "zeros_like", "broadcast_to")


def repeated(node: ast.expr) -> ast.Constant | None:
    """The number of which a list consists, as in `[0.0] * n`, which is written like an array of it; else None."""
    while isinstance(node, (ast.ListComp, ast.BinOp, ast.List)):
        if isinstance(node, ast.ListComp):
            node = node.elt
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            if len(node.left.elts) != 1:
                return None
            node = node.left.elts[0]
        elif isinstance(node, ast.List) and {"0.0"} == {text_of(element) for element in node.elts}:
            node = node.elts[0]
        else:
            return None
        if isinstance(node, ast.Constant):
            return node
    return None


def symbol(name: str) -> str:
    """A name as a symbol; the part after an underscore and final digits become subscripts."""
    head, _, rest = name.strip("_").partition("_")
    if not rest and (match := re.fullmatch(r"([A-Za-z]+?)(\d+)", head)):
        head, rest = match.groups()
    if not rest or not (len(head) == 1 or head in GREEK):
        return _word(name, 2)
    return f"{GREEK.get(head, head)}_{{{', '.join(_word(part, 4) for part in rest.split('_') if part)}}}"


def _word(word: str, shortest: int) -> str:
    """A word as a symbol, set as one word if it is long."""
    if word in GREEK:
        return GREEK[word]
    return escaped(word) if len(word) < shortest else rf"\mathit{{{escaped(word)}}}"


def escaped(text: str) -> str:
    """Text with LaTeX's special characters escaped."""
    return re.sub(
        r"([#$%&_{}])", r"\\\1", text.replace("\\", r"\backslash ").replace("^", r"\^{}").replace("~", r"\~{}")
    )


def number(value: float) -> str:
    """A number in LaTeX."""
    if abs(value) < 1e6 and value == int(value):
        return str(int(value))
    text = repr(value)
    mantissa, _, exponent = text.partition("e")
    if not exponent:
        return {"inf": r"\infty", "nan": r"\mathrm{nan}"}.get(text, text)
    power = f"10^{{{int(exponent)}}}"
    return power if mantissa == "1" else rf"{mantissa} \cdot {power}"


class Formulas:
    """Writes the expressions of one function.

    Args:
        kinds: the kinds of its variables.
    """

    def __init__(self, kinds: Mapping[str, ValueKind]) -> None:
        self.kinds = kinds

    def text(self, node: ast.expr, binding: int = CONDITIONAL) -> str:
        """An expression, in brackets if its precedence is lower than `binding`."""
        text, has = self._piece(node)
        return text if has >= binding else rf"\left({text}\right)"

    def _piece(self, node: ast.expr) -> Piece:
        if (item := repeated(node)) is not None:
            return self._piece(item)
        method: Callable[[Any], Piece] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        return method(node) if method is not None else self._typed(node)

    def _typed(self, node: ast.AST) -> Piece:
        return rf"\texttt{{{escaped(text_of(node))}}}", ATOM

    def is_array(self, node: ast.expr) -> bool:
        """Whether an expression is an array, judged by its names."""
        if isinstance(node, ast.Name):
            kind = self.kinds.get(node.id)
            return kind is not None and kind.name == "array"
        if isinstance(node, ast.Call) and text_of(node.func) in ("np.sum", "np.max", "np.mean", "len", "np.size"):
            return bool(node.keywords)
        if isinstance(node, ast.Subscript):
            kind = self.kinds.get(root_of(node))
            parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            whole = sum(not isinstance(part, ast.Slice) for part in parts)
            return kind is not None and kind.name == "array" and kind.rank > whole
        return any(self.is_array(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def _constant(self, node: ast.Constant) -> Piece:
        if node.value is None or isinstance(node.value, bool):
            return rf"\text{{{str(node.value).lower()}}}", ATOM
        if isinstance(node.value, (int, float)):
            text = number(node.value)
            return text, PRODUCT if "cdot" in text else ATOM
        return self._typed(node)

    def _name(self, node: ast.Name) -> Piece:
        return symbol(node.id), ATOM

    def _attribute(self, node: ast.Attribute) -> Piece:
        if node.attr == "T":
            return rf"{self.text(node.value, ATOM)}^{{\mathsf{{T}}}}", POWER
        if text_of(node) in ("math.pi", "np.pi"):
            return r"\pi", ATOM
        if text_of(node) in ("math.e", "np.e"):
            return r"\mathrm{e}", ATOM
        return self._typed(node)

    def _unaryop(self, node: ast.UnaryOp) -> Piece:
        if isinstance(node.op, ast.Not):
            return rf"\lnot {self.text(node.operand, COMPARISON + 1)}", COMPARISON
        sign = "-" if isinstance(node.op, ast.USub) else ""
        return f"{sign}{self.text(node.operand, PRODUCT)}", SUM

    def _binop(self, node: ast.BinOp) -> Piece:
        left, right, operator = node.left, node.right, node.op
        if isinstance(operator, (ast.Add, ast.Sub)):
            symbol_, need = ("+", SUM) if isinstance(operator, ast.Add) else ("-", SUM + 1)
            other = self.text(right, need)
            other = rf"\left({other}\right)" if other.startswith("-") else other
            return f"{self.text(left, SUM)} {symbol_} {other}", SUM
        if isinstance(operator, ast.Div):
            return rf"\frac{{{self.text(left)}}}{{{self.text(right)}}}", SIGN
        if isinstance(operator, ast.Pow):
            base = self.text(left, ATOM)
            return f"{base}^{{{self.text(right)}}}", POWER
        if isinstance(operator, ast.MatMult):
            return rf"{self.text(left, PRODUCT)} \, {self.text(right, PRODUCT)}", PRODUCT
        if isinstance(operator, ast.Mult):
            return self._product(left, right), PRODUCT
        if isinstance(operator, ast.Mod):
            return rf"{self.text(left, PRODUCT)} \bmod {self.text(right, SIGN)}", PRODUCT
        if isinstance(operator, ast.FloorDiv):
            return rf"\left\lfloor \frac{{{self.text(left)}}}{{{self.text(right)}}} \right\rfloor", ATOM
        return self._typed(node)

    def _product(self, left: ast.expr, right: ast.expr) -> str:
        one, other = self.text(left, PRODUCT), self.text(right, PRODUCT)
        if self.is_array(left) and self.is_array(right):
            return rf"{one} \odot {other}"
        return rf"{one} \cdot {other}" if other[:1].isdigit() else rf"{one} \, {other}"

    def _compare(self, node: ast.Compare) -> Piece:
        parts = [self.text(node.left, SUM)]
        for operator, comparator in zip(node.ops, node.comparators, strict=True):
            if type(operator) not in COMPARED:
                return self._typed(node)
            parts += [COMPARED[type(operator)], self.text(comparator, SUM)]
        return " ".join(parts), COMPARISON

    def _boolop(self, node: ast.BoolOp) -> Piece:
        word = r" \land " if isinstance(node.op, ast.And) else r" \lor "
        return word.join(self.text(value, COMPARISON) for value in node.values), CONDITIONAL

    def _ifexp(self, node: ast.IfExp) -> Piece:
        first = rf"{self.text(node.body)} & \text{{if }} {self.text(node.test)}"
        rows = rf"{first} \\ {self.text(node.orelse)} & \text{{otherwise}}"
        return rf"\begin{{cases}} {rows} \end{{cases}}", ATOM

    def _subscript(self, node: ast.Subscript) -> Piece:
        indices: list[str] = []
        root: ast.expr = node
        while isinstance(root, ast.Subscript):
            parts = root.slice.elts if isinstance(root.slice, ast.Tuple) else [root.slice]
            indices = [*map(self._index, parts), *indices]
            root = root.value
        owner = self.text(root, ATOM)
        owner = rf"\left({owner}\right)" if "_" in owner else owner
        return f"{owner}_{{{', '.join(indices)}}}", ATOM

    def _index(self, node: ast.expr) -> str:
        if isinstance(node, ast.Slice):
            bounds = ["" if each is None else self.text(each) for each in (node.lower, node.upper, node.step)]
            return ":".join(bounds if bounds[2] else bounds[:2])
        return self.text(node)

    def _tuple(self, node: ast.Tuple | ast.List) -> Piece:
        return rf"\left({', '.join(map(self.text, node.elts))}\right)", ATOM

    _list = _tuple

    def _call(self, node: ast.Call) -> Piece:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else text_of(node.func)
        is_method = isinstance(node.func, ast.Attribute) and text_of(node.func.value) not in ("math", "np", "special")
        arguments = [node.func.value, *node.args] if is_method else node.args  # type: ignore[attr-defined]
        if called == "full_like" and len(arguments) == 2:
            return self._piece(arguments[1])
        if called in ("zeros", "zeros_like"):
            return "0", ATOM
        if called in SAME and arguments:
            return self._piece(arguments[0])
        if called == "sqrt":
            return rf"\sqrt{{{self.text(arguments[0])}}}", ATOM
        if called in ("abs", "absolute", "fabs"):
            return rf"\left|{self.text(arguments[0])}\right|", ATOM
        if called == "outer":
            return rf"{self.text(arguments[0], ATOM)} \, {self.text(arguments[1], ATOM)}^{{\mathsf{{T}}}}", PRODUCT
        if called == "sum" and all(keyword.arg == "dtype" for keyword in node.keywords) and len(arguments) == 1:
            return rf"\sum {self.text(arguments[0], PRODUCT)}", PRODUCT
        if called == "len" and len(arguments) == 1:
            return rf"\lvert {self.text(arguments[0])} \rvert", ATOM
        inside = ", ".join([*map(self.text, arguments), *(self._keyword(keyword) for keyword in node.keywords)])
        name = NAMED.get(called, rf"\operatorname{{{escaped(called)}}}")
        return rf"{name}\left({inside}\right)", ATOM

    def _keyword(self, node: ast.keyword) -> str:
        return rf"\text{{{escaped(node.arg or '')}}} = {self.text(node.value)}"
