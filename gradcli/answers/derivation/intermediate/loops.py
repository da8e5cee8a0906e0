"""Loops in the intermediate form: over values without a derivative as they are, over active sequences by index."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradcli.answers.derivation.intermediate.assignments import assign
from gradcli.answers.derivation.intermediate.context import LoweringContext, lower_block
from gradcli.answers.derivation.intermediate.liveness import is_break
from gradcli.answers.derivation.intermediate.operands import atom_of, static, static_name
from gradcli.answers.derivation.intermediate.statements import Assignment, Branch, LoopStatement, Statement
from gradcli.answers.derivation.reading.value_kind import STATIC
from gradcli.answers.derivation.syntax_trees import expression, filled, name


def lower_while(node: ast.While, context: LoweringContext) -> None:
    """A `while`."""
    line = context.line
    body = lower_block(node.body, context)
    context.out.append(LoopStatement(body, test=static(node.test, context), trips=context.fresh("trips"), line=line))


def lower_for(node: ast.For, context: LoweringContext) -> None:
    """A `for`, by index if its items carry a derivative."""
    line, before = context.line, []
    items, target = node.iter, node.target
    if context.dependence.of(items) or is_over_active(items, context):
        index = index_name(node, context)
        length = length_of(items, context)
        before = elements_of(target, items, name(index), context)
        items, target = expression("range(_n)", _n=length), ast.Name(index, ast.Store())
        context.kinds[index] = STATIC
    else:
        items = static(items, context)
        target = filled(target)
        if context.dependence.of(target):  # where other values of these names have a derivative
            item = context.made_name("item")
            context.kinds[item] = STATIC
            before, target = [(target, name(item))], ast.Name(item, ast.Store())
    outer, context.out = context.out, []
    for part, value in before:
        assign(part, value, context)
    head, context.out = context.out, outer
    body = [*head, *lower_block(node.body, context)]
    trips = context.fresh("trips") if _breaks(body) else ""
    if _called(items) != "range":
        listed = context.made_name("items")
        context.kinds[listed] = STATIC
        context.out.append(Assignment(listed, expression("list(_x)", _x=items), None, line))
        items = name(listed)
    context.out.append(LoopStatement(body, target, items, trips=trips, line=line))


def is_over_active(items: ast.expr, context: LoweringContext) -> bool:
    """Whether a loop iterates over active values together with inactive ones."""
    called = isinstance(items, ast.Call) and isinstance(items.func, ast.Name) and items.func.id
    return called in ("zip", "enumerate", "reversed") and any(
        context.dependence.of(argument) or is_over_active(argument, context)
        for argument in items.args  # type: ignore[attr-defined]
    )


def index_name(node: ast.For, context: LoweringContext) -> str:
    """The name of the index of a loop over a sequence: the user's own name in `enumerate`, if it counts from 0."""
    if _called(node.iter) == "enumerate" and isinstance(node.target, ast.Tuple):
        first = node.target.elts[0]
        if isinstance(first, ast.Name) and len(node.iter.args) == 1 and not node.iter.keywords:  # type: ignore[attr-defined]
            return first.id
    return context.made_name("k")


def length_of(items: ast.expr, context: LoweringContext) -> ast.expr:
    """The number of items of a loop."""
    called, arguments = _called(items), getattr(items, "args", [])
    if called in ("enumerate", "reversed"):
        return length_of(arguments[0], context)
    if called == "zip":
        lengths = [length_of(argument, context) for argument in arguments]
        return ast.Call(name("min"), lengths, []) if len(lengths) > 1 else lengths[0]
    return expression("len(_x)", _x=iterated(items, context))


def elements_of(
    target: ast.expr, items: ast.expr, index: ast.expr, context: LoweringContext
) -> list[tuple[ast.expr, ast.expr]]:
    """The pairs of a target and an item that an iteration binds."""
    called, arguments = _called(items), getattr(items, "args", [])
    if called == "enumerate" and isinstance(target, ast.Tuple):
        start = arguments[1] if len(arguments) > 1 else next((k.value for k in items.keywords), None)  # type: ignore[attr-defined]
        count = index if start is None else expression("_k + _s", _k=index, _s=static(start, context))
        same = isinstance(count, ast.Name) and isinstance(target.elts[0], ast.Name) and count.id == target.elts[0].id
        counted = [] if same else [(target.elts[0], count)]
        return [*counted, *elements_of(target.elts[1], arguments[0], index, context)]
    if called == "zip" and isinstance(target, ast.Tuple):
        pairs = zip(target.elts, arguments, strict=True)
        return [pair for part, iterated in pairs for pair in elements_of(part, iterated, index, context)]
    if called == "reversed":
        last = expression("_n - 1 - _k", _n=length_of(arguments[0], context), _k=index)
        return elements_of(target, arguments[0], last, context)
    source = iterated(items, context)
    item = ast.Subscript(source, index, ast.Load())
    return [(target, context.known(item, context.item_kind(items)))]


def iterated(items: ast.expr, context: LoweringContext) -> ast.expr:
    """The iterated value, under a name."""
    if isinstance(items, ast.Name):
        return items
    stand_in = getattr(items, "stand_in", None)
    if stand_in is None:
        atom = atom_of(items, context) if context.dependence.of(items) else static_name(items, context)
        stand_in = items.stand_in = atom  # type: ignore[attr-defined]
    return stand_in


def _called(node: ast.expr) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _breaks(body: Sequence[Statement]) -> bool:
    """Whether the body of a loop contains a break of this loop."""
    return any(
        is_break(statement)
        or (isinstance(statement, Branch) and (_breaks(statement.body) or _breaks(statement.orelse)))
        for statement in body
    )
