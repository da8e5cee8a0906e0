"""Removal of the statements of a pass or a function whose results nothing reads."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from gradcli.answers.derivation.passes.needed_names import needs, wanted, without
from gradcli.answers.derivation.passes.reverse import is_empty
from gradcli.answers.derivation.syntax_trees import (
    names_in,
    nodes_in,
    root_of,
    stored_names,
    with_body,
)

Statements = list[ast.stmt]


def pruned(statements: Statements, live: Iterable[str] = (), *, keeps_blocks: bool = False) -> Statements:
    """The statements without those whose results are unused.

    Args:
        statements: a whole function or a pass.
        live: the names read after them.
        keeps_blocks: whether to keep empty loops and branches.
    """
    return _Pruner(keeps_blocks).block(statements, set(live), set())[0]


class _Pruner:
    def __init__(self, keeps_blocks: bool) -> None:
        self.keeps_blocks = keeps_blocks

    def block(self, statements: Statements, live: set[str], after_loop: set[str]) -> tuple[Statements, set[str]]:
        """The remaining statements of a block, and the names live at its start."""
        kept: Statements = []
        for statement in reversed(statements):
            left, live = self._statement(statement, live, after_loop)
            if left is not None:
                kept.append(left)
        return kept[::-1], live

    def _statement(self, node: ast.stmt, live: set[str], after_loop: set[str]) -> tuple[ast.stmt | None, set[str]]:
        if isinstance(node, ast.Break):
            return node, set(after_loop)
        if isinstance(node, ast.Pass):
            return None, live
        if isinstance(node, ast.If):
            return self._branch(node, live, after_loop)
        if isinstance(node, (ast.For, ast.While)):
            return self._loop(node, live)
        if isinstance(node, (ast.Assign, ast.AugAssign)):
            return self._assignment(node, live)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            return self._effect(node, live)
        return node, live | needs(node)

    def _effect(self, node: ast.Expr, live: set[str]) -> tuple[ast.stmt | None, set[str]]:
        call = node.value
        assert isinstance(call, ast.Call)
        is_sum = ast.unparse(call.func) == "np.add.at"
        changed = root_of(call.args[0] if is_sum else getattr(call.func, "value", call))
        if changed and changed not in live and (is_sum or f"#{changed}" not in live):
            return None, live
        return node, live | names_in(node)

    def _assignment(self, node: ast.Assign | ast.AugAssign, live: set[str]) -> tuple[ast.stmt | None, set[str]]:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        whole_names = set(wanted(stored_names(target), live))
        stored = stored_names(target) | {root_of(node) for node in nodes_in(target) if isinstance(node, ast.Subscript)}
        pops = [part for part in nodes_in(node.value) if isinstance(part, ast.Attribute) and part.attr == "pop"]
        if not stored & live and not whole_names:
            if any(root_of(pop.value) in live for pop in pops):
                return ast.Expr(node.value), live | needs(node.value)
            return None, live
        if isinstance(node, ast.Assign):
            whole = {target.id} if isinstance(target, ast.Name) else set()
            if isinstance(target, ast.Tuple):
                whole = {element.id for element in target.elts if isinstance(element, ast.Name)}
            index = names_in(target) - stored
            return node, without(live, whole) | needs(node.value) | index
        return node, live | names_in(node.target) | needs(node.value)

    def _branch(self, node: ast.If, live: set[str], after_loop: set[str]) -> tuple[ast.stmt | None, set[str]]:
        body, one = self.block(node.body, live, after_loop)
        orelse, other = self.block(node.orelse, live, after_loop)
        node = ast.copy_location(ast.If(node.test, body, orelse), node)
        if not self.keeps_blocks and is_empty(body) and is_empty(orelse):
            return None, one | other
        return node, one | other | needs(node.test)

    def _loop(self, node: ast.For | ast.While, live: set[str]) -> tuple[ast.stmt | None, set[str]]:
        header = needs(node.iter if isinstance(node, ast.For) else node.test)
        bound = names_in(node.target) if isinstance(node, ast.For) else set()
        seen = set(live) | header
        while True:
            body, start = self.block(node.body, set(seen), live)
            start = without(start, bound)
            if start <= seen:
                break
            seen |= start
        if not self.keeps_blocks and is_empty(body):
            if not wanted(bound, live):
                return None, live
            body = [ast.Pass()]  # needed, because the last item is read later
        return with_body(node, body), seen
