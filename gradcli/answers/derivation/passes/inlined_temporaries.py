"""Inlining of generated names that are read once or are aliases."""

from __future__ import annotations

import ast
import copy
from collections import Counter

from gradcli.answers.derivation.passes.cleanup import (
    Statements,
    block_lists,
    first_amount,
    target_name,
    written_in_place,
)
from gradcli.answers.derivation.passes.reverse import StatementMark
from gradcli.answers.derivation.syntax_trees import (
    accumulate,
    assign,
    filled,
    names_in,
    nodes_in,
    stored_names,
    text_of,
)


def inlined(statements: Statements, spare: set[str]) -> Statements:
    """The statements with generated names that are read once replaced by their values.

    Args:
        statements: a whole function.
        spare: the names that may be removed.
    """
    stores, loads = _uses(statements)
    return _inline(statements, {name for name in spare if stores[name] == 1 and loads[name] == 1})


def renamed(statements: Statements, spare: set[str]) -> Statements:
    """The statements without generated names that are only aliases."""
    stores, _ = _uses(statements)
    return _rename(statements, {name for name in spare if stores[name] == 1}, written_in_place(statements))


def _uses(statements: Statements) -> tuple[Counter[str], Counter[str]]:
    """How often each name is bound, and how often it is read."""
    names = [node for node in nodes_in(*statements) if isinstance(node, ast.Name)]
    stores = Counter(node.id for node in names if isinstance(node.ctx, ast.Store))
    return stores, Counter(node.id for node in names if isinstance(node.ctx, ast.Load))


def bound_at_once(statements: Statements, spare: set[str]) -> Statements:
    """The statements with what functions give bound to the names that it is handed on to, or returned at once."""
    stores, loads = _uses(statements)
    kept = _bound_at_once(statements, {name for name in spare if stores[name] == 1 and loads[name] == 1})
    if len(kept) < 2:
        return kept
    *others, given, returned = kept
    if isinstance(given, ast.Assign) and isinstance(returned, ast.Return) and returned.value is not None:
        is_same = ast.unparse(given.targets[0]) == ast.unparse(returned.value)
        if is_same and ast.unparse(given.value).startswith("backward_"):
            return [*others, ast.Return(given.value)]
    return kept


def _bound_at_once(statements: Statements, once: set[str]) -> Statements:
    kept = list(statements)
    for statement in kept:
        for block in block_lists(statement):
            block[:] = _bound_at_once(block, once)
    at = 0
    while at < len(kept):
        statement = kept[at]
        is_given = isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
        for name in sorted(names_in(*statement.targets) & once) if is_given else ():  # type: ignore[attr-defined]
            later = next((n for n in range(at + 1, len(kept)) if name in names_in(kept[n])), at)
            target = kept[later].targets[0] if _hands_on(kept[later], name) else None  # type: ignore[attr-defined]
            mentioned = names_in(*statement.targets, *kept[at + 1 : later])  # type: ignore[attr-defined]
            if target is not None and not names_in(target) & mentioned:
                kept[at] = statement = assign(_with_target(statement.targets[0], name, target), statement.value)  # type: ignore[attr-defined]
                del kept[later]
        at += 1
    return kept


def _hands_on(statement: ast.stmt, name: str) -> bool:
    """Whether a statement is `x = name` or `x, y = name`."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Name):
        return False
    target = statement.targets[0]
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return statement.value.id == name and all(isinstance(part, ast.Name) for part in parts)


def _with_target(target: ast.expr, name: str, other: ast.expr) -> ast.expr:
    if isinstance(target, ast.Tuple):
        return ast.Tuple([_with_target(part, name, other) for part in target.elts], ast.Store())
    return other if isinstance(target, ast.Name) and target.id == name else target


HEADERS = {ast.If: "test", ast.For: "iter"}  # the expression that is evaluated once, before the blocks
SHORT = 60  # characters of a sum in one line


def merged_sums(statements: Statements, names: set[str]) -> Statements:
    """The statements with variables of some names that are bound and at once added to, for one line, bound to a sum."""
    merged: Statements = []
    at, line = -1, 0  # of the last statement that is no mark
    for statement in statements:
        for block in block_lists(statement):
            block[:] = merged_sums(block, names)
        total = _sum(merged[at], statement) if at >= 0 and target_name(statement) in names else None
        if total is not None:
            merged[at] = total
            continue
        if isinstance(statement, StatementMark):
            of_line = getattr(statement.statement, "line", 0)
            at, line = at if of_line == line else -1, of_line
        else:
            at = len(merged)
        merged.append(statement)
    return merged


def _sum(first: ast.stmt, then: ast.stmt) -> ast.stmt | None:
    """`s = a` and `s += b` as one statement; None if it is long, or calls functions of arrays."""
    target = target_name(first) if isinstance(first, ast.Assign) else ""
    amount = getattr(first_amount(then, target, set()), "value", None) if target else None
    own: ast.expr = getattr(first, "value", ast.Constant(0.0))
    if amount is None or not (isinstance(own, ast.Name) or (_is_plain(own) and _is_plain(amount))):
        return None
    step = accumulate(target, amount)
    is_double = ast.dump(own) == ast.dump(amount)
    whole = ast.BinOp(ast.Constant(2), ast.Mult(), amount) if is_double else ast.BinOp(own, step.op, step.value)
    return ast.copy_location(assign(target, whole), first) if len(text_of(whole)) <= SHORT else None


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression is one of numbers, or of arrays element by element."""
    others = (ast.MatMult, ast.List, ast.Dict, ast.ListComp)
    return not any(
        isinstance(part, others) or (isinstance(part, ast.Call) and not ast.unparse(part.func).startswith("math."))
        for part in nodes_in(node)
    )


def _rename(statements: Statements, spare: set[str], in_place: set[str]) -> Statements:
    renamed, (_, loads) = list(statements), _uses(statements)
    for statement in renamed:
        for block in block_lists(statement):
            _, inner = _uses(block)
            block[:] = _rename(block, {name for name in spare if inner[name] == loads[name]}, in_place)
    at = 0
    while at < len(renamed):
        statement = renamed[at]
        name = target_name(statement) if isinstance(statement, ast.Assign) else ""
        value = getattr(statement, "value", None)
        if name in spare and isinstance(value, (ast.Name, ast.Constant)) and name not in in_place:
            own = getattr(value, "id", "")
            uses = [n for n in range(at + 1, len(renamed)) if name in names_in(renamed[n])]
            back = [n for n in uses if _binds(renamed[n], own, name)]
            ends = uses[-1] + bool(block_lists(renamed[uses[-1]])) if uses else at
            between = [renamed[n] for n in range(at + 1, ends) if n not in back]
            if uses and not any(own in _changes(middle) for middle in between):
                for n in uses:
                    renamed[n] = filled(renamed[n], {name: value})
                renamed = [kept for n, kept in enumerate(renamed) if n != at and n not in back]
                continue
        at += 1
    return renamed


def _binds(statement: ast.stmt, target: str, name: str) -> bool:
    """Whether a statement is `target = name`."""
    value = statement.value if isinstance(statement, ast.Assign) and target_name(statement) == target else None
    return isinstance(value, ast.Name) and value.id == name


def _inline(statements: Statements, once: set[str]) -> Statements:
    inlined = list(statements)
    for statement in inlined:
        for block in block_lists(statement):
            block[:] = _inline(block, once)
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
    calls = [ast.unparse(node.func) for node in nodes_in(value) if isinstance(node, ast.Call)]
    if any(call.endswith((".pop", ".append")) or call.startswith("forward_") for call in calls):
        return None
    is_long = any(call.startswith("backward_") for call in calls)  # what it is called for stands beside it
    needed = names_in(value)
    for later in range(at + 1, len(statements)):
        statement = statements[later]
        if name in _header_names(statement):
            return later
        if name in names_in(statement) or _changes(statement) & needed or isinstance(statement, ast.Raise):
            return None
        if is_long and not isinstance(statement, StatementMark):
            return None
    return None


def _header_names(statement: ast.stmt) -> set[str]:
    """The names that a statement reads exactly once, before its body runs."""
    if isinstance(statement, (ast.While, StatementMark)):
        return set()
    header = HEADERS.get(type(statement))
    return names_in(getattr(statement, header)) if header else set(_uses([statement])[1])


def _changes(statement: ast.stmt) -> set[str]:
    return stored_names(statement) | written_in_place([statement])


def _put(statement: ast.stmt, name: str, value: ast.expr) -> ast.stmt:
    header = HEADERS.get(type(statement))
    if header is None:
        return filled(statement, {name: value})
    made = copy.copy(statement)
    setattr(made, header, filled(getattr(statement, header), {name: value}))
    return made
