"""Activity analysis: the names of a function that depend on its active parameters, on any path."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import ModuleType

import numpy as np

from gradcli.answers.derivation.reading.constant_expressions import ConstantExpressions
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.observed_values import Observation
from gradcli.answers.derivation.reading.user_functions import is_users
from gradcli.answers.derivation.reading.value_kind import NONE, NUMBER, STATIC, ValueKind
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import nodes_in, text_of

# Functions of floats whose derivative is zero wherever it exists, by name, of any library.
STEPS = frozenset(
    (
        *("floor", "ceil", "trunc", "rint", "round", "fix", "sign", "zeros_like", "ones_like", "empty_like"),
        *("len", "range", "stop_gradient"),
    )
)
MUTATORS = frozenset(("append", "extend", "insert"))
EMPTY = ValueKind("list")


class Dependence:
    """The expressions that depend on the active parameters of a function.

    Args:
        user: the function.
        observation: the kinds of its expressions.
        active: the parameters that carry a derivative.
    """

    def __init__(self, user: UserFunction, observation: Observation, active: tuple[str, ...]) -> None:
        self.user = user
        self.observation = observation
        self.constants = ConstantExpressions(observation)
        self.names = set(active)
        names = [node for node in nodes_in(user.tree) if isinstance(node, ast.Name)]
        self.of_numbers = {node.id for node in names if observation.kind(node) == NUMBER}  # not whole ones alone
        places = [node for node in nodes_in(user.tree) if isinstance(node, ast.Subscript)]
        stores = [node for node in places if isinstance(node.ctx, ast.Store)]
        self.written_by_number = {text_of(n.value) for n in stores if not isinstance(n.slice, ast.Constant)}
        bindings = [pair for node in nodes_in(user.tree) for pair in _bindings(node)]
        size = -1
        while size != len(self.names):
            size = len(self.names)
            for target, value in bindings:
                if self.of(value):
                    self.names |= set(_bound(target))

    def of(self, node: ast.expr) -> bool:
        """Whether an expression carries a derivative."""
        if isinstance(node, ast.Name):
            seen_kind = self.observation.of(node).kind
            may_carry = seen_kind is None or seen_kind.carries or seen_kind == NONE or node.id in self.of_numbers
            return node.id in self.names and may_carry
        if isinstance(node, (ast.Compare, ast.Constant, ast.Lambda)):
            return False
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            return False
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return False
        if hasattr(node, "number") and not isinstance(node, ast.GeneratorExp):
            seen = self.observation.of(node)
            if self.is_object(node):
                return True
            is_sum = isinstance(node, (ast.BinOp, ast.UnaryOp, ast.IfExp)) and seen.kind == STATIC  # of its operands
            may_carry = seen.kind is None or seen.kind.carries or is_sum or self._has_unreached_choice(node)
            if not may_carry:
                self._refuse_unseen(node)
                return False
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim", "size", "dtype"):
            return False
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Subscript):
            is_made = isinstance(node.value, ast.Attribute)  # by an index, as np.r_[x] is
            return self.of(node.value) or (is_made and self.of(node.slice))
        if isinstance(node, ast.IfExp):
            return self.of(node.body) or self.of(node.orelse)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.of(node.elt)
        return any(self.of(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))

    def _has_unreached_choice(self, node: ast.expr) -> bool:
        """Whether an expression chooses between values of which no run saw one, whose kind is therefore unknown."""
        values: list[ast.expr] = []
        if isinstance(node, ast.IfExp):
            values = [node.body, node.orelse]
        elif isinstance(node, ast.BoolOp):
            values = node.values
        return any(not isinstance(value, ast.Constant) and self.observation.of(value).kind is None for value in values)

    def _refuse_unseen(self, node: ast.expr) -> None:
        """Refuse an expression of which each run had a whole number, where others may have one with a derivative."""
        for part in nodes_in(node):
            if self._is_unseen(part):
                is_active = self._call(part) if isinstance(part, ast.Call) else any(map(self.of, _operands(part)))
                if is_active:
                    what = f"{text_of(part)}, a whole number in every run"
                    raise refusal_at(self.user.file, part, what, "Write the numbers as floats, such as 0.0.")

    def _is_unseen(self, node: ast.AST, waiting: frozenset[UserFunction] = frozenset()) -> bool:
        """Whether an expression chooses between numbers of several kinds, or had no item in any run."""
        kind = self.observation.kind
        if isinstance(node, ast.Subscript):
            is_chosen = not isinstance(node.slice, ast.Constant) or text_of(node.value) in self.written_by_number
            is_chosen = is_chosen or self.observation.of(node.value).is_partly_whole
            return is_chosen and kind(node.value).name == "list" and kind(node.value).carries
        chooses = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("max", "min", "sum")
        for part in _operands(node):
            item = part.elt if isinstance(part, (ast.ListComp, ast.GeneratorExp)) else part
            seen = self.observation.of(item).kind
            is_empty = seen == EMPTY if item is part else seen is None and not isinstance(item, ast.Constant)
            if is_empty or (chooses and seen is not None and seen.carries):
                return True
        users = frozenset(self.observation.of(node).users if isinstance(node, ast.Call) else ()) - waiting
        return any(self._is_unseen(inner, waiting | users) for user in users for inner in nodes_in(user.tree))

    def is_object(self, node: ast.expr) -> bool:
        """Whether an expression is an object that only holds fields, which becomes a dict."""
        seen = self.observation.of(node)
        return bool(seen.classes) and seen.kind is not None and seen.kind.name == "record"

    def is_chosen(self, node: ast.Call) -> bool:
        """Whether a call may reach another function than the observed one, because of what the program computed."""
        callee = next(iter(self.observation.of(node).callees), None)
        owner = getattr(callee, "__self__", None)
        if not is_users(callee) and owner is not None and not isinstance(owner, ModuleType):
            return False  # a method of an array or a list, of which the kind is known
        return callee is not None and not self.constants.has(node.func, self.user)

    def _call(self, node: ast.Call) -> bool:
        if isinstance(node.func, ast.Name) and node.func.id in ("len", "range", "int", "bool"):
            return False
        callee = next(iter(self.observation.of(node).callees), None)
        if getattr(callee, "__name__", "") in STEPS and not is_users(callee) and not self.is_chosen(node):
            return isinstance(callee, type(round)) and callee is round and len(node.args) > 1
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        if isinstance(node.func, ast.Attribute):
            owner = self.observation.of(node.func.value).kind
            parts = [node.func.value, *parts] if owner is not None and owner.carries else parts
        elif not isinstance(node.func, ast.Name) or node.func.id in self.names:
            parts = [node.func, *parts]
        if is_users(callee) and any(self.observation.kind(p).function is not None or self.is_object(p) for p in parts):
            return True  # what it calls, and how it reads the fields, is written in its own text
        if callee is np.where:
            parts = parts[1:]
        return any(self.of(part) for part in parts)


def _operands(node: ast.AST) -> list[ast.expr]:
    """What a call, a sum or a choice is made of, or a part taken from."""
    if isinstance(node, ast.Call):
        return [part.value if isinstance(part, ast.Starred) else part for part in node.args]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    return node.values if isinstance(node, ast.BoolOp) else [node.value] if isinstance(node, ast.Subscript) else []


def _bindings(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The pairs of a target and its value; the target of a loop is paired with its items."""
    if isinstance(node, ast.Assign):
        for target in node.targets:
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                yield from zip(target.elts, node.value.elts, strict=False)
            else:
                yield target, node.value
    elif isinstance(node, (ast.For, ast.comprehension)):
        yield from _run_over(node.target, node.iter)
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("add.at") and len(node.args) > 2:
        yield node.args[0], node.args[2]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        yield from ((node.func.value, argument) for argument in node.args)


def _run_over(target: ast.expr, items: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """The pairs of each part of a loop's target and its items, or a count."""
    called = items.func.id if isinstance(items, ast.Call) and isinstance(items.func, ast.Name) else ""
    if called == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        yield from _run_over(target.elts[1], items.args[0])  # type: ignore[attr-defined]
    elif called == "zip" and isinstance(target, ast.Tuple):
        for part, argument in zip(target.elts, items.args, strict=False):  # type: ignore[attr-defined]
            yield from _run_over(part, argument)
    elif called == "reversed":
        yield from _run_over(target, items.args[0])  # type: ignore[attr-defined]
    elif called != "range":
        yield target, items


def _bound(target: ast.expr) -> Iterator[str]:
    """The names that a target binds or writes into."""
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _bound(element)
    elif isinstance(target, (ast.Subscript, ast.Starred)):
        yield from _bound(target.value)
