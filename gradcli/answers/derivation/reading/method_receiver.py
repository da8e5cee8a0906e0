"""Methods as functions: attributes that are read become constants, and attributes that are only written are dropped."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any, TypeGuard

from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import argument_names, names_in, nodes_in


class Receiver(ast.NodeTransformer):
    """Removes `self` from the definition of a method.

    Args:
        tree: the definition, which is modified.
        owner: the object.
        file: the file of the method.
        known: the constants of other methods, which get other names.

    Attributes:
        constants: the values of the attributes that are read, by their names in the new text.
        reads: the attributes that are read, each with a node.
        writes: the attributes that are written.
    """

    def __init__(self, tree: ast.FunctionDef, owner: Any, file: str, known: dict[str, Any]) -> None:
        parameters = tree.args.posonlyargs or tree.args.args
        if not parameters:
            what = f"the object of the method {tree.name}, which gathers it with other arguments"
            raise refusal_at(
                file, tree, what, "Derive a function of numbers, lists and arrays that calls it.", runs=False
            )
        self.name = parameters.pop(0).arg
        self.owner = owner
        self.file = file
        self.known = known
        self.constants: dict[str, Any] = {}
        self.reads: dict[str, ast.AST] = {}
        self.writes: set[str] = set()
        self.local = self._locals(tree)
        self._taken = names_in(tree) | argument_names(tree)
        tree.body = [self.visit(statement) for statement in tree.body]

    def visit_Assign(self, node: Any) -> ast.stmt:
        """An assignment, which is dropped where it only writes attributes."""
        targets: list[ast.expr] = node.targets if isinstance(node, ast.Assign) else [node.target]
        if not all(self._is_part(target) and target.attr not in self.local for target in targets):
            self.generic_visit(node)
            return node  # type: ignore[no-any-return]
        self.writes |= {target.attr for target in targets if isinstance(target, ast.Attribute)}
        return ast.copy_location(ast.Pass(), node)

    visit_AugAssign = visit_AnnAssign = visit_Assign

    def _is_part(self, node: ast.AST) -> TypeGuard[ast.Attribute]:
        return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == self.name

    def _locals(self, tree: ast.FunctionDef) -> set[str]:
        """The attributes that are read only after the function has written them."""
        written: dict[str, int] = {}
        read: dict[str, int] = {}
        for statement in (part for part in nodes_in(tree) if isinstance(part, ast.stmt)):
            for part in filter(self._is_part, nodes_in(statement)):
                first, line = written, statement.end_lineno or 0
                if isinstance(part.ctx, ast.Load) or isinstance(statement, ast.AugAssign):
                    first, line = read, part.lineno
                first[part.attr] = min(line, first.get(part.attr, line))
        return {attribute for attribute in written.keys() & read if written[attribute] < read[attribute]}

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        if not self._is_part(node):
            self.generic_visit(node)
            return node
        if node.attr in self.local:
            self.writes.add(node.attr)
            return ast.copy_location(ast.Name(f"{self.name}_{node.attr}", node.ctx), node)
        if not isinstance(node.ctx, ast.Load):  # beside others
            self.writes.add(node.attr)
            return ast.copy_location(ast.Name("_", ast.Store()), node)
        self.reads.setdefault(node.attr, node)
        return ast.copy_location(ast.Name(self._constant(node.attr), ast.Load()), node)

    def _constant(self, attribute: str) -> str:
        name = stem = attribute if attribute not in self._taken else f"{self.name}_{attribute}"
        value, count = getattr(self.owner, attribute, None), 0
        while name in self._taken or self.known.setdefault(name, value) is not value:
            count += 1
            name = f"{stem}_{count}"
        if hasattr(self.owner, attribute):
            self.constants[name] = value
        return name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == self.name:  # as a whole
            self.constants[self.name] = self.owner
        return node


def refuse_state(receivers: Iterable[tuple[Receiver, str]]) -> None:
    """Refuse methods of one object if one reads an attribute that another one writes.

    Raises:
        UnsupportedError: there are such methods; the message names the line that reads.
    """
    pairs = list(receivers)
    for receiver, file in pairs:
        writes = {write for other, _ in pairs if other.owner is receiver.owner for write in other.writes}
        for attribute, node in receiver.reads.items():
            if attribute in writes:
                what = f"{receiver.name}.{attribute}, which is read and written"
                raise refusal_at(file, node, what, "Hand it in as an argument.")
