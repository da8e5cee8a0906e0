"""Lambda lifting: nested functions as separate functions with the enclosing variables as parameters."""

from __future__ import annotations

import ast
import copy
from types import CodeType, FunctionType
from typing import Any

from gradcli.derivation.refusals import LIST, refusal_at

TREE = "lifted_tree"  # the attribute of a lifted function that holds its definition


class Lifting(ast.NodeTransformer):
    """Takes nested functions and named lambdas out of a definition.

    Each one, and each of its calls, gets the enclosing variables as its first parameters, because a closure reads them
    when it is called.

    Args:
        tree: the definition, which is modified.
        file: the file of the definition.

    Attributes:
        definitions: the functions taken out, by name.

    Raises:
        UnsupportedError: a nested function is defined twice, passed on, or has a default that is not a constant.
    """

    def __init__(self, tree: ast.FunctionDef, file: str) -> None:
        self.file = file
        self.definitions: dict[str, ast.FunctionDef] = {}
        self._given: dict[str, list[str]] = {}
        tree.body = [self._taken_out(statement) for statement in tree.body]
        if self.definitions:
            self._given = self._variables(tree)
            tree.body = [self.visit(statement) for statement in tree.body]
            for name, each in self.definitions.items():
                each.body = [self.visit(statement) for statement in each.body]
                each.args.args[:0] = [ast.arg(variable, lineno=each.lineno) for variable in self._given[name]]

    def _taken_out(self, statement: ast.stmt) -> ast.stmt:
        for field in ("body", "orelse"):
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and getattr(statement, field, None):
                setattr(statement, field, [self._taken_out(each) for each in getattr(statement, field)])
        made = statement
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda):
            target = statement.targets[0]
            if isinstance(target, ast.Name) and len(statement.targets) == 1:
                body = ast.copy_location(ast.Return(statement.value.body), statement.value)
                made = ast.FunctionDef(target.id, statement.value.args, [body], [])
                made = ast.copy_location(made, statement)
        if not isinstance(made, ast.FunctionDef):
            return statement
        for node in ast.walk(made):
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                raise refusal_at(self.file, node, f"the generator {made.name}", LIST)
        if made.name in self.definitions:
            raise refusal_at(self.file, statement, f"{made.name}, which is defined twice")
        if not all(isinstance(default, ast.Constant) for default in made.args.defaults):
            raise refusal_at(self.file, statement, f"a default of {made.name} that is no constant")
        self.definitions[made.name] = made
        return ast.copy_location(ast.Pass(), statement)

    def _variables(self, tree: ast.FunctionDef) -> dict[str, list[str]]:
        """The enclosing variables that each function reads, itself or through the functions it calls."""
        whole = copy.deepcopy(tree)
        whole.decorator_list, whole.body = [], [*copy.deepcopy(list(self.definitions.values())), *whole.body]
        module = ast.fix_missing_locations(ast.Module([whole], []))
        free = {code.co_name: set(code.co_freevars) for code in _codes(_codes(compile(module, self.file, "exec"))[0])}
        size = -1
        while size != (size := sum(map(len, free.values()))):
            for definition in self.definitions:
                free[definition] |= {n for name in free[definition] & set(self.definitions) for n in free[name]}
        return {definition: sorted(free[definition] - set(self.definitions)) for definition in self.definitions}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in self.definitions:
            given = [ast.copy_location(ast.Name(each, ast.Load()), node) for each in self._given[node.func.id]]
            node.args = [*given, *(self.visit(argument) for argument in node.args)]
            node.keywords = [self.visit(keyword) for keyword in node.keywords]
            return node
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self.definitions:
            raise refusal_at(self.file, node, f"the function {node.id} outside a call", "Call it by its name.")
        return node

    def functions(self, namespace: dict[str, Any]) -> dict[str, FunctionType]:
        """The lifted functions as callables."""
        scope = dict(namespace)
        for name, tree in self.definitions.items():
            module = ast.fix_missing_locations(ast.Module([copy.deepcopy(tree)], []))
            exec(compile(module, self.file, "exec"), scope)
            setattr(scope[name], TREE, tree)
        return {name: scope[name] for name in self.definitions}


def _codes(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]
