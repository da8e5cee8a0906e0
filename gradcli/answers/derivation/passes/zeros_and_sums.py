"""Zeros and sums of sensitivities and tangents, in the structure of the values that they belong to."""

from __future__ import annotations

import ast

from gradcli.answers.derivation.reading.value_kind import STATIC, ValueKind
from gradcli.answers.derivation.syntax_trees import (
    accumulate,
    assign,
    expression,
    name,
)


def zero_of(kind: ValueKind, value: ast.expr) -> ast.expr:
    """Zero with the structure of a value."""
    if kind.name == "array":
        return expression("np.zeros_like(_x)", _x=value)
    if kind.fields:
        made = _of_fields(kind, [zero_of(field, _field(value, key)) for key, field in kind.fields])
        return expression("None if _x is None else _z", _x=value, _z=made) if kind.is_optional else made
    if kind.name == "list":
        item, value = kind.item or STATIC, expression("_x or ()", _x=value) if kind.is_optional else value
        if item.name in ("number", "static", "mixed"):
            return expression("[0.0] * len(_x)", _x=value)
        return expression("[_z for each in _x]", _z=zero_of(item, name("each")), _x=value)
    return ast.Dict([], []) if kind.name == "record" else ast.Constant(0.0)


def _field(value: ast.expr, key: str | int) -> ast.expr:
    return ast.Subscript(value, ast.Constant(key), ast.Load())


def _of_fields(kind: ValueKind, items: list[ast.expr]) -> ast.expr:
    """A record, or a list of several kinds, with these items."""
    if kind.name == "list":
        return ast.List(items, ast.Load())
    return ast.Dict([ast.Constant(key) for key, _ in kind.fields], items)


def added(target: str | ast.expr, amount: ast.expr, kind: ValueKind, in_place: bool = False) -> ast.stmt:
    """A statement that adds an amount to a sensitivity; an array gets a new object, because it may have an alias."""
    place = name(target) if isinstance(target, str) else target
    if kind.name in ("list", "record"):
        return assign(target, sum_of(kind, place, amount))
    if kind.name == "array" and not in_place:
        if isinstance(amount, ast.UnaryOp) and isinstance(amount.op, ast.USub):
            return assign(target, ast.BinOp(place, ast.Sub(), amount.operand))
        return assign(target, ast.BinOp(place, ast.Add(), amount))
    return accumulate(target, amount)


def sum_of(kind: ValueKind, one: ast.expr, other: ast.expr) -> ast.expr:
    """The sum of two lists or records, item by item."""
    if kind.fields:
        pairs = [(inner, _field(one, key), _field(other, key)) for key, inner in kind.fields]
        made = _of_fields(kind, [sum_of(*pair) for pair in pairs])
        return expression("None if _x is None else _z", _x=one, _z=made) if kind.is_optional else made
    if kind.name not in ("list", "record"):
        return ast.BinOp(one, ast.Add(), other)
    inner = sum_of(kind.item or STATIC, name("p"), name("q"))
    return expression("[_z for p, q in zip(_x, _y)]", _z=inner, _x=one, _y=other)
