"""The derivatives of operations as source text, from the partials in the rule table.

A `pull` is the term that a sensitivity of the result adds to that of an operand. A `push` is the term that a tangent of
an operand adds to that of the result.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from gradcli.answers.derivation.reading.value_kind import ValueKind
from gradcli.answers.derivation.refusals import STRAIGHT
from gradcli.answers.derivation.syntax_trees import expression, name, negative, product, quotient, text_of
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
from gradcli.mathematics.language.syntax import LIST, Apply, Name, Number, Syntax, fold, is_element, is_zero
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.frozen_record import Frozen

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
_KNOWN = {id(_SCALAR): {*SCALAR_CALLS, *_SCALAR.inline, "pow"}, id(_ARRAY): {*ARRAY_CALLS, *_ARRAY.inline, "pow"}}
CT, VALUE = "__ct__", "__v__"


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
    emitter: Emitter = _ARRAY if on_arrays else _SCALAR
    known, places = _KNOWN[id(emitter)], {name: f"_{n}_" for n, name in enumerate(names)}

    def leaf(node: Number | Name) -> Piece:
        if isinstance(node, Number):
            return literal(node.value)
        if node.id in names:
            return places[node.id], ATOM
        return (f"math.{node.id}" if not on_arrays else f"np.{node.id}"), ATOM

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
            raise UnsupportedError(f"the function {node.function} has no written form", hint=STRAIGHT)
        pieces = dict(zip(rule.parameters, arguments, strict=True))

        def operand(node: Number | Name) -> Piece:
            return pieces[node.id] if isinstance(node, Name) and node.id in pieces else leaf(node)

        return fold(rule.value_tree, operand, apply)

    text = fold(tree, leaf, apply)[0]
    return expression(text, **{places[name]: value for name, value in names.items()})


def rules_by_formula(tree: Syntax, on_arrays: bool) -> dict[str, Elementwise]:
    """The functions in a formula that only a formula of other functions defines, with their rules."""
    known = _KNOWN[id(_ARRAY if on_arrays else _SCALAR)]
    rules = {word: RULES.get(word) for word in used_functions(tree) if word not in known}
    return {word: rule for word, rule in rules.items() if isinstance(rule, Elementwise) and not rule.special}


def _of_scipy(function: str, arguments: list[Piece]) -> Piece:
    """A call of a function of `scipy.special`; `airy:2` is the third result of `airy`."""
    theirs, _, part = function.partition(":")
    text = f"special.{theirs}({', '.join(argument for argument, _ in arguments)})"
    return (f"{text}[{part}]" if part else text), ATOM


class ActiveOperation(Frozen, eq=False):
    """An operation with a derivative.

    Args:
        operands: names and constants.
        kinds: the kinds of the operands.
        kind: the kind of the result.
    """

    operands: tuple[ast.expr, ...]
    kinds: tuple[ValueKind, ...]
    kind: ValueKind

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        """The term that the sensitivity `ct` of the result `value` adds to that of an operand; None for zero."""
        raise NotImplementedError

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        """The tangent of the result from those of the operands; None for zero."""
        raise NotImplementedError

    def fit(self, place: int) -> str:
        """The sum that reduces a sensitivity of the result's shape to an operand's.

        "" for none, "all", "first" for the first axes, or "to".
        """
        return ""

    def fitted(self, place: int, ct: ast.expr) -> ast.expr:
        """A sensitivity summed over the axes along which an operand was broadcast."""
        fit = self.fit(place)
        if fit == "all":
            return expression("np.sum(_ct)", _ct=ct)
        if fit == "first":
            return expression("np.sum(_ct, axis=0)", _ct=ct)
        if fit == "to":
            return expression("sum_to(_ct, np.shape(_x))", _ct=ct, _x=self.operands[place])
        return ct

    def broadcast(self, place: int, tangent: ast.expr, value: ast.expr) -> ast.expr:
        """A tangent with the shape of the result."""
        if self.kind.name == "array" and self.fit(place):
            return expression("_t + np.zeros_like(_v)", _t=tangent, _v=value)
        return tangent


class ByPartials(ActiveOperation, eq=False):
    """An elementwise operation, differentiated by the partials of its row."""

    fits: tuple[str, ...]
    rule: Elementwise

    def fit(self, place: int) -> str:
        return self.fits[place]

    def term(self, place: int, factor: ast.expr, value: ast.expr) -> ast.expr | None:
        """The product of a partial with a factor, in the shape to which the operands are broadcast; None for zero."""
        exponent = constant_of(self.operands[1]) if self.rule.is_power and place == 0 else None
        if exponent is not None:
            return self._power(exponent, factor)
        tree = self.rule.slopes.trees[place]
        if tree is None or is_zero(tree):
            return None
        names = {**dict(zip(self.rule.parameters, self.operands, strict=True)), "v": value}
        on_arrays = self.kind.name == "array"
        if self.rule.selects:
            return self._selected(tree, names, factor)
        if isinstance(tree, Apply) and tree.function == "div":
            numerator, denominator = (python_formula(argument, names, on_arrays) for argument in tree.arguments)
            return quotient(product(_folded(numerator), factor), denominator)
        return product(_folded(python_formula(tree, names, on_arrays)), factor)

    def _power(self, exponent: float, factor: ast.expr) -> ast.expr | None:
        """The partial of a power with a constant exponent, without a logarithm or a case for exponent 0."""
        base = self.operands[0]
        if exponent == 0:
            return None
        if exponent == 1:
            return factor
        power = base if exponent == 2 else expression("_x ** _n", _x=base, _n=constant(exponent - 1))
        return product(product(constant(exponent), power), factor)

    def _selected(self, tree: Syntax, names: Mapping[str, ast.expr], factor: ast.expr) -> ast.expr:
        """A partial with branches, in which an element that was not selected contributes exactly zero."""
        choice = "np.where(_c, _a, _b)" if self.kind.name == "array" else "_a if _c else _b"
        zero: ast.expr = ast.Constant(0.0)
        if isinstance(tree, Apply) and tree.function == "where":
            test, *sides = tree.arguments
            shares = [side.value if isinstance(side, Number) else None for side in sides]
            if shares in ([1, 0], [0, 1]):
                one, other = (factor, zero) if shares[0] else (zero, factor)
                return expression(choice, _c=python_formula(test, names, self.kind.name == "array"), _a=one, _b=other)
        share = python_formula(tree, names, self.kind.name == "array")
        if self.kind.name == "array":
            return expression("np.where(_s, _s * _ct, 0.0)", _s=share, _ct=factor)
        return expression("_s * _ct if _s else 0.0", _s=share, _ct=factor)

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        term = self.term(place, ct, value)
        return None if term is None else self.fitted(place, term)

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        terms = []
        for place, tangent in tangents.items():
            term = self.term(place, tangent, value)
            if term is not None:
                terms.append(self.broadcast(place, term, value))
        return total(terms)


def constant_of(node: ast.expr) -> float | None:
    """The number in a constant expression; None for other expressions."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        inner = constant_of(node.operand)
        return None if inner is None else -inner
    is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
    return node.value if is_number else None  # type: ignore[attr-defined]


def constant(number: float) -> ast.expr:
    """A number as an expression."""
    return negative(ast.Constant(-number)) if number < 0 else ast.Constant(number)


def _folded(node: ast.expr) -> ast.expr:
    """A constant -1 as a sign."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return negative(node.operand)
    return node


def total(terms: Sequence[ast.expr]) -> ast.expr | None:
    """The sum of some terms; None without terms."""
    if not terms:
        return None
    sum_so_far = terms[0]
    for term in terms[1:]:
        if isinstance(term, ast.UnaryOp) and isinstance(term.op, ast.USub):
            sum_so_far = ast.BinOp(sum_so_far, ast.Sub(), term.operand)
        else:
            sum_so_far = ast.BinOp(sum_so_far, ast.Add(), term)
    return sum_so_far


class Identity(ActiveOperation, eq=False):
    """An operation that returns its operand, with the sum that reduces a sensitivity to the operand's shape."""

    reduction: str = ""

    def fit(self, place: int) -> str:
        return self.reduction

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        return ct

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        return tangents.get(0)


class SignedSum(ActiveOperation, eq=False):
    """A sum of its operands, each with a sign."""

    signs: tuple[int, ...]

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        return ct if self.signs[place] > 0 else negative(ct)

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        return total([t if self.signs[n] > 0 else negative(t) for n, t in tangents.items()])


class ElementRead(ActiveOperation, eq=False):
    """`source[index]`; its sensitivity is added in place.

    Args:
        scatters: whether the index is an array of integers, which may repeat an index.
    """

    place: ast.expr
    scatters: bool = False

    def at(self, whole: str) -> ast.expr:
        """The same place in another array or list."""
        source = self.operands[0]
        assert isinstance(source, ast.Name)
        return expression(text_of(self.place), **{source.id: name(whole)})

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        tangent = tangents.get(0)
        return self.at(tangent.id) if isinstance(tangent, ast.Name) else None


class ByTemplate(ActiveOperation, eq=False):
    """An operation with pulls and pushes given as text, in `ct`, `v`, and `x`, `y`, `z` for the operands.

    Args:
        pulls: one per operand; empty for none.
        pushes: one per operand, with `t` for the tangent.
        uniform: the number in `ct` that is the term of each element of `x`, if all have the same; otherwise empty.
    """

    pulls: tuple[str, ...]
    pushes: tuple[str, ...]
    extra: Mapping[str, ast.expr] = MappingProxyType({})
    uniform: str = ""

    def _names(self, value: ast.expr) -> dict[str, ast.expr]:
        return {**dict(zip("xyzuw", self.operands, strict=False)), "v": value, **self.extra}

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        text = self.pulls[place]
        return expression(text, ct=ct, **self._names(value)) if text else None

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        names = self._names(value)
        return total([expression(self.pushes[n], t=t, **names) for n, t in tangents.items() if self.pushes[n]])

    def number(self, ct: ast.expr, like: ast.expr) -> ast.expr:
        """The term of each element if all have the same, for an operand with the shape of `like`."""
        return expression(self.uniform, ct=ct, x=like)


class ListDisplay(ActiveOperation, eq=False):
    """`[a, b, c]`, a list or tuple of its operands."""

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        return expression("_ct[_n]", _ct=ct, _n=ast.Constant(place))

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        zeros: list[ast.expr] = [
            expression("np.zeros_like(_x)", _x=operand) if kind.name == "array" else ast.Constant(0.0)
            for operand, kind in zip(self.operands, self.kinds, strict=True)
        ]
        return ast.List([tangents.get(n, zero) for n, zero in enumerate(zeros)], ast.Load())


class RecordDisplay(ListDisplay, eq=False):
    """`{"a": a, "b": b}`, a dict of its operands."""

    keys: tuple[str, ...]

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        return expression("_ct[_k]", _ct=ct, _k=ast.Constant(self.keys[place]))

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        made = super().push(tangents, value)
        return ast.Dict([ast.Constant(key) for key in self.keys], made.elts)  # type: ignore[union-attr]


class ArrayDisplay(ActiveOperation, eq=False):
    """An array of numbers from a list display."""

    pulls: tuple[str, ...]
    tree: ast.expr

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        return expression(self.pulls[place], ct=ct)

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        zero: ast.expr = ast.Constant(0.0)
        leaves = iter([tangents.get(n, zero) for n in range(len(self.operands))])
        return ast.Call(expression("np.array"), [rebuilt(self.tree, leaves)], [])


def written_items(node: ast.expr, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], ast.expr]]:
    """The items of nested list displays, each with its indices."""
    for n, element in enumerate(node.elts):  # type: ignore[attr-defined]
        if isinstance(element, (ast.List, ast.Tuple)):
            yield from written_items(element, (*path, n))
        else:
            yield (*path, n), element


def rebuilt(node: ast.expr, atoms: Iterator[ast.expr]) -> ast.expr:
    """Nested list displays with other items."""
    if isinstance(node, (ast.List, ast.Tuple)):
        return ast.List([rebuilt(element, atoms) for element in node.elts], ast.Load())
    return next(atoms)
