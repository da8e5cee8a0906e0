"""Expressions that mean the same object in every run: what a call may be derived through."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.observed_values import Observation
from gradcli.answers.derivation.reading.user_functions import CLOSURE
from gradcli.answers.derivation.syntax_trees import nodes_in


class ConstantExpressions:
    """The constant expressions of an observed function and of those that it calls.

    An observation shows which function a call reached, at the points that were tried. The derived program holds
    elsewhere only if the call cannot reach another one: if its callee consists of constants, of names from outside the
    function, of names bound once by such an expression, and of parameters to which every call hands such an expression.

    Args:
        observation: the functions with their calls.
    """

    def __init__(self, observation: Observation) -> None:
        self.observation = observation
        self._assumed: set[tuple[str, int]] = set()

    def has(self, node: ast.expr, user: UserFunction) -> bool:
        """Whether an expression of a function means the same object in every run."""
        if isinstance(node, ast.Name):
            return self._is_constant_name(node.id, user)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == CLOSURE:
            return self.has(node.args[0], user)
        if self._is_class(node):
            return True
        users = self.observation.of(node).users if isinstance(node, ast.Call) else []
        if users and all(_makes_one_closure(inner) for inner in users):
            return True
        if isinstance(node, (ast.Constant, ast.Attribute, ast.Subscript, ast.Call)):
            parts = (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr_context))
            return all(self.has(part.value if isinstance(part, ast.keyword) else part, user) for part in parts)  # type: ignore[arg-type]
        return False

    def _is_class(self, node: ast.expr) -> bool:
        """Whether an expression is the class of an object that only holds fields, which is the same in every run."""
        called = node.args if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "type" else []
        owner = node.value if isinstance(node, ast.Attribute) and node.attr == "__class__" else next(iter(called), None)
        return owner is not None and len(self.observation.of(owner).classes) == 1

    def _is_constant_name(self, name: str, user: UserFunction) -> bool:
        if name in user.parameters:
            return self._is_constant_parameter(name, user)
        bindings = stores(name, user)
        values = [
            statement.value
            for statement in user.tree.body
            if isinstance(statement, ast.Assign) and statement.targets == bindings
        ]
        return not bindings or (bool(values) and self.has(values[0], user))

    def _is_constant_parameter(self, name: str, user: UserFunction) -> bool:
        """Whether every call hands over the same; a call of the function by itself is assumed to."""
        key = (name, id(user))
        if user is self.observation.first or stores(name, user):
            return False
        if key in self._assumed:
            return True
        self._assumed.add(key)
        try:
            return all(self.has(argument, caller) for argument, caller in self._handed(name, user))
        finally:
            self._assumed.discard(key)

    def _handed(self, name: str, user: UserFunction) -> Iterator[tuple[ast.expr, UserFunction]]:
        """The arguments that calls hand to a parameter, each with the function that calls."""
        for call, caller in self._calls:
            if user in self.observation.of(call).users:
                arguments = user.bound_expressions(call)
                if name in arguments:
                    yield arguments[name], caller

    @cached_property
    def _calls(self) -> list[tuple[ast.Call, UserFunction]]:
        functions = self.observation.users
        return [(node, user) for user in functions for node in nodes_in(user.tree) if isinstance(node, ast.Call)]


def stores(name: str, user: UserFunction) -> list[ast.Name]:
    """The nodes of a function that bind a name."""
    nodes = (node for node in nodes_in(user.tree) if isinstance(node, ast.Name) and node.id == name)
    return [node for node in nodes if not isinstance(node.ctx, ast.Load)]


def _makes_one_closure(user: UserFunction) -> bool:
    """Whether a function returns a closure of one function in any case."""
    values = [part.value for part in nodes_in(user.tree) if isinstance(part, ast.Return)]
    made = [value for value in values if isinstance(value, ast.Call) and getattr(value.func, "id", "") == CLOSURE]
    return len(made) == len(values) and len({ast.unparse(value.args[0]) for value in made}) == 1
