"""Calls of the user's functions written out where they stand, for languages without forward and backward functions."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from gradcli.answers.derivation.intermediate.context import LoweringContext, lower_block, observed_kinds
from gradcli.answers.derivation.intermediate.exits import ExitNormalisation
from gradcli.answers.derivation.intermediate.operands import identity, operand_of
from gradcli.answers.derivation.intermediate.statements import Assignment, Statement
from gradcli.answers.derivation.reading.activity_analysis import Dependence
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.one_kind_names import reshaped_names
from gradcli.answers.derivation.reading.plain_statements import InPlaceChanges
from gradcli.answers.derivation.reading.value_kind import NUMBER
from gradcli.answers.derivation.syntax_trees import (
    argument_names,
    copied,
    filled,
    name,
    names_in,
    nodes_in,
    stored_names,
)


def inlined_call(
    user: UserFunction, arguments: Mapping[str, ast.expr], node: ast.Call, context: LoweringContext
) -> ast.expr:
    """The value of a call, after the statements of its function, whose variables get names of their own.

    If it ends by returning a tuple that is written out, its value is that tuple.
    """
    own = {name: context.fresh(name) for name in sorted(_own_names(user.tree))}
    function = _renamed(user, {**own, **_outer_names(user, own, context)}, context)
    active = tuple(own[parameter] for parameter, argument in arguments.items() if context.dependence.of(argument))
    inner = context.inside(function, Dependence(function, context.observation, active))
    context.made |= set(own.values())
    context.reshaped |= reshaped_names(function, context.observation)
    body, value = _body_and_value(node, inner, context)
    for parameter, argument in arguments.items():  # now that it is known what the body writes into
        _bind(own[parameter], argument, context)
    context.out += body
    context.dependence.names |= inner.dependence.names
    return value


def _body_and_value(
    node: ast.Call, inner: LoweringContext, context: LoweringContext
) -> tuple[list[Statement], ast.expr]:  # fmt: skip
    """The statements of a called function, and the expression of what it returns after them."""
    exits = ExitNormalisation(inner.user.file, context.fresh)
    settled = exits.settled(inner.user.tree)
    kind = context.kind(node)
    context.kinds.update({**observed_kinds(inner), exits.result: kind})
    if context.dependence.of(node):
        inner.dependence.names.add(exits.result)
    last = settled[-1] if settled else None
    if isinstance(last, ast.Assign) and isinstance(last.value, ast.Tuple):
        body = lower_block(settled[:-1], inner)
        return body, _items(last.value, inner, body)
    return lower_block(settled, inner), context.known(name(exits.result), kind)


def _items(node: ast.expr, inner: LoweringContext, body: list[Statement]) -> ast.expr:
    """The items of a tuple under names, which are bound at the end of a body."""
    if isinstance(node, ast.Tuple):
        return inner.known(ast.Tuple([_items(item, inner, body) for item in node.elts], ast.Load()), node)
    inner.out = []
    atom = operand_of(node, inner)
    body += inner.out
    return inner.known(atom, node)


def _bind(parameter: str, argument: ast.expr, context: LoweringContext) -> None:
    """The assignment of an argument to a parameter; of a copy if it is written into."""
    kind = context.kinds.get(parameter, NUMBER)
    atom = operand_of(argument, context)
    is_copied = parameter in context.written and kind.name in ("array", "list", "record")
    value = copied(atom, kind.name) if is_copied else atom
    operation = identity(atom, kind) if context.dependence.of(argument) else None
    context.out.append(Assignment(parameter, value, operation, context.line))


def _own_names(tree: ast.FunctionDef) -> set[str]:
    return argument_names(tree) | stored_names(tree)


def _outer_names(user: UserFunction, own: Mapping[str, str], context: LoweringContext) -> dict[str, str]:
    """Other names for the free names of a function that mean something else in the function around the call.

    The namespace of that function gets their values.
    """
    names: dict[str, str] = {}
    outer, bound = context.user.namespace, _own_names(context.user.tree)
    for free in sorted(names_in(user.tree) - set(own)):
        value = user.namespace.get(free)
        names[free] = free
        while names[free] in bound or outer.get(names[free], value) is not value:
            names[free] = context.fresh(free)
        outer[names[free]] = value
    return names


def _renamed(user: UserFunction, names: Mapping[str, str], context: LoweringContext) -> UserFunction:
    """A function with other names, in the file of the call; one of another file in the line of its call."""
    tree = filled(user.tree)
    copies = dict(zip(nodes_in(user.tree), nodes_in(tree), strict=True))
    writes = {
        copies[statement]: tuple(names.get(n, n) for n in into)
        for statement, into in user.changes.writes.items()
        if statement in copies
    }
    for part in copies.values():
        if isinstance(part, ast.Name):
            part.id = names.get(part.id, part.id)
        elif isinstance(part, ast.arg):
            part.arg = names.get(part.arg, part.arg)
        if user.file != context.user.file and hasattr(part, "lineno"):
            part.lineno = context.line
    made = user.with_tree(tree, InPlaceChanges(writes, set()))  # type: ignore[arg-type]
    made.file = context.user.file
    return made
