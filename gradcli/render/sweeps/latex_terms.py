r"""Python terms as LaTeX: quotients as fractions, names with subscripts, products without a sign."""

from __future__ import annotations

import ast
import re
import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

NAME = re.compile(r"(?<![\w.])(?:[^\W\d]|%)[\w%]*(?:\.(?!m?T\b)[^\W\d]\w*)*(?:#\w+(?:\.\w+)*)?")
KEYWORDS = {"None", "True", "False", "and", "or", "not", "if", "else", "in", "lambda", "for"}
GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "rho", "sigma", "tau", "phi", "chi", "psi", "omega", "pi", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Sigma",
    "Phi", "Psi", "Omega",
}  # fmt: skip
LETTERS = {
    unicodedata.lookup(
        f"GREEK {'SMALL' if name.islower() else 'CAPITAL'} LETTER {'LAMDA' if name.lower() == 'lambda' else name}"
    ): rf"\{name}"
    for name in GREEK
}
"""The Greek letters that LaTeX's typewriter font lacks."""
SPECIAL = str.maketrans(
    {sign: f"\\{sign}" for sign in "_#%&${}"}
    | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}
    | {letter: f"${command}$" for letter, command in LETTERS.items()}
)
UPRIGHT = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "max", "min", "det", "arctan", "arcsin", "arccos"}
COMPARISONS = {
    ast.Lt: "<", ast.LtE: r"\le", ast.Gt: ">", ast.GtE: r"\ge", ast.Eq: "=", ast.NotEq: r"\ne",
}  # fmt: skip
SUM, SIGN, PRODUCT, POWER, ATOM = range(5)
Written = tuple[str, int]  # a text and its precedence
MAKING = {"array", "arange", "eye", "ones", "zeros"}  # functions that return an array for any arguments


def maths(text: str, arrays: Collection[str] = ()) -> str:
    """A term as a formula; `arrays` holds the names of arrays, whose products are elementwise."""
    names: dict[str, str] = {}

    def plain(found: re.Match[str]) -> str:
        before, after = found.string[: found.start()], found.string[found.end() :]
        if found[0] in KEYWORDS or before.endswith(("'", '"')) or re.match(r"=(?!=)", after):
            return found[0]
        return names.setdefault(found[0], f"n{len(names)}")

    readable = NAME.sub(plain, text)
    try:
        tree = ast.parse(readable, mode="eval").body
    except SyntaxError:
        return typed(text)
    return _Mathematics({stand: name for name, stand in names.items()}, arrays).written(tree)[0]


def typed(text: str) -> str:
    """Text in typewriter font."""
    return rf"\texttt{{{text.translate(SPECIAL)}}}"


def name_of(name: str) -> str:
    """A name with the part after its first underscore as a subscript, and its version as a superscript."""
    stem, _, version = name.partition("#")
    letter, _, below = stem.partition("_")
    written = _letters(letter) if letter or not below else ""
    if below:
        written += rf"_{{{_letters(below)}}}"
    return written + (rf"^{{({version})}}" if version else "")


def _letters(text: str) -> str:
    """A single letter in italics, a Greek letter by name, a letter with a subscript number, or a word upright."""
    if text in GREEK:
        return f"\\{text}"
    if text in LETTERS:
        return LETTERS[text]
    match = re.fullmatch(r"([^\W\d_])(\d*)", text)
    if match:
        return match[1] + (f"_{{{match[2]}}}" if match[2] else "")
    return rf"\{'mathrm' if text.isascii() else 'text'}{{{text.translate(SPECIAL)}}}"


def number_of(text: str) -> str:
    """A number, with its exponent as a power of ten."""
    digits, _, exponent = text.lower().partition("e")
    return rf"{digits} \cdot 10^{{{int(exponent)}}}" if exponent else {"inf": r"\infty"}.get(digits, digits)


def joined(factors: Sequence[str]) -> str:
    """Factors side by side, with a dot before a number."""
    text = factors[0]
    for factor in factors[1:]:
        is_number = factor[0].isdigit()
        text += rf" \cdot {factor}" if is_number else rf" \, {factor}"
    return text


class _Mathematics:
    """Converts a syntax tree to LaTeX."""

    def __init__(self, names: dict[str, str], arrays: Collection[str]) -> None:
        self.names, self.arrays = names, arrays
        self.writers: dict[type[ast.AST], Callable[..., Written]] = {
            ast.Constant: self.constant,
            ast.Name: self.name,
            ast.UnaryOp: self.unary,
            ast.BinOp: self.binary,
            ast.Compare: self.comparison,
            ast.Subscript: self.subscript,
            ast.Attribute: self.attribute,
            ast.Call: self.call,
            ast.List: self.sequence,
            ast.Tuple: self.sequence,
            ast.Slice: self.slice,
        }

    def written(self, node: ast.AST) -> Written:
        """The text and precedence of a node."""
        writer = self.writers.get(type(node))
        return writer(node) if writer else (typed(self.restored(ast.unparse(node))), ATOM)

    def within(self, node: ast.AST, need: int) -> str:
        """The text of a node, in brackets if its precedence is lower than `need`."""
        text, binding = self.written(node)
        return text if binding >= need else rf"\left({text}\right)"

    def restored(self, text: str) -> str:
        """A text with the original names restored."""
        return re.sub(r"\bn\d+\b", lambda found: self.names.get(found[0], found[0]), text)

    def original(self, node: ast.AST) -> str:
        """The original name of a node; empty if it is not a name."""
        return self.names.get(node.id, node.id) if isinstance(node, ast.Name) else ""

    def is_array(self, node: ast.AST) -> bool:
        """Whether a node is an array, judged by its text."""
        if isinstance(node, ast.Call):
            if self.original(node.func) in MAKING:
                return True
            reduces = self.original(node.func) in ("sum", "max", "min", "mean", "prod", "dot", "linalg.det")
            return not (reduces and not node.keywords) and any(map(self.is_array, node.args))
        if isinstance(node, ast.Subscript):
            whole = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return not all(isinstance(each, (ast.Constant, ast.UnaryOp)) for each in whole)
        if isinstance(node, ast.Name):
            return self.original(node) in self.arrays
        return any(map(self.is_array, ast.iter_child_nodes(node)))

    def constant(self, node: ast.Constant) -> Written:
        if isinstance(node.value, complex):
            return rf"{number_of(repr(node.value.imag))} \mathrm{{i}}", PRODUCT
        if isinstance(node.value, str):
            return typed(repr(self.restored(node.value))), ATOM
        if isinstance(node.value, bool) or node.value is None:
            return rf"\mathrm{{{node.value}}}", ATOM
        return number_of(repr(node.value)), ATOM if "e" not in repr(node.value) else PRODUCT

    def name(self, node: ast.Name) -> Written:
        text = name_of(self.original(node))
        return text, POWER if "^" in text else ATOM

    def unary(self, node: ast.UnaryOp) -> Written:
        if isinstance(node.op, ast.USub):
            return f"-{self.within(node.operand, PRODUCT)}", SIGN
        return typed(self.restored(ast.unparse(node))), ATOM

    def binary(self, node: ast.BinOp) -> Written:
        if isinstance(node.op, (ast.Add, ast.Sub)):
            sign = "+" if isinstance(node.op, ast.Add) else "-"
            return f"{self.within(node.left, SUM)} {sign} {self.within(node.right, PRODUCT)}", SUM
        if isinstance(node.op, ast.Pow):
            return f"{self.within(node.left, ATOM)}^{{{self.written(node.right)[0]}}}", POWER
        if isinstance(node.op, ast.MatMult):
            text, binding = self.written(node.left)
            left = text if binding >= SIGN else rf"\left({text}\right)"
            return joined([left, self.within(node.right, PRODUCT)]), PRODUCT if binding >= PRODUCT else SIGN
        if isinstance(node.op, (ast.Mult, ast.Div)):
            return self.product(node)
        signs = {ast.BitAnd: r"\wedge", ast.BitOr: r"\vee", ast.Mod: r"\bmod", ast.FloorDiv: r"\mathbin{//}"}
        sign = signs.get(type(node.op), "?")
        return f"{self.within(node.left, PRODUCT)} {sign} {self.within(node.right, PRODUCT)}", SUM

    def product(self, node: ast.BinOp) -> Written:
        """Products and quotients as one fraction."""
        sign, above, below = 1, list[ast.expr](), list[ast.expr]()
        for factor, is_below in _factors(node, False):
            inner = factor
            while isinstance(inner, ast.UnaryOp) and isinstance(inner.op, ast.USub):
                sign, inner = -sign, inner.operand
            (below if is_below else above).append(inner)
        above = sorted([each for each in above if not _is_one(each)] or above[:1], key=_is_no_number)
        lead = "-" if sign < 0 else ""
        if not below:
            return lead + self.factors(above), PRODUCT if not lead else SIGN
        return rf"{lead}\frac{{{self.factors(above)}}}{{{self.factors(below)}}}", PRODUCT if not lead else SIGN

    def factors(self, nodes: Sequence[ast.expr]) -> str:
        """Factors side by side, with elementwise products of arrays; a single factor needs no brackets."""
        if len(nodes) == 1:
            return self.written(nodes[0])[0]
        text, seen = "", False
        for node in nodes:
            factor, is_array = self.within(node, PRODUCT), self.is_array(node)
            text = (rf"{text} \odot {factor}" if seen and is_array else joined([text, factor])) if text else factor
            seen = seen or is_array
        return text

    def comparison(self, node: ast.Compare) -> Written:
        text = self.within(node.left, SUM)
        for operator, other in zip(node.ops, node.comparators, strict=True):
            text += f" {COMPARISONS.get(type(operator), '?')} {self.within(other, SUM)}"
        return text, -1

    def subscript(self, node: ast.Subscript) -> Written:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        base = self.within(node.value, ATOM)
        base = f"({base})" if "_" in base or "^" in base else base
        return f"{base}_{{{', '.join(self.written(part)[0] for part in parts)}}}", ATOM

    def slice(self, node: ast.Slice) -> Written:
        bounds = [self.written(bound)[0] if bound else "" for bound in (node.lower, node.upper)]
        return ":".join(bounds) + (f":{self.written(node.step)[0]}" if node.step else ""), ATOM

    def attribute(self, node: ast.Attribute) -> Written:
        if node.attr in ("T", "mT"):
            return rf"{self.within(node.value, ATOM)}^{{\mathsf{{T}}}}", POWER
        return typed(self.restored(ast.unparse(node))), ATOM

    def sequence(self, node: ast.List | ast.Tuple) -> Written:
        rows = [element.elts if isinstance(element, ast.List) else [element] for element in node.elts]
        nested = any(isinstance(element, ast.List) for element in node.elts)
        texts = [" & ".join(self.written(item)[0] for item in row) for row in rows]
        if nested:
            return r"\begin{pmatrix} " + r" \\ ".join(texts) + r" \end{pmatrix}", ATOM
        return rf"\left({', '.join(texts)}\right)", ATOM

    def call(self, node: ast.Call) -> Written:
        function = self.original(node.func) or self.restored(ast.unparse(node.func))
        name = function.removeprefix("np.")
        special = SPECIAL_CALLS.get(name)
        if special and not node.keywords:
            written = special(self, node.args)
            if written is not None:
                return written
        arguments = [self.written(argument)[0] for argument in node.args]
        arguments += [rf"\text{{{keyword.arg}}} = {self.written(keyword.value)[0]}" for keyword in node.keywords]
        head = f"\\{name}" if name in UPRIGHT else rf"\operatorname{{{name.translate(SPECIAL)}}}"
        return rf"{head}\left({', '.join(arguments)}\right)", ATOM


def _factors(node: ast.expr, is_below: bool) -> Iterator[tuple[ast.expr, bool]]:
    """The factors of a product, each with whether it is a divisor."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div)):
        yield from _factors(node.left, is_below)
        yield from _factors(node.right, is_below != isinstance(node.op, ast.Div))
    else:
        yield node, is_below


def _is_no_number(node: ast.expr) -> bool:
    return not isinstance(node, ast.Constant)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.value == 1


def _root(writer: _Mathematics, arguments: Sequence[ast.expr]) -> Written | None:
    return rf"\sqrt{{{writer.written(arguments[0])[0]}}}", ATOM


def _outer(writer: _Mathematics, arguments: Sequence[ast.expr]) -> Written | None:
    one, other = (writer.within(argument, ATOM) for argument in arguments[:2])
    return rf"{one} \, {other}^{{\mathsf{{T}}}}", PRODUCT


def _array(writer: _Mathematics, arguments: Sequence[ast.expr]) -> Written | None:
    return writer.written(arguments[0])


def _where(writer: _Mathematics, arguments: Sequence[ast.expr]) -> Written | None:
    if len(arguments) != 3:
        return None
    condition, one, other = (writer.written(argument)[0] for argument in arguments)
    return rf"\begin{{cases}} {one} & {condition} \\ {other} & \text{{else}} \end{{cases}}", ATOM


def _sized(writer: _Mathematics, arguments: Sequence[ast.expr], left: str, right: str) -> Written | None:
    return rf"\left{left}{writer.written(arguments[0])[0]}\right{right}", ATOM


def _inverse(writer: _Mathematics, arguments: Sequence[ast.expr]) -> Written | None:
    return rf"{writer.within(arguments[0], ATOM)}^{{-1}}", POWER


def _summed(writer: _Mathematics, arguments: Sequence[ast.expr]) -> Written | None:
    return rf"\textstyle\sum {writer.within(arguments[0], PRODUCT)}", SUM if len(arguments) == 1 else ATOM


SPECIAL_CALLS: dict[str, Callable[[_Mathematics, Sequence[ast.expr]], Written | None]] = {
    "sqrt": _root,
    "outer": _outer,
    "array": _array,
    "where": _where,
    "abs": partial(_sized, left="|", right="|"),
    "linalg.inv": _inverse,
    "sum": _summed,
}
