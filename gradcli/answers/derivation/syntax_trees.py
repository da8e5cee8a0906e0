"""Syntax trees: made from source text with placeholders, and the names that they read, bind or write into."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)


@cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


class _Filling(ast.NodeTransformer):
    def __init__(self, names: dict[str, ast.expr]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        filled = self.names.get(node.id)
        return copy.deepcopy(filled) if filled is not None else node


def expression(text: str, **names: ast.expr) -> ast.expr:
    """The expression for a text, with some of its names replaced by expressions."""
    return filled(_parsed(text), names)


def filled(tree: Node, names: dict[str, ast.expr]) -> Node:
    """A copy of a syntax tree with some of its names replaced by expressions."""
    made: Node = _Filling(names).visit(copy.deepcopy(tree))
    return made


def name(text: str) -> ast.Name:
    """A name to be read."""
    return ast.Name(text, ast.Load())


def assign(target: str | ast.expr, value: ast.expr) -> ast.Assign:
    """`target = value`."""
    return ast.Assign([assignment_target(target)], value, lineno=0)


def copied(value: ast.expr, kind: str) -> ast.expr:
    """A copy of a list, a record or an array."""
    return expression({"list": "list(_x)", "record": "dict(_x)"}.get(kind, "np.array(_x)"), _x=value)


def located(node: Any, like: ast.AST) -> Any:
    """A made node, and what is made in it, in the line of another one."""
    for part in ast.walk(node):
        if isinstance(part, (ast.stmt, ast.expr)) and not hasattr(part, "lineno"):
            ast.copy_location(part, like)
    return node


def with_body(loop: ast.For | ast.While, body: list[ast.stmt]) -> ast.For | ast.While:
    """A loop with another body, and nothing after it."""
    made = copy.copy(loop)
    made.body, made.orelse = body, []
    return made


def tuple_of(names: Sequence[str], context: ast.expr_context) -> ast.expr:
    """A name, or the tuple of several."""
    parts: list[ast.expr] = [ast.Name(text, context) for text in names]
    return parts[0] if len(parts) == 1 else ast.Tuple(parts, context)


def accumulate(target: str | ast.expr, value: ast.expr) -> ast.AugAssign:
    """`target += value`, or `target -= …` for a negated value."""
    operator: ast.operator = ast.Add()
    if isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.USub):
        operator, value = ast.Sub(), value.operand
    return ast.AugAssign(assignment_target(target), operator, value)


def assignment_target(target: str | ast.expr) -> Any:
    """A name or an expression as an assignment target."""
    if isinstance(target, str):
        return ast.Name(target, ast.Store())
    made = copy.deepcopy(target)
    made.ctx = ast.Store()  # type: ignore[attr-defined]
    return made


def names_in(node: ast.AST | list[Any]) -> set[str]:
    """The names in a syntax tree, read or stored."""
    names = set()
    waiting: list[Any] = [node]
    while waiting:  # faster than `ast.walk`, which keeps an order
        part = waiting.pop()
        if isinstance(part, list):
            waiting += part
        elif isinstance(part, ast.Name):
            names.add(part.id)
        elif isinstance(part, ast.AST):
            waiting += [getattr(part, field, None) for field in part._fields]
    return names


def argument_names(tree: ast.AST) -> set[str]:
    """The parameters in a syntax tree, with those of lambdas."""
    return {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}


def stored_names(*trees: ast.AST) -> set[str]:
    """The names that syntax trees bind."""
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def root_of(node: ast.expr) -> str:
    """The name whose item an expression is; empty if there is none."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def owner_of(node: ast.AST) -> str:
    """The name of which an expression is an item or an attribute, at any depth; empty if there is none."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_field(node: ast.expr) -> bool:
    """Whether an expression is an item of a record, `x["key"]`."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def changed_names(*trees: ast.AST) -> set[str]:
    """The names that syntax trees bind or write into."""
    places = (ast.Name, ast.Subscript, ast.Attribute)
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, places))
    return {owner_of(node) for node in nodes if isinstance(node.ctx, ast.Store)} - {""}


MUTATORS = frozenset(("append", "extend", "insert", "pop", "sort", "fill", "update"))


def written_into(node: ast.AST, methods: Collection[str] = MUTATORS) -> str:
    """The name into which a node writes: by index or attribute, by a method, or by `np.add.at`; empty for none."""
    if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, ast.Store):
        return owner_of(node)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in methods:
            return root_of(node.func.value)
        return root_of(node.args[0]) if ast.unparse(node.func).endswith("add.at") else ""
    return ""


def text_of(node: ast.AST) -> str:
    """A syntax tree as source text."""
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))


def added_at(place: ast.expr, value: ast.expr) -> ast.stmt:
    """A statement that adds to a place as often as its index names it."""
    assert isinstance(place, ast.Subscript)
    has_slice = any(isinstance(node, ast.Slice) for node in ast.walk(place.slice))
    index = expression("np.s_[_i]", _i=place.slice) if has_slice else place.slice
    return ast.Expr(expression("np.add.at(_y, _i, _x)", _y=place.value, _i=index, _x=value))


class NamesInUse(set[str]):
    """The names of a program."""

    def fresh(self, stem: str) -> str:
        """Add an unused name based on `stem`, and return it."""
        unused, count = stem, 0
        while unused in self:
            count += 1
            unused = f"{stem}_{count}"
        self.add(unused)
        return unused


def product(factor: ast.expr, other: ast.expr) -> ast.expr:
    """A product, without a factor of 1, and with a sign moved to the front."""
    for one, rest in ((factor, other), (other, factor)):
        if isinstance(one, ast.Constant) and one.value in (1, 1.0) and type(one.value) is not bool:
            return rest
        if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub):
            inner = product(one.operand, rest) if one is factor else product(rest, one.operand)
            return negative(inner)
    return ast.BinOp(factor, ast.Mult(), other)


def negative(node: ast.expr) -> ast.expr:
    """The negation; a double negation cancels."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return node.operand
    return ast.UnaryOp(ast.USub(), node)


def quotient(numerator: ast.expr, denominator: ast.expr) -> ast.expr:
    """A quotient, with a sign moved to the front."""
    if isinstance(numerator, ast.UnaryOp) and isinstance(numerator.op, ast.USub):
        return negative(ast.BinOp(numerator.operand, ast.Div(), denominator))
    return ast.BinOp(numerator, ast.Div(), denominator)
