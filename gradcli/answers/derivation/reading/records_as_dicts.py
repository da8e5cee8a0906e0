"""Records that a function makes and whose fields alone it uses, rewritten as dicts."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from gradcli.answers.derivation.formatted_statements import literal
from gradcli.answers.derivation.syntax_trees import argument_names, located


class RecordsAsDicts(ast.NodeTransformer):
    """Rewrites `p = Point(x, y=z)` as `p = {"x": x, "y": z}`, and `p.x` as `p["x"]`.

    It does so for dataclasses, named tuples and simple namespaces, under names to which nothing else is bound, of which
    only fields are read and written: a record that is handed on, or has its methods called, stays what it is.

    Args:
        tree: the definition, which is modified.
        value_of: what an expression stands for.
    """

    def __init__(self, tree: ast.FunctionDef, value_of: Callable[[ast.expr], Any]) -> None:
        self.made: dict[ast.Call, dict[str, ast.expr]] = {}
        self.names: set[str] = set()
        nodes = list(ast.walk(tree))
        targets: dict[str, list[dict[str, ast.expr] | None]] = {}
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and len(node.targets) == 1:
                fields = _fields(node.value, value_of)
                targets.setdefault(node.targets[0].id, []).append(fields)
                if fields is not None and isinstance(node.value, ast.Call):
                    self.made[node.value] = fields
        for name in targets.keys() - argument_names(tree):
            kinds = targets[name]
            keys = {tuple(sorted(fields)) for fields in kinds if fields is not None}
            uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
            read = [node.attr for node in nodes if isinstance(node, ast.Attribute) and _is(node.value, name)]
            if None not in kinds and len(keys) == 1 and len(uses) == len(kinds) + len(read) and {*read} <= {*min(keys)}:
                self.names.add(name)
        if self.names:
            self.visit(tree)

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        target, value = node.targets[0], node.value
        self.generic_visit(node)
        if isinstance(target, ast.Name) and target.id in self.names and isinstance(value, ast.Call):
            fields = self.made[value]
            keys: list[ast.expr | None] = [ast.Constant(field) for field in fields]
            node.value = located(ast.Dict(keys, [self.visit(item) for item in fields.values()]), value)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not (isinstance(node.value, ast.Name) and node.value.id in self.names):
            return node
        place: ast.expr = located(ast.Subscript(node.value, ast.Constant(node.attr), node.ctx), node)
        return place


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _fields(node: ast.expr, value_of: Callable[[ast.expr], Any]) -> dict[str, ast.expr] | None:
    """The fields of a record that a call makes, with their values; None for other expressions."""
    made = value_of(node.func) if isinstance(node, ast.Call) else None
    if not isinstance(made, type) or not isinstance(node, ast.Call):
        return None
    given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    if any(isinstance(argument, ast.Starred) for argument in node.args) or len(given) < len(node.keywords):
        return None
    if made is SimpleNamespace:
        return None if node.args else given
    code = getattr(vars(made).get("__init__"), "__code__", None)
    is_data = dataclasses.is_dataclass(made) and code is not None and code.co_filename == "<string>"
    if not hasattr(made, "_field_defaults") and (not is_data or hasattr(made, "__post_init__")):
        return None
    parameters = inspect.signature(made).parameters
    defaults = {name: literal(p.default) for name, p in parameters.items() if p.default is not p.empty}
    texts = {name: ast.parse(text, mode="eval").body for name, text in defaults.items() if text is not None}
    fields = {**texts, **dict(zip(parameters, node.args, strict=False)), **given}
    return {name: fields[name] for name in parameters} if {*fields} == {*parameters} else None
