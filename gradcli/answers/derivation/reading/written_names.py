"""The names that syntax trees bind or write into."""

from __future__ import annotations

import ast


def root_of(node: ast.expr) -> str:
    """The name whose item an expression is; empty if there is none."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_field(node: ast.expr) -> bool:
    """Whether an expression is an item of a record, `x["key"]`."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def changed_names(*trees: ast.AST) -> set[str]:
    """The names that syntax trees bind or write into."""
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Subscript)))
    return {root_of(node) for node in nodes if isinstance(node.ctx, ast.Store)} - {""}
