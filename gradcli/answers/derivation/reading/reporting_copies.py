"""Copies of functions that report the value of each of their expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gradcli.answers.derivation.reading.function_source import UserFunction, parameters_of
from gradcli.answers.derivation.syntax_trees import filled, nodes_in


def reporting_copy(user: UserFunction, hooks: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """A copy of a function that reports to hooks.

    Args:
        user: the function, whose nodes have numbers.
        hooks: `__saw__`, called with the number and the value of each expression and parameter, `__called__` with the
            function of each call, `__test__` with each condition, `__step__` with the steps of each
            `try`, 0, 1 and so on, and of its handlers, -1, -2, `__stored__` with each value that is stored at a
            place, and a function that reads the place, and `__updated__` with both operands of `+` or `*` where
            `x = x + e` stands for `x += e`. The copy uses what they return.
    """
    changed = [node.value for node, names in user.changes.writes.items() if isinstance(node, ast.Assign) and not names]
    tree = _Reporter({getattr(value, "number", None) for value in changed}).visit(filled(user.tree))
    tree.returns, tree.args.defaults = None, [ast.Constant(None) for _ in tree.args.defaults]
    tree.args.kw_defaults = [None if default is None else ast.Constant(None) for default in tree.args.kw_defaults]
    for node in nodes_in(tree):
        if isinstance(node, ast.arg):
            node.annotation = None
    module = ast.fix_missing_locations(ast.Module([tree], []))
    scope = {**user.namespace, **hooks}
    user.copies.append(scope)
    exec(compile(module, user.file, "exec"), scope)
    made: Callable[..., Any] = scope[user.name]
    defaults = user.function.__defaults__ or ()
    made.__defaults__, made.__kwdefaults__ = defaults[: len(tree.args.defaults)], user.function.__kwdefaults__
    scope[user.name] = user.namespace.get(user.name, user.callee)
    return made


def parts_of(node: ast.AST) -> Iterator[ast.expr]:
    """The operands of a value: operands, arguments, and the object of a method."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Attribute):
            yield node.func.value
        yield from node.args
        yield from (keyword.value for keyword in node.keywords)
    else:
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


class _Reporter(ast.NodeTransformer):
    """Wraps every expression in a report; the sums with some numbers stand for changes in place."""

    def __init__(self, updates: set[int | None]) -> None:
        self.updates = updates

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, (ast.JoinedStr, ast.Lambda, ast.Constant)):
            return node
        if isinstance(node, (ast.If, ast.While, ast.IfExp)):
            number = node.test.number  # type: ignore[attr-defined]
            self.generic_visit(node)
            node.test = _hook("__test__", number, node.test)
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            return self._store(node)
        elif isinstance(node, ast.Call):
            return self._call(node)
        elif isinstance(node, ast.Try) and node.handlers:
            return self._tried(node)
        elif isinstance(node, ast.FunctionDef):
            node.decorator_list = []
            body = [self.visit(statement) for statement in node.body]
            node.body = [*(_reported(parameter) for parameter in parameters_of(node)), *body]
            return node
        else:
            self.generic_visit(node)
        if isinstance(node, ast.expr) and hasattr(node, "number") and _reports(node):
            made, number = node, node.number
            if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)) and number in self.updates:
                made = _hook("__updated__", number, node.left, node.right)
            return _hook("__saw__", number, made)
        return node

    def _store(self, node: ast.Assign) -> ast.Assign:
        place = filled(node.targets[0])
        place.ctx = ast.Load()  # type: ignore[attr-defined]
        number = node.value.number  # type: ignore[attr-defined]
        self.generic_visit(node)
        node.value = _hook("__stored__", number, node.value)
        nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        node.value.args.append(ast.Lambda(nothing, place))
        return node

    def _tried(self, node: ast.Try) -> ast.Try:
        number: int = node.number  # type: ignore[attr-defined]
        self.generic_visit(node)
        node.body = [part for n, step in enumerate(node.body) for part in (_step(number, n), step)]
        for n, handler in enumerate(node.handlers):
            handler.body.insert(0, _step(number, ~n))
        return node

    def _call(self, node: ast.Call) -> ast.expr:
        callee = node.func
        if isinstance(callee, ast.Attribute):
            callee.value = self.visit(callee.value)
        elif not isinstance(callee, ast.Name):
            callee = self.visit(callee)
        node.func = _hook("__called__", node.number, callee)  # type: ignore[attr-defined]
        node.args = [self.visit(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self.visit(keyword.value)
        return _hook("__saw__", node.number, node)  # type: ignore[attr-defined]


def _step(number: int, step: int) -> ast.stmt:
    return ast.Expr(_hook("__step__", number, ast.Constant(step)))


def _reported(parameter: ast.arg) -> ast.stmt:
    """A statement that reports a parameter."""
    name = ast.Name(parameter.arg, ast.Load())
    number = parameter.number  # type: ignore[attr-defined]
    return ast.Assign([ast.Name(parameter.arg, ast.Store())], _hook("__saw__", number, name))


def _reports(node: ast.expr) -> bool:
    if isinstance(node, (ast.Starred, ast.Slice, ast.GeneratorExp)):
        return False
    if isinstance(node, ast.Tuple) and any(isinstance(element, ast.Slice) for element in node.elts):
        return False
    return isinstance(getattr(node, "ctx", None) or ast.Load(), ast.Load)


def _hook(name: str, number: int, *nodes: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(number), *nodes], [])
