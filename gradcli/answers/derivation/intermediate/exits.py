"""Normalisation of exits: the code after a branch that exits is moved into the other branch.

A `continue` then needs no statement, a `break` is the last statement on its path, and a function has one return at its
end. A `return` inside a loop breaks the loop and sets a flag, by which the code after the loop is skipped.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import assign, name, nodes_in, with_body

MOST_STATEMENTS = 600
Fresh = Callable[[str], str]


class ExitNormalisation:
    """Normalises the exits of one function.

    Args:
        file: the file of the function.
        fresh: creates an unused name.
    """

    def __init__(self, file: str, fresh: Fresh) -> None:
        self.file = file
        self.fresh = fresh
        self.result = ""
        self.left = ""
        self.count = 0

    def settled(self, tree: ast.FunctionDef) -> list[ast.stmt]:
        """The body of a function, with its result in the name `result` at the end."""
        returns = [node for node in nodes_in(tree) if isinstance(node, ast.Return)]
        last = returns[-1] if returns else None
        if last is None:
            raise refusal_at(
                self.file, tree, f"what {tree.name} returns: it has no return", "Return a number.", runs=False
            )
        is_single = len(returns) == 1 and isinstance(last.value, ast.Name)
        self.result = last.value.id if is_single else self.fresh("result")  # type: ignore[union-attr]
        if any(_returns(node) for node in nodes_in(tree) if isinstance(node, (ast.For, ast.While))):
            self.left = self.fresh("returned")
        body, _ = self._block(tree.body, None)
        return body

    def _block(self, statements: list[ast.stmt], loop: str | None) -> tuple[list[ast.stmt], bool]:
        """A block and whether it always exits; `loop` is the flag for a break of the enclosing loop, or None."""
        normalised: list[ast.stmt] = []
        for at, statement in enumerate(statements):
            self.count += 1
            if self.count > MOST_STATEMENTS:
                raise refusal_at(self.file, statement, "so many exits from nested branches")
            rest = statements[at + 1 :]
            if isinstance(statement, ast.Return):
                return [*normalised, *self._returned(statement, loop is not None)], True
            if isinstance(statement, ast.Break):
                marked = [_at(assign(loop, ast.Constant(True)), statement)] if loop else []
                return [*normalised, *marked, statement], True
            if isinstance(statement, ast.Continue):
                return normalised, True
            if isinstance(statement, ast.Raise):
                return [*normalised, statement], True
            if isinstance(statement, ast.If) and any(map(_leaves, (*statement.body, *statement.orelse))):
                body, leaves = self._block([*statement.body, *rest], loop)
                orelse, other = self._block([*statement.orelse, *rest], loop)
                return [
                    *normalised,
                    _at(ast.If(statement.test, body or [ast.Pass()], orelse), statement),
                ], leaves and other
            if isinstance(statement, ast.If):
                body, orelse = self._block(statement.body, loop)[0], self._block(statement.orelse, loop)[0]
                normalised.append(_at(ast.If(statement.test, body or [ast.Pass()], orelse), statement))
            elif isinstance(statement, (ast.For, ast.While)):
                more, is_done = self._loop(statement, rest, loop)
                normalised += more
                if is_done:
                    return normalised, False
            else:
                normalised.append(statement)
        return normalised, False

    def _returned(self, statement: ast.Return, in_loop: bool) -> list[ast.stmt]:
        if statement.value is None:
            raise refusal_at(self.file, statement, "a return without a value", "Return a number.", runs=False)
        statements: list[ast.stmt] = []
        if not (isinstance(statement.value, ast.Name) and statement.value.id == self.result):
            statements.append(_at(assign(self.result, statement.value), statement))
        if in_loop:
            statements += [_at(assign(self.left, ast.Constant(True)), statement), _at(ast.Break(), statement)]
        return statements

    def _loop(
        self, statement: ast.For | ast.While, rest: list[ast.stmt], outer: str | None
    ) -> tuple[list[ast.stmt], bool]:
        """A loop, together with all code after it if it has an `else` or returns."""
        broken = self.fresh("broken") if statement.orelse else ""
        body, _ = self._block(statement.body, broken)
        statements: list[ast.stmt] = [with_body(statement, body or [ast.Pass()])]
        returns = _returns(statement)
        if broken:
            statements.insert(0, _at(assign(broken, ast.Constant(False)), statement))
            test = ast.UnaryOp(ast.Not(), name(broken))
            rest = [_at(ast.If(test, statement.orelse, []), statement), *rest]
        if returns:
            statements.insert(0, _at(assign(self.left, ast.Constant(False)), statement))
            inner: list[ast.stmt] = [ast.Pass()] if outer is None else [ast.Break()]
            orelse, _ = self._block(rest, outer)
            return [*statements, _at(ast.If(name(self.left), inner, orelse), statement)], True
        if broken:
            more, _ = self._block(rest, outer)
            return [*statements, *more], True
        return statements, False


def _at(node: ast.stmt, like: ast.stmt) -> ast.stmt:
    node.lineno, node.end_lineno = like.lineno, like.end_lineno
    return node


def _leaves(node: ast.stmt) -> bool:
    """Whether a statement may exit its block."""
    if isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise)):
        return True
    if isinstance(node, ast.If):
        return any(map(_leaves, (*node.body, *node.orelse)))
    return isinstance(node, (ast.For, ast.While)) and _returns(node)


def _returns(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Return) for part in nodes_in(node))
