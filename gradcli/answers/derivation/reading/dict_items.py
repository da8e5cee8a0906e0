"""Loops over the keys of dicts, written out for each key, and properties as calls of their functions."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import FunctionType
from typing import Any

from gradcli.answers.derivation.syntax_trees import (
    NamesInUse,
    argument_names,
    filled,
    located,
    names_in,
    nodes_in,
    stored_names,
)

Place = tuple[str, int, int, int]
METHODS = ("items", "keys", "values")


def place_in(file: str, node: Any) -> Place:
    """The place of an expression in its file."""
    return file, node.lineno, node.col_offset, node.end_col_offset


class DictItems(ast.NodeTransformer):
    """Writes `for key, value in d.items()` as the statements for each key, and `d.values()` as a list.

    Each key has its statements, as what it holds may be of another kind. An assertion says which keys there are. What
    is read from a property of an object of the program, or written to it, is handed to a call.

    Args:
        tree: the definition, which is modified.
        file: its file.
        seen: what a run has seen at places: the keys of what is iterated over, a property, the function of a method.
        namespace: the values of its free names; the functions of properties are added.
    """

    def __init__(self, tree: ast.FunctionDef, file: str, seen: Mapping[Place, Any], namespace: dict[str, Any]) -> None:
        self.file = file
        self.seen = seen
        self.namespace = namespace
        self.fresh = NamesInUse({*names_in(tree), *argument_names(tree), *namespace}).fresh
        self.before: list[ast.stmt] = []
        self.generic_visit(tree)

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.stmt):
            return super().visit(node)
        outer, self.before = self.before, []
        made = super().visit(node)
        before, self.before = self.before, outer
        return [*before, *made] if isinstance(made, list) else [*before, made] if before else made

    def _items(self, node: ast.expr) -> list[ast.expr] | None:
        """What an iteration gives for each key; None if it is over something else."""
        keys = self.seen.get(place_in(self.file, node)) if isinstance(node, (ast.Call, ast.Name)) else None
        if not isinstance(keys, tuple):
            return None
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        owner, method = (node.func.value, node.func.attr) if is_call else (node, "keys")  # type: ignore[attr-defined]
        constants: list[ast.expr] = [ast.Constant(key) for key in keys]
        all_keys = ast.Call(ast.Name("set", ast.Load()), [filled(owner)], [])  # `d.keys()` is read as a list
        test = ast.Compare(all_keys, [ast.Eq()], [ast.Set(constants)])
        self.before.append(located(ast.Assert(test, ast.Constant("derived for other keys")), node))
        fields: list[ast.expr] = [ast.Subscript(filled(owner), key, ast.Load()) for key in constants]
        pairs: list[ast.expr] = [ast.Tuple([*pair], ast.Load()) for pair in zip(constants, fields, strict=True)]
        return {"keys": constants, "values": fields, "items": pairs}[method]

    def _accessor(self, node: ast.expr, action: str) -> ast.expr | None:
        """The name of the function that reads or writes a property; None for other attributes."""
        made = self.seen.get(place_in(self.file, node)) if isinstance(node, ast.Attribute) else None
        function = getattr(made, f"f{action}", None)
        if function is None:
            return None
        return self._named(function, f"{action}_{node.attr}")  # type: ignore[attr-defined]

    def _named(self, function: FunctionType, stem: str) -> ast.expr:
        name = self.fresh(stem)
        self.namespace[name] = function
        return ast.Name(name, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """`p.x` of a property as the call of its function."""
        getter = self._accessor(node, "get") if isinstance(node.ctx, ast.Load) else None
        self.generic_visit(node)
        return node if getter is None else located(ast.Call(getter, [node.value], []), node)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """`p.x = y` of a property as the call of its function."""
        setter = self._accessor(node.targets[0], "set")
        self.generic_visit(node)
        if setter is None:
            return node
        owner: ast.expr = node.targets[0].value  # type: ignore[attr-defined]
        return located(ast.Expr(ast.Call(setter, [owner, node.value], [])), node)  # type: ignore[no-any-return]

    def visit_For(self, node: ast.For) -> ast.stmt | list[ast.stmt]:
        leaves = any(isinstance(part, (ast.Break, ast.Continue)) for part in nodes_in(node)) or node.orelse
        items = None if leaves else self._items(node.iter)
        self.generic_visit(node)
        if items is None:
            return node
        made: list[ast.stmt] = []
        for item in items:
            parts = _bound(node.target, item)
            keys = {name: part for name, part in parts.items() if isinstance(part, ast.Constant)}
            stored = stored_names(*node.body)
            made += [
                located(ast.Assign([ast.Name(name, ast.Store())], filled(part)), node)
                for name, part in parts.items()
                if name not in keys or name in stored
            ]
            made += [filled(statement, {k: v for k, v in keys.items() if k not in stored}) for statement in node.body]
        return [located(statement, node) for statement in made]

    def visit_ListComp(self, node: Any) -> ast.expr:
        """A comprehension as a list of what it gives for each key."""
        only = node.generators[0]
        items = self._items(only.iter) if len(node.generators) == 1 and not only.ifs else None
        self.generic_visit(node)
        if items is None:
            return node  # type: ignore[no-any-return]
        made = [filled(node.elt, _bound(only.target, item)) for item in items]
        return located(ast.List(made, ast.Load()), node)  # type: ignore[no-any-return]

    visit_GeneratorExp = visit_ListComp

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """`p.f(x)` of a method as `f(p, x)`."""
        method = self.seen.get(place_in(self.file, node))
        if isinstance(method, FunctionType):
            self.generic_visit(node)
            is_called = method.__name__ == "__call__" or not isinstance(node.func, ast.Attribute)
            owner = node.func if is_called else node.func.value  # type: ignore[attr-defined]
            made = ast.Call(self._named(method, method.__name__.strip("_")), [owner, *node.args], node.keywords)
            return located(made, node)  # type: ignore[no-any-return]
        items = self._items(node)
        self.generic_visit(node)
        return node if items is None else located(ast.List(items, ast.Load()), node)


def _bound(target: ast.expr, item: ast.expr) -> dict[str, ast.expr]:
    """The names that an item is bound to, with their values."""
    if isinstance(target, ast.Tuple) and isinstance(item, ast.Tuple):
        return {name: part for t, i in zip(target.elts, item.elts, strict=True) for name, part in _bound(t, i).items()}
    return dict.fromkeys(names_in(target), item)
