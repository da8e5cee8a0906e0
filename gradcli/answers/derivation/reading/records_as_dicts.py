"""Objects that only hold fields as dicts, and named tuples as tuples."""

from __future__ import annotations

import ast
import inspect
from typing import Any

from gradcli.answers.derivation.formatted_statements import literal
from gradcli.answers.derivation.reading.function_source import NEW, UserFunction
from gradcli.answers.derivation.reading.observed_values import Observation
from gradcli.answers.derivation.reading.user_functions import is_record_class, is_users
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import nodes_in


class RecordsAsDicts(ast.NodeTransformer):
    """Rewrites `p = Point(x, y=z)` as `p = {"x": x, "y": z}`, and `p.x` as `p["x"]`.

    Args:
        user: the function, which is modified.
        observation: the classes of its values.

    Raises:
        UnsupportedError: objects of several classes stand in one place, or one is used otherwise.
    """

    def __init__(self, user: UserFunction, observation: Observation) -> None:
        self.user = user
        self.observation = observation
        self.classes: dict[str, set[type]] = {}
        for node in nodes_in(user.tree):
            if isinstance(node, ast.Name):
                self.classes.setdefault(node.id, set()).update(observation.of(node).classes)
        self.generic_visit(user.tree)

    def _class(self, node: ast.expr) -> type | None:
        """The class of a record or named tuple; None for other values."""
        kind, classes = self.observation.kind(node).name, self.observation.of(node).classes
        if kind not in ("record", "list"):
            return None
        if len(self.classes[node.id] if isinstance(node, ast.Name) and kind == "record" else classes) > 1:
            what = f"{ast.unparse(node)}, which is of several classes by turns"
            raise refusal_at(self.user.file, node, what, "Make objects of one class.")
        return next(iter(classes), None)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        self._class(node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        made = self._class(node.value)
        self.generic_visit(node)
        if made is None:
            return node
        names = getattr(made, "_fields", [key for key, _ in self.observation.kind(node.value).fields])
        value = getattr(made, node.attr, None)
        if node.attr in names or isinstance(node.ctx, ast.Store):
            key = ast.Constant(names.index(node.attr) if isinstance(names, tuple) else node.attr)
            return _like(ast.Subscript(node.value, key, node.ctx), node)
        if type(value) in (bool, int, float):
            return ast.copy_location(ast.Constant(value), node)
        if callable(value):  # a method of an object of the module
            return node
        what = f"{ast.unparse(node)}, which is no field of {made.__name__}"
        raise refusal_at(self.user.file, node, what, "Write it as a method, and call it.")

    def visit_Call(self, node: ast.Call) -> ast.expr:
        made = next(iter(self.observation.of(node).callees), None)
        if getattr(node.func, "id", "") == NEW:
            return _like(ast.Dict([], []), node)
        self.generic_visit(node)
        is_generated = isinstance(made, type) and not is_users(made)
        fields = _fields(node, made) if is_generated else None
        if fields is None:
            return node
        keys: list[ast.expr | None] = [ast.Constant(field) for field in fields]
        items = list(fields.values())
        is_tuple = isinstance(made, type) and issubclass(made, tuple)
        return _like(ast.Tuple(items, ast.Load()) if is_tuple else ast.Dict(keys, items), node)


def _like(made: ast.expr, node: ast.expr) -> ast.expr:
    """An expression in the place of another one, with its observations."""
    made.number = node.number  # type: ignore[attr-defined]
    return ast.copy_location(made, node)


def _fields(node: ast.Call, made: Any) -> dict[str, ast.expr] | None:
    """The fields of a record or named tuple that a call makes, with their values; None for other calls."""
    given = {keyword.arg: keyword.value for keyword in node.keywords if keyword.arg}
    if any(isinstance(argument, ast.Starred) for argument in node.args) or len(given) < len(node.keywords):
        return None
    if not (hasattr(made, "_field_defaults") or is_record_class(made)):
        return None
    if not hasattr(made, "__match_args__"):  # a namespace
        return None if node.args else given
    parameters = inspect.signature(made).parameters
    defaults = {name: literal(p.default) for name, p in parameters.items() if p.default is not p.empty}
    texts = {name: ast.parse(text, mode="eval").body for name, text in defaults.items() if text is not None}
    fields = {**texts, **dict(zip(parameters, node.args, strict=False)), **given}
    return {name: fields[name] for name in parameters} if {*fields} == {*parameters} else None
