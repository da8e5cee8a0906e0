"""Names for conditions and lengths that the reverse pass needs again and could not recompute."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from gradcli.answers.derivation.intermediate.liveness import all_bound, all_statements, bound_names, written_names
from gradcli.answers.derivation.intermediate.statements import Assignment, Branch, LoopStatement, Routine, Statement
from gradcli.answers.derivation.syntax_trees import filled, name, names_in, nodes_in


class _WithoutShapes(ast.NodeTransformer):
    """Replaces the lengths of arrays and lists that keep their size by a constant.

    Args:
        reshaped: the names of those that do not.
    """

    def __init__(self, reshaped: set[str]) -> None:
        self.reshaped = reshaped

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        is_shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
        return self._steady(node, node.value.value) if is_shape else node  # type: ignore[attr-defined]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        is_length = isinstance(node.func, ast.Name) and node.func.id == "len"
        return self._steady(node, node.args[0]) if is_length else node

    def _steady(self, node: ast.expr, owner: ast.expr) -> ast.expr:
        is_kept = isinstance(owner, ast.Name) and owner.id not in self.reshaped
        return ast.Constant(0) if is_kept else node


class Hoisting:
    """Assigns conditions to names.

    Args:
        routine: the function, which is modified.
        fresh: creates an unused name.

    Attributes:
        made: the new names.
    """

    def __init__(self, routine: Routine, fresh: Callable[[str], str]) -> None:
        self.fresh = fresh
        self.reshaped = routine.reshaped
        self.made: set[str] = set()
        counts: dict[str, int] = dict.fromkeys(routine.parameters, 1)
        for statement in all_statements(routine.body):
            for bound_name in bound_names(statement) | written_names(statement):
                counts[bound_name] = counts.get(bound_name, 0) + 1
        self.once = {variable for variable, count in counts.items() if count == 1}
        self.bound = set(counts)
        self.steady = self.once - {
            n
            for statement in all_statements(routine.body)
            if isinstance(statement, LoopStatement)
            for n in all_bound(statement.body)
        }
        self.indices = {
            n
            for statement in all_statements(routine.body)
            if isinstance(statement, LoopStatement) and statement.target is not None
            for n in names_in(statement.target)
        } & self.once
        routine.body[:] = self._block(routine.body)

    def _block(self, block: Sequence[Statement]) -> list[Statement]:
        statements: list[Statement] = []
        for statement in block:
            if isinstance(statement, Branch):
                statement.body[:] = self._block(statement.body)
                statement.orelse[:] = self._block(statement.orelse)
                is_rebound = bool(names_in(statement.test) & all_bound([statement]))  # by the time it is read again
                if is_rebound or not self._is_steady(statement.test):
                    statements.append(made := self._named(statement.test, "branch", statement.line))
                    statement.test = name(made.target)
            elif isinstance(statement, LoopStatement):
                statement.body[:] = self._block(statement.body)
                if statement.items is not None and not self._is_steady(statement.items):
                    statements.append(made := self._named(statement.items, "items", statement.line))
                    statement.items = name(made.target)
            statements.append(statement)
        return statements

    def _is_steady(self, node: ast.expr) -> bool:
        """Whether an expression will have the same value when it is evaluated again."""
        if isinstance(node, ast.Name):
            return True
        node = _WithoutShapes(self.reshaped).visit(filled(node))
        calls = [part for part in nodes_in(node) if isinstance(part, ast.Call)]
        if any(
            not isinstance(call.func, ast.Name) or call.func.id not in ("len", "range", "min", "int") for call in calls
        ):
            return False
        if any(isinstance(part, (ast.Subscript, ast.ListComp, ast.GeneratorExp)) for part in nodes_in(node)):
            return False
        return names_in(node) & self.bound <= self.steady | self.indices

    def _named(self, value: ast.expr, stem: str, line: int) -> Assignment:
        made = self.fresh(stem)
        self.made.add(made)
        return Assignment(made, value, None, line)
