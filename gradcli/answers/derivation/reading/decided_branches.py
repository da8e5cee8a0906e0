"""Branches that go one way in every run, because of what the kinds of values or the program's constants decide."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from gradcli.answers.derivation.reading.constant_expressions import ConstantExpressions, stores
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.syntax_trees import names_in, nodes_in

KIND_TESTS = ("isinstance", "callable", "isscalar")
EXITS = ast.Return, ast.Break, ast.Continue


class DecidedBranches(ast.NodeTransformer):
    """Replaces branches, conditional expressions and `try` statements that are decided by the side that they take.

    `x is None` and `x.ndim == 2` of an array, `isinstance`, and conditions of constants are: of names from outside the
    function, and of parameters to which every call hands the same. So is the size of an array that is a parameter, if
    the program serves the sizes of the point alone.

    Args:
        user: the function, which is modified.
        constants: the expressions of one value, and the outcomes of conditions.
        handles: whether a `try` can be replaced by what every run does of it: the program raises as the function does.
        keeps_sizes: whether the program serves the sizes of the point alone.
    """

    def __init__(self, user: UserFunction, constants: ConstantExpressions, *, handles: bool, keeps_sizes: bool) -> None:
        self.user = user
        self.constants = constants
        self.observation = constants.observation
        self.handles = handles
        self.sized = user.parameters if keeps_sizes and user is constants.observation.first else ()
        self.generic_visit(user.tree)

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        side = self._side(node.test)
        self.generic_visit(node)
        if side is None:
            return node
        return (node.body if side is True else node.orelse) or ast.copy_location(ast.Pass(), node)

    def visit_Try(self, node: ast.Try) -> ast.stmt | list[ast.stmt]:
        ways = dict(self.observation.of(node).ways)
        began = ways.pop((), 0)
        inside = [*node.body, *node.orelse, *node.handlers, *node.finalbody] if node.finalbody else []
        leaves = any(isinstance(inner, EXITS) for inner in nodes_in(*inside))  # before `finally`, or within it
        steps = [*node.body, *node.orelse]
        raises = any(self._is_handled(inner, node) for part in node.body for inner in nodes_in(part))
        is_amid = any(hasattr(node.body[step], "body") for step, *_ in ways)  # of a loop, which the handler ends
        if leaves or raises or is_amid or (node.handlers and not self.handles):
            return node
        if (ways and [*ways.values()] != [began]) or not all(is_of_kinds for *_, is_of_kinds in ways):
            return node
        for step, handler, _ in ways:
            steps = [*node.body[:step], *node.handlers[handler].body]
        made = ast.copy_location(ast.Try([*steps, *node.finalbody], [], [], []), node)
        self.generic_visit(made)
        return made.body

    def _is_handled(self, node: ast.AST, around: ast.Try) -> bool:
        """Whether a node raises what a handler of a `try` may handle."""
        if not isinstance(node, ast.Raise) or not around.handlers:
            return False
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        parts = [raised, *(handler.type for handler in around.handlers)]
        kinds: list[Any] = [self.user.namespace.get(getattr(part, "id", "")) for part in parts]
        return not all(isinstance(kind, type) for kind in kinds) or issubclass(kinds[0], tuple(kinds[1:]))

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        side = self._side(node.test)
        self.generic_visit(node)
        return node if side is None else node.body if side else node.orelse

    def _side(self, test: ast.expr) -> bool | None:
        """The outcome of a decided condition; None for others."""
        outcomes = self.observation.of(test).natural
        is_one = len(outcomes) == 1 and (self._is_size(test) or is_decided(test, self.user, self.constants))
        return next(iter(outcomes)) if is_one else None

    def _is_size(self, test: ast.expr) -> bool:
        """Whether a condition is the size of an array that is a parameter, and of no other."""
        owner = test.value if isinstance(test, ast.Attribute) and test.attr == "size" else None
        is_parameter = isinstance(owner, ast.Name) and owner.id in self.sized and not stores(owner.id, self.user)
        return is_parameter and self.observation.kind(owner).name == "array"  # type: ignore[arg-type]


def is_decided(node: ast.expr, user: UserFunction, constants: ConstantExpressions) -> bool:
    """Whether a condition in a function has the same outcome for all values of their kinds."""
    observation = constants.observation
    parts: Sequence[ast.expr] = ()
    if isinstance(node, ast.BoolOp):
        parts = node.values
    elif isinstance(node, ast.UnaryOp):
        parts = [node.operand]
    elif isinstance(node, ast.Compare):
        is_identity = isinstance(node.ops[0], (ast.Is, ast.IsNot))
        if is_identity and observation.kind(node.left).name in ("array", "list", "record"):
            return len(observation.of(node).own) < 2  # both, if a name holds None on another path
        parts = node.left, *node.comparators
    if parts:
        return all(is_decided(part, user, constants) for part in parts)
    if isinstance(node, ast.Call):
        users = observation.of(node).users
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        return all(_is_predicate(inner, constants) for inner in users) if users else called in KIND_TESTS
    has_call = any(isinstance(part, ast.Call) for part in nodes_in(node))
    is_rank = isinstance(node, ast.Attribute) and node.attr == "ndim"
    return is_rank or (not has_call and all(constants.has(ast.Name(name), user) for name in names_in(node)))


def _is_predicate(user: UserFunction, constants: ConstantExpressions) -> bool:
    """Whether a function consists of decided conditions, and returns their outcomes."""
    return all(_is_step_of_predicate(statement, user, constants) for statement in user.tree.body)


def _is_step_of_predicate(node: ast.stmt, user: UserFunction, constants: ConstantExpressions) -> bool:
    if isinstance(node, ast.If):
        taken = constants.observation.of(node.test).natural
        steps = [*(node.body if True in taken else []), *(node.orelse if False in taken else [])]
        return is_decided(node.test, user, constants) and all(
            _is_step_of_predicate(step, user, constants) for step in steps
        )
    if isinstance(node, ast.Return):
        return node.value is not None and is_decided(node.value, user, constants)
    return isinstance(node, (ast.Raise, ast.Expr))
