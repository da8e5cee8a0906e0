"""Syntax trees: made from source text with placeholders, and the names that they read, bind or write into."""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)
NO_NAMES: Mapping[str, ast.expr] = MappingProxyType({})
MARKS = (ast.expr_context, ast.operator, ast.unaryop, ast.boolop, ast.cmpop)  # without fields, shared by copies


@cache
def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def expression(text: str, **names: ast.expr) -> ast.expr:
    """The expression for a text, with some of its names replaced by expressions."""
    return filled(_parsed(text), names)


def filled(tree: Node, names: Mapping[str, ast.expr] = NO_NAMES) -> Node:
    """A copy of a syntax tree with some of its names replaced by expressions."""
    if isinstance(tree, ast.Name) and tree.id in names:
        return filled(names[tree.id])  # type: ignore[return-value]
    made: Node = type(tree).__new__(type(tree))
    vars(made).update((field, _filled(value, names)) for field, value in vars(tree).items())
    return made


def _filled(value: Any, names: Mapping[str, ast.expr]) -> Any:
    if isinstance(value, list):
        return [_filled(item, names) for item in value]
    return filled(value, names) if isinstance(value, ast.AST) and not isinstance(value, MARKS) else value


class _Replaced(ast.NodeTransformer):
    def __init__(self, part: ast.expr, made: str) -> None:
        self.text, self.made = ast.dump(part), made

    def visit(self, node: ast.AST) -> ast.AST:
        if ast.dump(node) == self.text:
            return name(self.made)
        return self.generic_visit(node)


def replaced(tree: Node, part: ast.expr, made: str) -> Node:
    """A copy of a syntax tree with a name wherever an expression stood."""
    return _Replaced(part, made).visit(filled(tree))  # type: ignore[return-value]


def nodes_in(*trees: ast.AST) -> list[ast.AST]:
    """The nodes of syntax trees in the order of `ast.walk`, in a fifth of its time."""
    nodes = [*trees]
    for node in nodes:  # grows meanwhile
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                nodes.append(value)
            elif isinstance(value, list):
                nodes += [item for item in value if isinstance(item, ast.AST)]
    return nodes


def name(text: str) -> ast.Name:
    """A name to be read."""
    return ast.Name(text, ast.Load())


def assign(target: str | ast.expr, value: ast.expr) -> ast.Assign:
    """`target = value`."""
    return ast.Assign([assignment_target(target)], value, lineno=0)


def copied(value: ast.expr, kind: str) -> ast.expr:
    """A copy of a list, a record or an array."""
    return expression({"list": "list(_x)", "record": "dict(_x)"}.get(kind, "_x.copy()"), _x=value)


def located(node: Any, like: ast.AST) -> Any:
    """A made node, and what is made in it, in the line of another one."""
    for part in nodes_in(node):
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
    made = filled(target)
    made.ctx = ast.Store()  # type: ignore[attr-defined]
    return made


def names_in(*trees: ast.AST) -> set[str]:
    """The names in syntax trees, read or stored."""
    return {part.id for part in nodes_in(*trees) if isinstance(part, ast.Name)}


def bound_values(tree: ast.AST, names: set[str]) -> list[ast.expr]:
    """The values that the assignments in a syntax tree bind to some names, also by a conditional expression."""
    assignments = (node for node in nodes_in(tree) if isinstance(node, ast.Assign))
    values = [node.value for node in assignments if stored_names(*node.targets) & names]
    for value in values:  # grows meanwhile
        values += [value.body, value.orelse] if isinstance(value, ast.IfExp) else []
    return values


def argument_names(tree: ast.AST) -> set[str]:
    """The parameters in a syntax tree, with those of lambdas."""
    return {node.arg for node in nodes_in(tree) if isinstance(node, ast.arg)}


def stored_names(*trees: ast.AST) -> set[str]:
    """The names that syntax trees bind."""
    nodes = (node for node in nodes_in(*trees) if isinstance(node, ast.Name))
    return {node.id for node in nodes if isinstance(node.ctx, ast.Store)}


def indices_of(node: ast.Subscript) -> list[ast.expr]:
    """The index of each axis."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def is_new_axis(index: ast.AST) -> bool:
    """Whether an index is None, which makes an axis of length 1."""
    return isinstance(index, ast.Constant) and index.value is None


def is_dots(index: ast.AST) -> bool:
    """Whether an index is `...`."""
    return isinstance(index, ast.Constant) and index.value is ...


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


def has_stars(call: Any) -> bool:
    """Whether a call hands over the items of a list or a dict."""
    return any(isinstance(argument, ast.Starred) for argument in call.args) or any(k.arg is None for k in call.keywords)


def is_field(node: ast.expr) -> bool:
    """Whether an expression is an item of a record, `x["key"]`."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def changed_names(*trees: ast.AST) -> set[str]:
    """The names that syntax trees bind or write into."""
    places = (ast.Name, ast.Subscript, ast.Attribute)
    nodes = (node for node in nodes_in(*trees) if isinstance(node, places))
    return {owner_of(node) for node in nodes if isinstance(node.ctx, ast.Store)} - {""}


MUTATORS = frozenset(("append", "extend", "insert", "pop", "sort", "fill", "update"))

VIEW_CALLS = frozenset((
    "asanyarray", "asarray", "ascontiguousarray", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to", "diagonal",
    "expand_dims", "flip", "fliplr", "flipud", "moveaxis", "ravel", "real", "require", "reshape", "rollaxis", "rot90",
    "squeeze", "swapaxes", "transpose", "view",
))  # fmt: skip
"""The functions of NumPy, and methods of arrays, whose result may be their argument or a view of it."""


def viewed_by(node: ast.expr) -> str:
    """The name of which an expression may be a part, or a view; empty if there is none."""
    while not isinstance(node, ast.Name):
        called = node.func if isinstance(node, ast.Call) else None
        if isinstance(called, ast.Attribute) and called.attr in VIEW_CALLS:
            is_method = ast.unparse(called.value) != "np"
            node = called.value if is_method else node.args[0]  # type: ignore[attr-defined]
        elif isinstance(node, (ast.Subscript, ast.Attribute)):
            node = node.value
        else:
            return ""
    return node.id


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
    return ast.unparse(node if isinstance(node, ast.expr) else ast.fix_missing_locations(filled(node)))


def added_at(place: ast.expr, value: ast.expr) -> ast.stmt:
    """A statement that adds to a place as often as its index names it."""
    assert isinstance(place, ast.Subscript)
    has_slice = any(isinstance(index, ast.Slice) for index in indices_of(place))
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
