"""A run of a derived program that finds the type and the size of everything in it.

A loop with a known number of iterations is run exactly, which gives exact indices and stack sizes; any other loop is
run until nothing changes. Of a branch that depends on numbers, both sides are run. So no call with arguments of these
sizes leaves an array, which C does not check:

- What is run covers what any call does. A loop that is not run exactly appends nothing, or is refused.
- An item that is appended has the elements of its variable's type in C, also where its value has fewer, as None. As
  that type is known after the run alone, the run is repeated until it has counted by the types that it ends with.
- A list of the user's whose length is unknown gives off no item, and what reads its items checks their indices.
- An index that is known in each iteration lies in its axis, or the program is refused. Any other, and each array of
  indices, is checked by the program (`indexing.place_of`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from gradcli.answers.derivation.languages.c.expression_run import ExpressionRun
from gradcli.answers.derivation.languages.c.sizes import Sizes, Variables, grown_by
from gradcli.answers.derivation.languages.c.value_sizes import (
    INT,
    NONE,
    POPPED,
    GrowingList,
    SizedArray,
    SizedNumber,
    SizedTuple,
    UnknownSize,
    Value,
    described,
    width,
)
from gradcli.answers.derivation.passes.reverse import StatementMark
from gradcli.answers.derivation.syntax_trees import root_of, text_of

MOST_STEPS = 200_000
GROWS = "a loop of any number of turns that keeps numbers for the way back"


class SizingRun:
    """The state of a run.

    Attributes:
        sizes: what was found.
        expressions: runs the expressions.
        left: the variables at each `break` of the loops around a statement.
        steps: the number of statements that were run.
        sums: the sum that an augmented assignment computes, created once.
    """

    def __init__(self, sizes: Sizes, scope: dict[str, Any]) -> None:
        self.sizes = sizes
        self.expressions = ExpressionRun(sizes, scope)
        self.left: list[list[Variables]] = []
        self.steps = 0
        self.sums: dict[int, ast.BinOp] = {}


def run_function(body: Sequence[ast.stmt], arguments: Variables, sizes: Sizes, scope: dict[str, Any]) -> None:
    """Find the sizes of everything in a function.

    Raises:
        UnsupportedError: something has no known size.
    """
    while True:
        sizes.counted.clear()
        sizes.capacity.clear()
        run_block(body, dict(arguments), SizingRun(sizes, scope))
        if all(sizes.room(node) == room for node, room in sizes.counted.values()):
            return


def run_block(block: Sequence[ast.stmt], at: Variables | None, run: SizingRun) -> Variables | None:
    """The variables after a block; None if its end is not reached.

    Raises:
        UnsupportedError: something has no known size.
    """
    for line in block:
        if isinstance(line, StatementMark):
            run.sizes.line = line.statement.line if line.statement is not None else run.sizes.line
            continue
        if at is None:
            return None
        run.steps += 1
        if run.steps > MOST_STEPS:
            raise run.sizes.refuse(f"a loop of so many turns (more than {MOST_STEPS:,} statements in all)")
        run.sizes.at(line)
        if type(line) not in STATEMENTS:
            raise run.sizes.refuse(f"the statement {ast.unparse(line)}")
        at = STATEMENTS[type(line)](line, at, run)
    return at


def _assert(node: ast.Assert, at: Variables, run: SizingRun) -> Variables:
    of_type = isinstance(node.test, ast.Compare) and ast.unparse(node.test.left).endswith(".dtype.kind")
    outcome = True if of_type else run.expressions.truth(node.test, at)  # all are doubles
    run.sizes.outcomes.setdefault(id(node), set()).add(outcome)
    return at


def _return(node: ast.Return, at: Variables, run: SizingRun) -> None:
    assert node.value is not None
    parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
    for part in parts:
        for one in part.elts if isinstance(part, ast.Tuple) else [part]:
            run.expressions.value(one, at)


def _break(node: ast.Break, at: Variables, run: SizingRun) -> None:
    run.left[-1].append(at)


def _assign(node: ast.Assign, at: Variables, run: SizingRun) -> Variables:
    target = node.targets[0]
    if isinstance(node.value, ast.Call) and isinstance(target, ast.Name) and _is_range(node.value):
        items = _items(node.value, at, run)[0]
        at[target.id] = NONE if items is None else SizedTuple(tuple(items))
        run.sizes.ranges[target.id] = node.value
    else:
        _give(target, run.expressions.value(node.value, at), at, run)
    return at


def _augassign(node: ast.AugAssign, at: Variables, run: SizingRun) -> Variables:
    target: Any = node.target
    if id(node) not in run.sums:
        read: ast.expr = ast.Subscript(getattr(target, "value", target), getattr(target, "slice", target), ast.Load())
        read = ast.Name(target.id, ast.Load()) if isinstance(target, ast.Name) else read
        run.sums[id(node)] = ast.BinOp(read, node.op, node.value)
    made = run.expressions.value(run.sums[id(node)], at)
    run.sizes.see(target, made)
    if isinstance(target, ast.Name):
        _give(target, made, at, run)
    return at


def _give(target: ast.expr, value: Value, at: Variables, run: SizingRun) -> None:
    """Bind the target of an assignment."""
    sizes = run.sizes
    if isinstance(target, ast.Name):
        _bind(target.id, value, at, run)
    elif isinstance(target, ast.Tuple):
        for part, element in zip(target.elts, sizes.parts_of(value, len(target.elts)), strict=True):
            _give(part, element, at, run)
    elif isinstance(target, ast.Subscript):
        place = run.expressions.value(target, at)
        owner = at.get(root_of(target))
        if isinstance(owner, GrowingList) and owner.items is not None:
            owner.items = [sizes.join(item, value) for item in owner.items]
        elif width(place) < width(value):
            raise sizes.refuse(f"{described(value)} in a place of {described(place)}")
        if isinstance(owner, SizedArray) and isinstance(value, (SizedNumber, SizedArray)) and value.type == "double":
            at[root_of(target)] = owner.changed(type="double")
            sizes.variables[root_of(target)] = sizes.cover(sizes.variables[root_of(target)], at[root_of(target)])
    else:
        raise sizes.refuse(f"an assignment to {ast.unparse(target)}")


def _bind(name: str, value: Value, at: Variables, run: SizingRun) -> None:
    sizes = run.sizes
    if value == POPPED:
        if name not in sizes.variables:
            raise sizes.refuse(f"{name}, which is taken off a stack before it has a type")
        value = sizes.variables[name]
    if name in sizes.grown or isinstance(value, GrowingList):
        value = _growing(name, value, run)
        sizes.capacity[name] = max(sizes.capacity.get(name, 0), value.most)
    if value == NONE:
        sizes.nullable.add(name)
    known = sizes.variables.get(name)
    plain = _open(value)
    sizes.variables[name] = plain if known is None or isinstance(plain, GrowingList) else sizes.cover(known, plain)
    at[name] = value


def _open(value: Value) -> Value:
    """A value without known numbers."""
    if isinstance(value, SizedNumber):
        return SizedNumber(value.type)
    return SizedTuple(tuple(map(_open, value.parts))) if isinstance(value, SizedTuple) else value


def _growing(name: str, value: Value, run: SizingRun) -> GrowingList:
    """A list whose length may change."""
    if isinstance(value, GrowingList):
        return GrowingList(value.items, value.widths)
    if isinstance(value, SizedArray):
        run.sizes.hold(name, value.item)
        return GrowingList([value.item] * value.shape[0])
    raise run.sizes.refuse(f"{name}, which is {described(value)} by turns")


def _effect(node: ast.Expr, at: Variables, run: SizingRun) -> Variables:
    """An append, or a call that binds nothing."""
    call = node.value
    owner = at.get(grown_by(call))
    if isinstance(call, ast.Call) and isinstance(owner, GrowingList) and call.func.attr == "append":  # type: ignore[attr-defined]
        value, name = run.expressions.value(call.args[0], at), grown_by(call)
        run.sizes.hold(name, value)
        owner.append(value, run.sizes.elements(call.args[0], value))
        run.sizes.capacity[name] = max(run.sizes.capacity.get(name, 0), owner.most)
    else:
        run.expressions.value(call, at)
    return at


# Loops and branches


def _if(node: ast.If, at: Variables, run: SizingRun) -> Variables | None:
    test = run.expressions.truth(node.test, at)
    run.sizes.outcomes.setdefault(id(node), set()).add(test)
    if test is not None:
        return run_block(node.body if test else node.orelse, at, run)
    body, orelse = copied(at), copied(at)
    return _met(run, run_block(node.body, body, run), run_block(node.orelse, orelse, run))


def _for(node: ast.For, at: Variables, run: SizingRun) -> Variables | None:
    items, item = _items(node.iter, at, run)
    run.sizes.turns.setdefault(id(node), []).append(None if items is None else len(items))
    if items is None:
        return _until_steady(node, at, lambda now: _give(node.target, item, now, run), run)
    run.left.append([])
    after: Variables | None = at
    for element in items:
        if after is None:
            break
        _give(node.target, element, after, run)
        after = run_block(node.body, after, run)
    return _met(run, after, *run.left.pop())


def _items(node: ast.expr, at: Variables, run: SizingRun) -> tuple[list[Value] | None, Value]:
    """The items that a loop iterates over, or None if their number is unknown, and a value that covers all."""
    called = text_of(node.func) if isinstance(node, ast.Call) else ""
    if isinstance(node, ast.Call) and (called == "reversed" or (called == "list" and _is_range(node))):
        items, item = _items(node.args[0], at, run)
        return (items and items[::-1] if called == "reversed" else items), item
    if isinstance(node, ast.Call) and called == "range":
        bounds: list[Any] = [getattr(run.expressions.value(argument, at), "known", None) for argument in node.args]
        return None if None in bounds else [SizedNumber("int", k) for k in range(*bounds)], INT
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):  # items[:trips]
        items, item = _items(node.value, at, run)
        upper = getattr(node.slice.upper and run.expressions.value(node.slice.upper, at), "known", None)
        return (items[:upper] if items is not None and upper is not None else None), item
    named = at.get(node.id) if isinstance(node, ast.Name) else None
    if isinstance(named, (SizedTuple, UnknownSize)):
        return (list(named.parts) if isinstance(named, SizedTuple) else None), INT
    value = run.expressions.value(node, at)
    if isinstance(value, SizedArray):
        return [value.item] * value.shape[0], value.item
    raise run.sizes.refuse(f"a loop over {text_of(node)}")


def _is_range(node: ast.expr) -> bool:
    """Whether an expression is a range, forwards or reversed."""
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return called == "range" or (called in ("reversed", "list") and _is_range(node.args[0]))  # type: ignore[attr-defined]


def _while(node: ast.While, at: Variables, run: SizingRun) -> Variables | None:
    run.left.append([])
    after: Variables | None = at
    while after is not None:
        test = run.expressions.truth(node.test, after)
        if test is None:
            after = _until_steady(node, after, lambda now: run.expressions.truth(node.test, now), run)
            break
        if not test:
            break
        after = run_block(node.body, after, run)
    return _met(run, after, *run.left.pop())


def _until_steady(
    node: ast.For | ast.While, at: Variables, begin: Callable[[Variables], Any], run: SizingRun
) -> Variables | None:
    """Run a loop with an unknown number of iterations until a fixed point."""
    line = run.sizes.line
    run.left.append([])
    state = at
    for _ in range(12):
        now = copied(state)
        begin(now)
        after = _met(run, state, run_block(node.body, now, run))
        assert after is not None
        if after == state:
            return _met(run, state, *run.left.pop())
        state = after
    run.sizes.line = line
    raise run.sizes.refuse(GROWS, hint="Bound the loop, as in `for k in range(100)` with a break.")


def _met(run: SizingRun, *ends: Variables | None) -> Variables | None:
    """The variables where several paths meet."""
    merged: Variables | None = None
    for end in ends:
        if end is None or merged is None:
            merged = merged if end is None else copied(end)
            continue
        for name, value in end.items():
            merged[name] = run.sizes.cover(merged[name], value) if name in merged else value
    return merged


def copied(at: Variables) -> Variables:
    """The variables, with copies of lists."""
    return {name: value.copy() if isinstance(value, GrowingList) else value for name, value in at.items()}


STATEMENTS: dict[type[ast.stmt], Callable[[Any, Variables, SizingRun], Variables | None]] = {
    ast.Assert: _assert,
    ast.Assign: _assign,
    ast.AugAssign: _augassign,
    ast.Break: _break,
    ast.Expr: _effect,
    ast.For: _for,
    ast.If: _if,
    ast.Pass: lambda node, at, run: at,
    ast.Raise: lambda node, at, run: None,
    ast.Return: _return,
    ast.While: _while,
}
