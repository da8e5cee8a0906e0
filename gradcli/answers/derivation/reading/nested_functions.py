"""Nested functions and lambdas taken out of the function around them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from types import CodeType, FunctionType
from typing import Any

from gradcli.answers.derivation.reading.plain_statements import value_of
from gradcli.answers.derivation.reading.user_functions import CLOSURE, is_users
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import (
    NamesInUse,
    argument_names,
    assign,
    changed_names,
    filled,
    located,
    names_in,
    nodes_in,
    tuple_of,
)

TREE = "lifted_tree"  # the attribute of a lifted function that holds its definition


class YieldedLists(ast.NodeTransformer):
    """Lets a generator return the list of what it yields: a loop over it sees the same values.

    Args:
        tree: the definition of a generator, which is modified.
    """

    def __init__(self, tree: ast.FunctionDef) -> None:
        self.items = NamesInUse({*names_in(tree), *argument_names(tree)}).fresh("items")
        body = [assign(self.items, ast.List([], ast.Load())), *map(self.visit, tree.body), self.visit(ast.Return())]
        tree.body = [located(statement, tree.body[-1]) for statement in body]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return node

    def visit_Return(self, node: ast.Return) -> ast.stmt:
        node.value = located(ast.Name(self.items, ast.Load()), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        if not isinstance(node.value, (ast.Yield, ast.YieldFrom)) or node.value.value is None:
            return node
        method = "append" if isinstance(node.value, ast.Yield) else "extend"
        append = ast.Attribute(ast.Name(self.items, ast.Load()), method, ast.Load())
        node.value = located(ast.Call(append, [node.value.value], []), node)
        return node


class Maps(ast.NodeTransformer):
    """Rewrites `map(f, x, y)` as a comprehension.

    Args:
        value_of: what an expression stands for.
    """

    def __init__(self, value_of: Callable[[ast.expr], Any]) -> None:
        self.value_of = value_of

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if self.value_of(node.func) is not map or any(isinstance(argument, ast.Starred) for argument in node.args):
            return node
        function, *lists = node.args
        if all(isinstance(items, (ast.Tuple, ast.List)) for items in lists) and not isinstance(function, ast.Lambda):
            rows = zip(*(items.elts for items in lists), strict=False)  # type: ignore[attr-defined]
            calls: list[ast.expr] = [ast.Call(filled(function), list(row), []) for row in rows]
            return located(ast.List(calls, ast.Load()), node)  # type: ignore[no-any-return]
        names = ["item", "other", "third"][: len(lists)]
        items: list[ast.expr] = [ast.Name(name, ast.Load()) for name in names]
        called: ast.expr = ast.Call(function, items, [])
        if isinstance(function, ast.Lambda):
            called = filled(
                function.body, {parameter.arg: item for parameter, item in zip(function.args.args, items, strict=True)}
            )
        over = lists[0] if len(lists) == 1 else ast.Call(ast.Name("zip", ast.Load()), lists, [])
        generator = ast.comprehension(tuple_of(names, ast.Store()), over, [], 0)
        made: ast.expr = located(ast.ListComp(called, [generator]), node)
        return made


class Lifting(ast.NodeTransformer):
    """Takes nested functions and lambdas out of a definition.

    Each one, and each of its calls, gets the enclosing variables as its first parameters, because a closure reads them
    when it is called. Handed on, it becomes a `Closure`, which holds their values.

    Args:
        tree: the definition, which is modified.
        file: the file of the definition.
        namespace: the values of its free names.

    Attributes:
        definitions: the functions taken out, by name.

    Raises:
        UnsupportedError: a nested function is defined twice, or has a default that is not a constant.
    """

    def __init__(self, tree: ast.FunctionDef, file: str, namespace: Mapping[str, Any]) -> None:
        self.file = file
        self._value_of = partial(value_of, namespace=namespace, bound=changed_names(tree) | argument_names(tree))
        self._fresh = NamesInUse({*names_in(tree), *argument_names(tree), *namespace}).fresh
        self.definitions: dict[str, ast.FunctionDef] = {}
        self._given: dict[str, list[str]] = {}
        tree.body = [self._taken_out(statement) for statement in tree.body]
        if self.definitions:
            self._given = self._variables(tree)
            tree.body = [self.visit(statement) for statement in tree.body]
            for name, definition in self.definitions.items():
                definition.body = [self.visit(statement) for statement in definition.body]
                definition.args.args[:0] = [
                    ast.arg(variable, lineno=definition.lineno) for variable in self._given[name]
                ]

    def _taken_out(self, statement: ast.stmt) -> ast.stmt:
        for field in ("body", "orelse"):
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and getattr(statement, field, None):
                setattr(statement, field, [self._taken_out(inner) for inner in getattr(statement, field)])
        made = statement
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda):
            target = statement.targets[0]
            if isinstance(target, ast.Name) and len(statement.targets) == 1:
                body = ast.copy_location(ast.Return(statement.value.body), statement.value)
                made = ast.FunctionDef(target.id, statement.value.args, [body], [])
                made = ast.copy_location(made, statement)
        if not isinstance(made, ast.FunctionDef):
            self._take_lambdas(statement)
            return statement
        if outer := next((node for node in nodes_in(made) if isinstance(node, ast.Nonlocal)), None):
            raise refusal_at(self.file, outer, f"{made.name}, which rebinds {outer.names[0]} of the function around it")
        if made.name in self.definitions:
            raise refusal_at(self.file, statement, f"{made.name}, which is defined twice")
        if not all(isinstance(default, ast.Constant) for default in made.args.defaults):
            raise refusal_at(self.file, statement, f"a default of {made.name} that is no constant")
        self.definitions[made.name] = made
        return ast.copy_location(ast.Pass(), statement)

    def _take_lambdas(self, node: ast.AST) -> None:
        """Take out the lambdas that a part of a function hands to the user's functions, or returns."""
        if isinstance(node, (ast.FunctionDef, ast.ListComp, ast.GeneratorExp)):
            return
        for part in ast.iter_child_nodes(node):
            self._take_lambdas(part)
        callee = self._value_of(node.func) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Return) or (isinstance(node, ast.Call) and (callee is None or is_users(callee))):
            for holder, field in ((node, "value"), *((keyword, "value") for keyword in getattr(node, "keywords", []))):
                if isinstance(getattr(holder, field, None), ast.Lambda):
                    setattr(holder, field, self._named(getattr(holder, field)))
            arguments = getattr(node, "args", [])
            arguments[:] = [self._named(part) if isinstance(part, ast.Lambda) else part for part in arguments]

    def _named(self, node: ast.Lambda) -> ast.expr:
        """The name of a lambda that is taken out."""
        name = self._fresh("function")
        body = ast.copy_location(ast.Return(node.body), node.body)
        self._taken_out(ast.copy_location(ast.FunctionDef(name, node.args, [body], []), node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _variables(self, tree: ast.FunctionDef) -> dict[str, list[str]]:
        """The enclosing variables that each function reads, itself or through the functions it calls."""
        whole = filled(tree)
        whole.decorator_list, whole.body = [], [*map(filled, self.definitions.values()), *whole.body]
        module = ast.fix_missing_locations(ast.Module([whole], []))
        free = {code.co_name: set(code.co_freevars) for code in _codes(_codes(compile(module, self.file, "exec"))[0])}
        size = -1
        while size != (size := sum(map(len, free.values()))):
            for definition in self.definitions:
                free[definition] |= {n for name in free[definition] & set(self.definitions) for n in free[name]}
        return {definition: sorted(free[definition] - set(self.definitions)) for definition in self.definitions}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in self.definitions:
            given = [ast.copy_location(ast.Name(variable, ast.Load()), node) for variable in self._given[node.func.id]]
            node.args = [*given, *(self.visit(argument) for argument in node.args)]
            node.keywords = [self.visit(keyword) for keyword in node.keywords]
            return node
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.definitions:
            return node
        captured: list[ast.expr] = [ast.Name(name, ast.Load()) for name in (node.id, *self._given[node.id])]
        made: ast.expr = located(ast.Call(ast.Name(CLOSURE, ast.Load()), captured, []), node)
        return made

    def functions(self, namespace: dict[str, Any]) -> dict[str, FunctionType]:
        """The lifted functions as callables."""
        scope = dict(namespace)
        for name, tree in self.definitions.items():
            module = ast.fix_missing_locations(ast.Module([filled(tree)], []))
            exec(compile(module, self.file, "exec"), scope)
            setattr(scope[name], TREE, tree)
        return {name: scope[name] for name in self.definitions}


def _codes(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]
