"""Functions of the rule table copied into a derived file, together with the functions that they call."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import re
from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.derivation.reading.function_source import lambdas_of
from gradcli.answers.derivation.syntax_trees import (
    argument_names,
    expression,
    filled,
    name,
    names_in,
    nodes_in,
    stored_names,
)
from gradcli.answers.targets.functions import source_of
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.lazy_scipy import DeferredLibrary

MODULES = {"np": np, "math": math, "operator": operator}
LITERALS = (bool, int, float, str, type(None))
MADE = frozenset(("vjp", "jvp", "<lambda>"))  # names of functions created by other functions


def without_source(operation: str) -> UnsupportedError:
    """The error for an operation whose rule cannot be copied into a file."""
    hint = "Write what it computes by other functions, such as indices and sums."
    return UnsupportedError(f"derive does not know {operation}, an operation without a source form", hint=hint)


class RuleFunction(NamedTuple):
    """A function of a derived file.

    Attributes:
        tree: its definition.
        needs: the functions that it calls, by name.
        imports: the modules that it uses, by their names in MODULES, and scipy.
    """

    tree: ast.FunctionDef
    needs: set[str]
    imports: set[str]


_NAMES: dict[Callable[..., Any], str] = {}
RULE_FUNCTIONS: dict[str, RuleFunction] = {}


def rule_function(function: Callable[..., Any], stem: str = "") -> str:
    """The name of a rule's function in a derived file; `stem` for one without a name of its own.

    Raises:
        UnsupportedError: its source, or that of a function it calls, cannot be copied.
    """
    if function not in _NAMES:
        if not isinstance(function, FunctionType) or not function.__module__.startswith("gradcli.mathematics.rules"):
            raise without_source(stem or getattr(function, "__name__", ""))
        called = function.__name__ if function.__name__ not in MADE else re.sub(r"\W", "_", stem)
        if called.endswith(("_vjp", "_jvp")):
            called = called.lstrip("_")
        while called in _NAMES.values():
            called += "_"
        _NAMES[function] = called
        try:
            RULE_FUNCTIONS[called] = _Copying(function, called).copied
        except UnsupportedError:
            del _NAMES[function]
            raise
    return _NAMES[function]


class _Copying(ast.NodeTransformer):
    """Copies one function into a derived file."""

    def __init__(self, function: FunctionType, called: str) -> None:
        self.needs: set[str] = set()
        self.imports: set[str] = set()
        self.scope = dict(function.__globals__)
        for co_freevar, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.scope[co_freevar] = cell.cell_contents
        tree = _definition(function, called)
        tree.name, tree.returns = called, None
        for node in nodes_in(tree):
            if isinstance(node, ast.arg):
                node.annotation = None
        self.bound = argument_names(tree) | stored_names(tree)
        self.copied = RuleFunction(tree, self.needs, self.imports)
        self.generic_visit(tree)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        return ast.copy_location(ast.Assign([node.target], self.visit(node.value)), node)  # type: ignore[arg-type]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call, where the plain array of a value becomes the value, a rule its computation, and `mul` a product."""
        called = node.func.id if isinstance(node.func, ast.Name) and node.func.id not in self.bound else ""
        if called == "plain" or (called == "getattr" and ast.unparse(node.args[1]) == "'_value'"):
            return self.visit(node.args[0])  # type: ignore[no-any-return]
        if ast.unparse(node.func).rpartition(".")[2] == "on_device":
            return ast.Constant(False)
        rule = self.scope.get(called)
        if rule is operator.mul:
            return ast.BinOp(self.visit(node.args[0]), ast.Mult(), self.visit(node.args[1]))
        self.generic_visit(node)
        if not isinstance(rule, ArrayRule):
            return node
        computed = forward(rule, node.args, {k.arg: k.value for k in node.keywords})
        self.imports |= (names_in(computed) - self.bound) & {*MODULES, "scipy"}
        return computed

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return ast.Constant(True) if isinstance(node.op, ast.Not) and _is(node.operand, False) else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        node.values = [value for value in node.values if not _is(value, isinstance(node.op, ast.And))]
        return node.values[0] if len(node.values) == 1 else node

    def visit_If(self, node: ast.If) -> ast.stmt | list[ast.stmt]:
        self.generic_visit(node)
        return node.orelse if _is(node.test, False) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        return node.orelse if _is(node.test, False) else node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.bound or isinstance(self.scope.get(node.id), ArrayRule):
            return node
        value = self.scope.get(node.id, getattr(builtins, node.id, None))
        if value is MODULES.get(node.id, self):
            self.imports.add(node.id)
        elif isinstance(value, FunctionType):
            called = rule_function(value)
            self.needs.add(called)
            return name(called)
        elif isinstance(value, LITERALS):
            return ast.Constant(value)
        elif isinstance(value, np.ufunc):
            self.imports.add("np")
            return expression(f"np.{value.__name__}")
        elif isinstance(value, DeferredLibrary):
            self.imports.add("scipy")
        elif getattr(builtins, node.id, None) is not value:
            raise without_source(node.id)
        return node


def _is(node: ast.expr, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _definition(function: FunctionType, called: str) -> ast.FunctionDef:
    if function.__name__ == "<lambda>":
        lambdas = lambdas_of(function)
        if len(lambdas) == 1:
            return ast.FunctionDef(called, lambdas[0].args, [ast.Return(lambdas[0].body)], [])
    match ast.parse(source_of(function)).body:
        case [ast.FunctionDef(decorator_list=[]) as definition]:
            return definition
    raise without_source(called)


def forward(rule: ArrayRule, arguments: list[ast.expr], static: dict[Any, ast.expr]) -> ast.expr:
    """The forward computation of a rule as an expression.

    Raises:
        UnsupportedError: the rule has no source form.
    """
    if rule.written is None:
        called = rule_function(rule.definition)  # type: ignore[arg-type]
        return ast.Call(name(called), list(arguments), [ast.keyword(k, v) for k, v in static.items()])
    made = ast.parse(f"lambda {rule.written}", mode="eval").body
    assert isinstance(made, ast.Lambda)
    if made.args.vararg is not None:
        gathered: ast.expr = ast.Tuple(list(arguments), ast.Load())
        return filled(made.body, {made.args.vararg.arg: gathered, **static})
    names = [argument.arg for argument in made.args.args]
    return filled(made.body, {**dict(zip(names, arguments, strict=True)), **static})
