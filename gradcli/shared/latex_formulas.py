r"""Python expressions as LaTeX: quotients as fractions, products without a sign, exponents raised."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence

_GREEK = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega
    Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = {name: rf"\{name}" for name in _GREEK.split()}
LETTERS = {
    unicodedata.lookup(
        f"GREEK {'SMALL' if name.islower() else 'CAPITAL'} LETTER {'LAMDA' if name.lower() == 'lambda' else name}"
    ): command
    for name, command in GREEK.items()
}
"""The Greek letters, which LaTeX's typewriter font lacks."""
SPECIAL = str.maketrans(
    {sign: f"\\{sign}" for sign in "_#%&${}"}
    | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
    | {letter: f"${command}$" for letter, command in LETTERS.items()}
)
_NAMED = "sin cos tan sinh cosh tanh exp log max min det arcsin arccos arctan"
NAMED = {
    **{name: rf"\{name}" for name in _NAMED.split()},
    **{"asin": r"\arcsin", "acos": r"\arccos", "atan": r"\arctan", "maximum": r"\max", "minimum": r"\min"},
}
SIGNS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: r"\le",
    ast.Gt: ">",
    ast.GtE: r"\ge",
    ast.Eq: "=",
    ast.NotEq: r"\ne",
    ast.Is: "=",
    ast.IsNot: r"\ne",
    ast.In: r"\in",
    ast.And: r"\land",
    ast.Or: r"\lor",
    ast.BitAnd: r"\wedge",
    ast.BitOr: r"\vee",
    ast.Mod: r"\bmod",
}
CONDITION, SUM, SIGN, PRODUCT, POWER, ATOM = range(6)
Written = tuple[str, int]  # a text and its precedence
SAME = frozenset(("copy", "array", "asarray", "list", "float", "ravel", "broadcast_to"))
MAKING = frozenset(("array", "arange", "eye", "ones", "zeros"))  # functions that return an array for any arguments
REDUCING = frozenset(("sum", "max", "min", "mean", "prod", "dot", "det", "len", "size"))
MODULES = frozenset(("math", "np", "special", "linalg", "np.linalg"))


def typed(text: str) -> str:
    """Text in typewriter font."""
    return rf"\texttt{{{text.translate(SPECIAL)}}}"


def latex_number(text: str) -> str:
    """A number, with its exponent as a power of ten."""
    digits, _, exponent = text.lower().partition("e")
    if not exponent:
        return {"inf": r"\infty", "nan": r"\mathrm{nan}"}.get(digits, digits)
    power = f"10^{{{int(exponent)}}}"
    return power if digits == "1" else rf"{digits} \cdot {power}"


class LatexFormulas:
    """Writes expressions.

    Args:
        symbol: the symbol for a name.
        rank: the number of axes of the array with a name; 0 for other values.
        names: the original names, by the names that stand for them in the expressions.
    """

    def __init__(
        self, symbol: Callable[[str], str], rank: Callable[[str], int], names: Mapping[str, str] | None = None
    ) -> None:
        self.symbol, self.rank, self.names = symbol, rank, names or {}
        self.writers: dict[type[ast.AST], Callable[..., Written]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.UnaryOp: self._unary,
            ast.BinOp: self._binary,
            ast.Compare: self._comparison,
            ast.BoolOp: self._connective,
            ast.IfExp: self._choice,
            ast.Subscript: self._subscript,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.List: self._sequence,
            ast.Tuple: self._sequence,
            ast.Slice: self._slice,
        }

    def text(self, node: ast.AST, need: int = CONDITION) -> str:
        """An expression, in brackets if its precedence is lower than `need`."""
        text, binding = self._written(node)
        return text if binding >= need else rf"\left({text}\right)"

    def _written(self, node: ast.AST) -> Written:
        shown = _repeated_number(node) or node
        return self.writers.get(type(shown), self._source)(shown)

    def _source(self, node: ast.AST) -> Written:
        return typed(self._restored(ast.unparse(node))), ATOM

    def _restored(self, text: str) -> str:
        """A text with the original names."""
        return re.sub(r"\bn\d+\b", lambda match: self.names.get(match[0], match[0]), text)

    def is_array(self, node: ast.AST) -> bool:
        """Whether an expression is an array, judged by its names."""
        if isinstance(node, ast.Name):
            return self.rank(self._restored(node.id)) > 0
        if isinstance(node, ast.Call):
            called = self._called(node)[1]
            reduces = called in REDUCING and not node.keywords
            return called in MAKING or (not reduces and any(map(self.is_array, (node.func, *node.args))))
        if isinstance(node, ast.Subscript):
            root, parts = _indices(node)
            known = self.rank(self._restored(root.id)) if isinstance(root, ast.Name) else 0
            return known > len(parts) or any(isinstance(x, (ast.Slice, ast.List)) or self.is_array(x) for x in parts)
        return any(map(self.is_array, ast.iter_child_nodes(node)))

    def _constant(self, node: ast.Constant) -> Written:
        value = node.value
        if isinstance(value, complex):
            return rf"{latex_number(repr(value.imag))} \mathrm{{i}}", PRODUCT
        if isinstance(value, str):
            return typed(repr(self._restored(value))), ATOM
        if value is None or isinstance(value, bool):
            return rf"\mathrm{{{value}}}", ATOM
        if not isinstance(value, (int, float)):
            return self._source(node)
        text = str(int(value)) if abs(value) < 1e6 and value == int(value) else latex_number(repr(value))
        return text, PRODUCT if "cdot" in text else ATOM

    def _name(self, node: ast.Name) -> Written:
        text = self.symbol(self._restored(node.id))
        return text, POWER if "^" in text else ATOM

    def _attribute(self, node: ast.Attribute) -> Written:
        if node.attr in ("T", "mT"):
            return rf"{self.text(node.value, ATOM)}^{{\mathsf{{T}}}}", POWER
        constants = {"pi": r"\pi", "e": r"\mathrm{e}"}
        is_constant = node.attr in constants and ast.unparse(node.value) in MODULES
        return (constants[node.attr], ATOM) if is_constant else self._source(node)

    def _unary(self, node: ast.UnaryOp) -> Written:
        if isinstance(node.op, ast.Not):
            return rf"\lnot {self.text(node.operand, SUM)}", CONDITION
        if isinstance(node.op, ast.USub):
            return f"-{self.text(node.operand, PRODUCT)}", SIGN
        return self._source(node)

    def _binary(self, node: ast.BinOp) -> Written:
        left, right, operator = node.left, node.right, node.op
        if isinstance(operator, (ast.Add, ast.Sub)):
            sign = "+" if isinstance(operator, ast.Add) else "-"
            return f"{self.text(left, SUM)} {sign} {self.text(right, PRODUCT)}", SUM
        if isinstance(operator, ast.Pow):
            return f"{self.text(left, ATOM)}^{{{self.text(right)}}}", POWER
        if isinstance(operator, ast.MatMult):
            binding = self._written(left)[1]
            return _joined([self.text(left, SIGN), self.text(right, PRODUCT)]), min(PRODUCT, max(SIGN, binding))
        if isinstance(operator, (ast.Mult, ast.Div)):
            return self._product(node)
        if isinstance(operator, ast.FloorDiv):
            return rf"\left\lfloor \frac{{{self.text(left)}}}{{{self.text(right)}}} \right\rfloor", ATOM
        if type(operator) not in SIGNS:
            return self._source(node)
        return f"{self.text(left, PRODUCT)} {SIGNS[type(operator)]} {self.text(right, POWER)}", SUM

    def _product(self, node: ast.BinOp) -> Written:
        """Products and quotients as one fraction."""
        factors = [*_factors(node, False)]
        sign = (-1) ** sum(factor is None for factor, _ in factors)
        above, below = ([x for x, is_below in factors if x and is_below is part] for part in (False, True))
        above = sorted([factor for factor in above if not _is_one(factor)] or above[:1], key=_is_no_number)
        text = self._beside(above)
        text = rf"\frac{{{text}}}{{{self._beside(below)}}}" if below else text
        return (text, PRODUCT) if sign > 0 else (f"-{text}", SIGN)

    def _beside(self, nodes: Sequence[ast.expr]) -> str:
        """Factors side by side, with elementwise products of arrays; a single factor needs no brackets."""
        if len(nodes) == 1:
            return self.text(nodes[0])
        text, seen = "", False
        for node in nodes:
            factor, is_array = self.text(node, PRODUCT), self.is_array(node)
            text = (rf"{text} \odot {factor}" if seen and is_array else _joined([text, factor])) if text else factor
            seen = seen or is_array
        return text

    def _comparison(self, node: ast.Compare) -> Written:
        if not SIGNS.keys() >= set(map(type, node.ops)):
            return self._source(node)
        pairs = zip(node.ops, node.comparators, strict=True)
        rest = "".join(f" {SIGNS[type(operator)]} {self.text(other, SUM)}" for operator, other in pairs)
        return self.text(node.left, SUM) + rest, CONDITION

    def _connective(self, node: ast.BoolOp) -> Written:
        return f" {SIGNS[type(node.op)]} ".join(self.text(value) for value in node.values), CONDITION

    def _choice(self, node: ast.IfExp) -> Written:
        return self._cases(node.test, node.body, node.orelse)

    def _cases(self, test: ast.expr, one: ast.expr, other: ast.expr) -> Written:
        rows = rf"{self.text(one)} & {self.text(test)} \\ {self.text(other)} & \text{{else}}"
        return rf"\begin{{cases}} {rows} \end{{cases}}", ATOM

    def _subscript(self, node: ast.Subscript) -> Written:
        root, parts = _indices(node)
        base = self.text(root, ATOM)
        base = f"({base})" if "_" in base or "^" in base else base
        return f"{base}_{{{', '.join(map(self.text, parts))}}}", ATOM

    def _slice(self, node: ast.Slice) -> Written:
        bounds = [self.text(bound) if bound else "" for bound in (node.lower, node.upper)]
        return ":".join([*bounds, *([self.text(node.step)] if node.step else [])]), ATOM

    def _sequence(self, node: ast.List | ast.Tuple) -> Written:
        if any(isinstance(element, ast.List) for element in node.elts):
            rows = [element.elts if isinstance(element, ast.List) else [element] for element in node.elts]
            texts = (" & ".join(map(self.text, row)) for row in rows)
            return r"\begin{pmatrix} " + r" \\ ".join(texts) + r" \end{pmatrix}", ATOM
        return rf"\left({', '.join(map(self.text, node.elts))}\right)", ATOM

    def _called(self, node: ast.Call) -> tuple[str, str, list[ast.expr]]:
        """The name of a function in full and without its module, and the arguments, with the owner of a method."""
        full = self._restored(ast.unparse(node.func)).removeprefix("np.")
        if isinstance(node.func, ast.Attribute):
            is_method = ast.unparse(node.func.value) not in MODULES
            if is_method and not full.startswith(("scipy.", "gradcli.")):
                return node.func.attr, node.func.attr, [node.func.value, *node.args]
        return full, full.rpartition(".")[2], node.args

    def _call(self, node: ast.Call) -> Written:
        full, called, arguments = self._called(node)
        keywords = [keyword for keyword in node.keywords if keyword.arg != "dtype"]
        written = self._notation(called, arguments) if arguments and not keywords else None
        if written is not None:
            return written
        texts = [*map(self.text, arguments)]
        texts += [rf"\text{{{(word.arg or '').translate(SPECIAL)}}} = {self.text(word.value)}" for word in keywords]
        head = NAMED.get(called, rf"\operatorname{{{full.translate(SPECIAL)}}}")
        return rf"{head}\left({', '.join(texts)}\right)", ATOM

    def _notation(self, called: str, arguments: Sequence[ast.expr]) -> Written | None:
        """A call of a function that has a notation of its own."""
        first, *rest = arguments
        if called in SAME:
            return self._written(first)
        if called in ("zeros", "zeros_like"):
            return "0", ATOM
        if called == "full_like" and rest:
            return self._written(rest[0])
        if called == "where" and len(rest) == 2:
            return self._cases(first, *rest)
        if called == "outer" and rest:
            return rf"{self.text(first, ATOM)} \, {self.text(rest[0], ATOM)}^{{\mathsf{{T}}}}", PRODUCT
        if called == "sum" and not rest:
            return rf"\textstyle\sum {self.text(first, PRODUCT)}", SUM
        if called == "inv":
            return rf"{self.text(first, ATOM)}^{{-1}}", POWER
        bars = {"sqrt": (r"\sqrt{", "}"), "len": (r"\lvert ", r" \rvert")}
        bars |= dict.fromkeys(("abs", "absolute", "fabs"), (r"\left|", r"\right|"))
        return (self.text(first).join(bars[called]), ATOM) if called in bars else None


def _repeated_number(node: ast.AST) -> ast.Constant | None:
    """The number of which a list consists, as in `[0.0] * n`, which is written like an array of it; else None."""
    while isinstance(node, (ast.ListComp, ast.BinOp, ast.List)):
        if isinstance(node, ast.ListComp):
            node = node.elt
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List):
            if len(node.left.elts) != 1:
                return None
            node = node.left.elts[0]
        elif isinstance(node, ast.List) and {"0.0"} == {ast.unparse(element) for element in node.elts}:
            node = node.elts[0]
        else:
            return None
        if isinstance(node, ast.Constant):
            return node
    return None


def _indices(node: ast.Subscript) -> tuple[ast.expr, list[ast.expr]]:
    """What nested subscripts read, and all their indices."""
    root: ast.expr = node
    parts: list[ast.expr] = []
    while isinstance(root, ast.Subscript):
        parts = [*(root.slice.elts if isinstance(root.slice, ast.Tuple) else [root.slice]), *parts]
        root = root.value
    return root, parts


def _factors(node: ast.expr, is_below: bool) -> Iterator[tuple[ast.expr | None, bool]]:
    """The factors of a product, each with whether it is a divisor; None for a minus sign."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        yield from _factors(node.left, is_below)
        yield from _factors(node.right, is_below != isinstance(node.op, ast.Div))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield None, is_below
        yield from _factors(node.operand, is_below)
    else:
        yield node, is_below


def _is_no_number(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == 1


def _joined(factors: Sequence[str]) -> str:
    """Factors side by side, with a dot before a number."""
    text = factors[0]
    for factor in factors[1:]:
        text += rf" \cdot {factor}" if factor[0].isdigit() else rf" \, {factor}"
    return text
