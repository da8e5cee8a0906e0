"""Statements for their effect: appends, sums at places, and calls that may raise."""

from __future__ import annotations

import ast
from typing import Any

from gradcli.answers.derivation.intermediate.assignments import store_kind, stored_fit
from gradcli.answers.derivation.intermediate.context import LoweringContext
from gradcli.answers.derivation.intermediate.operands import atom_of, identity, place_of, refuse_change, static
from gradcli.answers.derivation.intermediate.operation_derivatives import Identity
from gradcli.answers.derivation.intermediate.statements import Append, PassiveStatement, Store
from gradcli.answers.derivation.reading.user_functions import is_users
from gradcli.answers.derivation.syntax_trees import nodes_in, written_into


def lower_effect(node: ast.Expr, context: LoweringContext) -> None:
    """A call whose value is not used."""
    call = node.value
    if isinstance(call, ast.Constant):
        return
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        owner = call.func.value
        if ast.unparse(call.func).endswith("add.at") and isinstance(call.args[0], ast.Name):
            lower_add_at(call, call.args[0], context)
            return
        if call.func.attr == "append" and isinstance(owner, ast.Name):
            lower_append(owner, call, context)
            return
        refuse_change(call.func, context)
    callees = context.observation.of(call).callees
    if callees and (callees[0] is print or getattr(callees[0], "__module__", "") == "logging" or is_users(callees[0])):
        lower_passive_call(node, callees, context)
        return
    hint = "Assign what it returns: b[:] = np.dot(A, x). A list appends by its own name: values.append(v)."
    raise context.refuse(node, "a statement that only has an effect", hint=hint)


def lower_append(owner: ast.Name, call: ast.Call, context: LoweringContext) -> None:
    """`items.append(value)`."""
    value = call.args[0]
    if context.dependence.of(value):
        atom = atom_of(value, context)
        operation = identity(atom, context.kind(value))
        context.out.append(Append(owner.id, atom, operation, context.line))
    else:
        context.out.append(Append(owner.id, static(value, context), None, context.line))
    context.written.add(owner.id)


def lower_passive_call(node: ast.Expr, callees: list[Any], context: LoweringContext) -> None:
    """Keep a call of a user function because it may raise; drop calls that only print or log.

    Raises:
        UnsupportedError: the call may write into an argument.
    """
    if not is_users(callees[0]):
        return
    call = node.value
    assert isinstance(call, ast.Call)
    user = context.observation.of(call).users[0]
    inner = (callee for part in nodes_in(user.tree) for callee in context.observation.of(part).callees)
    changed = [node.value for node in user.changes.writes if isinstance(node, ast.Assign)]
    writes = any(map(written_into, nodes_in(user.tree)))
    writes = writes or any(context.kind(value).name != "number" for value in changed)
    if len(callees) > 1 or writes or user.changed & set(user.parameters) or any(map(is_users, inner)):
        raise context.refuse(node, f"{ast.unparse(call)} for its effect", "Let it return what it changes.")
    context.out.append(PassiveStatement(node, context.line))


def lower_add_at(call: ast.Call, owner: ast.Name, context: LoweringContext) -> None:
    """Lower `np.add.at(y, places, x)`, which adds to a place as often as it is named."""
    index = call.args[1]
    if isinstance(index, ast.Subscript) and ast.unparse(index.value) == "np.s_":
        index = index.slice
    place = ast.Subscript(owner, index, ast.Load())
    written, _ = place_of(place, context)
    value = call.args[2]
    context.written.add(owner.id)
    is_active = context.dependence.of(value) and owner.id in context.dependence.names
    atom = atom_of(value, context) if is_active else static(value, context)
    kind = store_kind(place, value, context)
    fit = stored_fit(value, kind, True, context)
    operation = Identity((atom,), (context.kind(value),), kind, fit) if is_active else None
    context.out.append(Store(owner.id, written, atom, 1, kind, operation, context.line, scatters=True))
