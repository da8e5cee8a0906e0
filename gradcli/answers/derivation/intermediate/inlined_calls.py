"""Calls of the user's functions written out where they stand, for languages without forward and backward functions."""

from __future__ import annotations

import ast
import copy
from collections.abc import Mapping

from gradcli.answers.derivation.intermediate.context import LoweringContext, lower_block, observed_kinds
from gradcli.answers.derivation.intermediate.exits import ExitNormalisation
from gradcli.answers.derivation.intermediate.operands import atom_of, identity, static
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
    names = {name: context.fresh(name) for name in sorted(_own_names(user.tree))}
    inner = _renamed(user, {**names, **_outer_names(user, names, context)}, node, context)
    active = tuple(names[parameter] for parameter, argument in arguments.items() if context.dependence.of(argument))
    dependence = Dependence(inner, context.observation, active)
    state = LoweringContext(inner, context.observation, dependence, context.registry, context.tables)
    state.fresh, state.made, state.kinds = context.fresh, context.made, context.kinds
    state.inlined = (*(context.inlined or ()), user.function)
    context.made |= set(names.values())
    exits = ExitNormalisation(inner.file, context.fresh)
    settled = exits.settled(inner.tree)
    kind = context.kind(node)
    context.kinds.update({**observed_kinds(state), exits.result: kind})
    dependence.names |= {exits.result} if context.dependence.of(node) else set()
    last = settled[-1] if isinstance(settled[-1], ast.Assign) and isinstance(settled[-1].value, ast.Tuple) else None
    body = lower_block(settled[:-1] if last is not None else settled, state)
    made = context.known(name(exits.result), kind) if last is None else _items(last.value, state, body)
    for parameter, argument in arguments.items():
        _bind(names[parameter], argument, state, context)
    context.out += body
    context.dependence.names |= dependence.names
    context.written |= state.written
    context.reshaped |= reshaped_names(inner, context.observation) | state.reshaped
    return made


def _items(node: ast.expr, state: LoweringContext, body: list[Statement]) -> ast.expr:
    """The items of a tuple under names."""
    if isinstance(node, ast.Tuple):
        return state.known(ast.Tuple([_items(item, state, body) for item in node.elts], ast.Load()), node)
    state.out = []
    atom = atom_of(node, state) if state.dependence.of(node) else static(node, state)
    body += state.out
    return state.known(atom, node)


def _bind(parameter: str, argument: ast.expr, state: LoweringContext, context: LoweringContext) -> None:
    """The assignment of an argument to a parameter; of a copy if it is written into."""
    kind = context.kinds.get(parameter, NUMBER)
    is_active = context.dependence.of(argument)
    atom = atom_of(argument, context) if is_active else static(argument, context)
    is_copied = parameter in state.written and kind.name in ("array", "list", "record")
    value = copied(atom, kind.name) if is_copied else atom
    context.out.append(Assignment(parameter, value, identity(atom, kind) if is_active else None, context.line))


def _own_names(tree: ast.FunctionDef) -> set[str]:
    return argument_names(tree) | stored_names(tree)


def _outer_names(user: UserFunction, own: Mapping[str, str], context: LoweringContext) -> dict[str, str]:
    """Other names for the free names of a function that mean something else in the function around the call."""
    names: dict[str, str] = {}
    outer, bound = context.user.namespace, _own_names(context.user.tree)
    for free in sorted(names_in(user.tree) - set(own)):
        value = user.namespace.get(free)
        names[free] = free
        while names[free] in bound or outer.get(names[free], value) is not value:
            names[free] = context.fresh(free)
        outer[names[free]] = value
    return names


def _renamed(user: UserFunction, names: Mapping[str, str], node: ast.Call, context: LoweringContext) -> UserFunction:
    """A function with other names; one of another file in the line of its call."""
    made = copy.copy(user)
    made.tree = filled(user.tree)
    copies = dict(zip(nodes_in(user.tree), nodes_in(made.tree), strict=True))
    writes = {
        copied_statement: tuple(names.get(n, n) for n in of)
        for statement, of in user.changes.writes.items()
        if isinstance(copied_statement := copies.get(statement), ast.stmt)
    }
    made.changes = InPlaceChanges(writes, set())
    for part in copies.values():
        if isinstance(part, ast.Name):
            part.id = names.get(part.id, part.id)
        elif isinstance(part, ast.arg):
            part.arg = names.get(part.arg, part.arg)
        if user.file != context.user.file and hasattr(part, "lineno"):
            part.lineno = context.line
    made.file = context.user.file
    for cached in ("parameters", "names", "changed"):
        made.__dict__.pop(cached, None)
    return made
