"""The derivatives of operations as source text, from the partials in the rule table.

A `pull` is the term that a sensitivity of the result adds to that of an operand. A `push` is the term that a tangent of
an operand adds to that of the result.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from gradcli.answers.derivation.intermediate.python_formulas import python_formula
from gradcli.answers.derivation.reading.value_kind import Fit, ValueKind
from gradcli.answers.derivation.syntax_trees import expression, name, negative, product, quotient, text_of
from gradcli.mathematics.language.syntax import Apply, Number, Syntax, is_zero
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.shared.frozen_record import Frozen


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

    def fit(self, place: int) -> Fit:
        """The sum that reduces a sensitivity of the result's shape to an operand's."""
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
        return expression(f"np.sum(_ct, {fit})", _ct=ct) if fit else ct

    def broadcast(self, place: int, tangent: ast.expr, value: ast.expr) -> ast.expr:
        """A tangent with the shape of the result."""
        if self.kind.name == "array" and self.fit(place):
            return expression("_t + np.zeros_like(_v)", _t=tangent, _v=value)
        return tangent


class ByPartials(ActiveOperation, eq=False):
    """An elementwise operation, differentiated by the partials of its row."""

    fits: tuple[Fit, ...]
    rule: Elementwise

    def fit(self, place: int) -> Fit:
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

    reduction: Fit = ""

    def fit(self, place: int) -> Fit:
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
        uniform: the number in `ct` that is the term of each element of `x`, if all have the same, or an array of fewer
            elements that is broadcast to them; otherwise empty.
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
        return expression(self.uniform, ct=ct, x=like, **self.extra)


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
