"""Branches that go one way in every run, because of what the kinds of values or the program's constants decide."""

from __future__ import annotations

import ast

from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.observed_values import Observation
from gradcli.answers.derivation.syntax_trees import argument_names, names_in, stored_names


class DecidedBranches(ast.NodeTransformer):
    """Replaces branches and conditional expressions that are decided by the side that they take.

    `x is None` and `x.ndim == 2` of an array, `isinstance`, and conditions of names from outside the function are.

    Args:
        user: the function, which is modified.
        observation: the outcomes of its conditions.
    """

    def __init__(self, user: UserFunction, observation: Observation) -> None:
        self.observation = observation
        self.own = stored_names(user.tree) | argument_names(user.tree)
        self.generic_visit(user.tree)

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        side = self._side(node.test)
        self.generic_visit(node)
        if side is None:
            return node
        return (node.body if side is True else node.orelse) or ast.copy_location(ast.Pass(), node)

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        side = self._side(node.test)
        self.generic_visit(node)
        return node if side is None else node.body if side else node.orelse

    def _side(self, test: ast.expr) -> bool | None:
        """The outcome of a decided condition; None for others."""
        outcomes = self.observation.of(test).natural
        return next(iter(outcomes)) if len(outcomes) == 1 and self._is_decided(test) else None

    def _is_decided(self, node: ast.expr) -> bool:
        if isinstance(node, ast.BoolOp):
            return all(map(self._is_decided, node.values))
        if isinstance(node, ast.UnaryOp):
            return self._is_decided(node.operand)
        if isinstance(node, ast.Compare):
            is_identity = isinstance(node.ops[0], (ast.Is, ast.IsNot))
            if is_identity and self.observation.kind(node.left).name in ("array", "list", "record"):
                return True
            return all(map(self._is_decided, (node.left, *node.comparators)))
        if isinstance(node, ast.Attribute) and node.attr == "ndim":
            return True
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("isinstance", "callable"):
            return True
        return not names_in(node) & self.own and not any(isinstance(part, ast.Call) for part in ast.walk(node))
