"""Sums in derived text that are bound anew, because a sum in place might change an object of the caller."""

from __future__ import annotations

import ast
import copy

from gradcli.answers.derivation.passes.cleanup import Statements
from gradcli.answers.derivation.syntax_trees import VIEW_CALLS, nodes_in

NEW_RESULTS = {"abs", "bool", "float", "int", "len", "round", "sum", "sum_to"}
"""Functions without a module whose result is a new number; others are the user's, which may return an argument."""


def with_new_sums(statements: Statements, given: set[str]) -> Statements:
    """Statements with `x = x + e` for `x += e` where x may be a given object: an array without axes would change.

    Args:
        statements: the body of a function.
        given: the parameters, and the names from outside.
    """
    pairs = [pair for node in nodes_in(*statements) for pair in _bindings(node)]
    size = 0
    while len(given) > size:  # the names of given objects may have further names
        size = len(given)
        given = given | {target for target, value in pairs if _may_be_given(value, given)}
    return [_with_new_sums(statement, given) for statement in statements]


def _bindings(node: ast.AST) -> list[tuple[str, ast.expr]]:
    """The names that a statement binds, each with what its value comes from."""
    if isinstance(node, ast.Assign):
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.For):
        target, value = node.target, ast.Subscript(node.iter, ast.Constant(0), ast.Load())
    else:
        return []
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    return [(name.id, value) for name in names if isinstance(name, ast.Name)]


def _may_be_given(value: ast.expr, given: set[str]) -> bool:
    """Whether a value may be an object that the caller holds, rather than one that is made here.

    An item is one, and so may be what a called function returns: its argument, or an item of it.
    """
    if isinstance(value, ast.Name):
        return value.id in given
    if isinstance(value, ast.IfExp):
        return _may_be_given(value.body, given) or _may_be_given(value.orelse, given)
    if isinstance(value, ast.Call):
        called = ast.unparse(value.func)
        method = called.rpartition(".")[2] if "." in called else ""
        return method == "pop" or method in VIEW_CALLS or not (method or called in NEW_RESULTS)
    return isinstance(value, (ast.Subscript, ast.Attribute))


def _with_new_sums(node: ast.stmt, given: set[str]) -> ast.stmt:
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id in given:
        total = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return ast.copy_location(ast.Assign([node.target], total), node)
    if not isinstance(node, (ast.If, ast.For, ast.While)):
        return node
    made = copy.copy(node)
    made.body, made.orelse = ([_with_new_sums(inner, given) for inner in block] for block in (node.body, node.orelse))
    return made
