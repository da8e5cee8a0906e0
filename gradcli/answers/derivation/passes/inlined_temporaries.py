"""Inlining of generated names that are read once or are aliases."""

from __future__ import annotations

import ast
from collections import Counter

from gradcli.answers.derivation.passes.cleanup import Statements, block_lists, target_name, written_in_place
from gradcli.answers.derivation.passes.reverse import StatementMark
from gradcli.answers.derivation.syntax_trees import filled, names_in, stored_names


def inlined(statements: Statements, spare: set[str]) -> Statements:
    """The statements with generated names that are read once replaced by their values.

    Args:
        statements: a whole function.
        spare: the names that may be removed.
    """
    stores: Counter[str] = Counter()
    loads: Counter[str] = Counter()
    for top in statements:
        for node in ast.walk(top):
            if isinstance(node, ast.Name) and node.id in spare:
                (stores if isinstance(node.ctx, ast.Store) else loads)[node.id] += 1
    once = {name for name in spare if stores[name] == 1 and loads[name] == 1}
    return _inline(statements, once)


def renamed(statements: Statements, spare: set[str]) -> Statements:
    """The statements without generated names that are only aliases."""
    stores: Counter[str] = Counter()
    for top in statements:
        for node in ast.walk(top):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                stores[node.id] += 1
    return _rename(statements, {variable for variable in spare if stores[variable] == 1}, written_in_place(statements))


def _rename(statements: Statements, spare: set[str], in_place: set[str]) -> Statements:
    renamed = list(statements)
    for statement in renamed:
        for field in ("body", "orelse"):
            if getattr(statement, field, None):
                setattr(statement, field, _rename(getattr(statement, field), spare, in_place))
    at = 0
    while at < len(renamed):
        statement = renamed[at]
        name = target_name(statement) if isinstance(statement, ast.Assign) else ""
        value = getattr(statement, "value", None)
        if name in spare and isinstance(value, ast.Name) and name not in in_place:
            uses = [n for n in range(at + 1, len(renamed)) if name in names_in(renamed[n])]
            between = renamed[at + 1 : uses[-1]] if uses else []
            last = [renamed[uses[-1]]] if uses and block_lists(renamed[uses[-1]]) else []
            back = renamed[uses[0]] if len(uses) == 1 else None
            goes_back = isinstance(back, ast.Assign) and target_name(back) == value.id and _is(back.value, name)
            if goes_back and not any(value.id in names_in(middle) for middle in between):
                del renamed[uses[0]], renamed[at]
                continue
            if uses and not any(value.id in _changes(middle) for middle in (*between, *last)):
                for n in uses:
                    renamed[n] = filled(renamed[n], {name: value})
                del renamed[at]
                continue
        at += 1
    return renamed


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _inline(statements: Statements, once: set[str]) -> Statements:
    inlined = list(statements)
    for statement in inlined:
        for field in ("body", "orelse"):
            if getattr(statement, field, None):
                setattr(statement, field, _inline(getattr(statement, field), once))
    at = 0
    while at < len(inlined):
        statement = inlined[at]
        name = target_name(statement) if isinstance(statement, ast.Assign) else ""
        use = _use(inlined, at, name) if name in once else None
        if use is not None:
            value = statement.value  # type: ignore[attr-defined]
            inlined[use] = _put(inlined[use], name, value)
            del inlined[at]
            at = max(0, at - 1)
        else:
            at += 1
    return inlined


def _use(statements: Statements, at: int, name: str) -> int | None:
    """The position where a name is read, if its value can be computed there as well; otherwise None."""
    value = statements[at].value  # type: ignore[attr-defined]
    if any(isinstance(node, ast.Call) and _has_effect(node) for node in ast.walk(value)):
        return None
    needed = names_in(value)
    for later in range(at + 1, len(statements)):
        statement = statements[later]
        if name in _header_names(statement):
            return later
        if name in names_in(statement) or _changes(statement) & needed or isinstance(statement, ast.Raise):
            return None
    return None


def _has_effect(call: ast.Call) -> bool:
    text = ast.unparse(call.func)
    return text.endswith((".pop", ".append")) or text.startswith(("forward_", "backward_"))


def _header_names(statement: ast.stmt) -> set[str]:
    """The names that a statement reads exactly once, before its body runs."""
    if isinstance(statement, ast.If):
        return names_in(statement.test)
    if isinstance(statement, ast.For):
        return names_in(statement.iter)
    if isinstance(statement, (ast.While, StatementMark)):
        return set()
    return {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _changes(statement: ast.stmt) -> set[str]:
    return stored_names(statement) | written_in_place([statement])


def _put(statement: ast.stmt, name: str, value: ast.expr) -> ast.stmt:
    if isinstance(statement, ast.If):
        return ast.copy_location(
            ast.If(filled(statement.test, {name: value}), statement.body, statement.orelse), statement
        )
    if isinstance(statement, ast.For):
        made = ast.For(statement.target, filled(statement.iter, {name: value}), statement.body, statement.orelse)
        return ast.copy_location(made, statement)
    return filled(statement, {name: value})
