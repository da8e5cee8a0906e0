"""Assignments in the intermediate form: to names, to several targets, to places of lists and arrays."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import numpy as np

from gradcli.answers.derivation.intermediate.context import LoweringContext
from gradcli.answers.derivation.intermediate.operands import (
    atom_of,
    fits_of,
    identity,
    lower,
    operand_of,
    place_of,
    static,
)
from gradcli.answers.derivation.intermediate.operation_derivatives import Identity
from gradcli.answers.derivation.intermediate.statements import (
    Assignment,
    PassiveStatement,
    Pop,
    RoutineCall,
    Store,
    Unpacking,
)
from gradcli.answers.derivation.reading.value_kind import NUMBER, OTHER, Fit, ValueKind
from gradcli.answers.derivation.refusals import TEXTS_AS_KEYS
from gradcli.answers.derivation.syntax_trees import (
    copied,
    expression,
    indices_of,
    is_dots,
    is_field,
    is_new_axis,
    name,
    names_in,
    root_of,
    text_of,
)

# The functions of NumPy whose places differ.
DISTINCT = (np.where, np.nonzero, np.triu_indices, np.tril_indices, np.diag_indices)


def assign(target: ast.expr, value: ast.expr, context: LoweringContext, augmented: bool = False) -> None:
    """`target = value`, by the type of the target."""
    if isinstance(target, (ast.Tuple, ast.List)):
        assign_many(target.elts, value, context)
    elif isinstance(target, ast.Subscript):
        assign_place(target, value, augmented, context)
    elif isinstance(target, ast.Name):
        assign_name(target.id, value, context)
    else:
        raise context.refuse(target, f"an assignment to {ast.unparse(target)}")
    last = context.out[-1] if context.out else None
    if augmented and isinstance(last, (Assignment, Store)) and last.target == root_of(target):
        kind = context.kinds.get(target.id, NUMBER) if isinstance(target, ast.Name) else context.kind(value)
        last.in_place = kind.name != "number"


def assign_name(target: str, value: ast.expr, context: LoweringContext) -> None:
    """`x = value`."""
    if stack := _popped_list(value, context):
        context.out.append(Pop(target, stack, context.line))
        context.written.add(stack)
        return None
    if not context.dependence.of(value):
        return context.bind(target, static(value, context), None)
    if (stored := _stored_sum(target, value, context)) is not None:
        context.out.append(stored)
        return None
    if _is_copy_of_itself(target, value, context):
        if target in context.user.parameters:  # which is copied anyway, as it is written into
            context.written.add(target)
        else:
            copying = ast.Assign([ast.Name(target, ast.Store())], static(value, context))
            context.out.append(PassiveStatement(copying, context.line))
        return None
    made, operation = lower(value, context)
    last = context.out[-1] if context.out else None
    is_alike = context.kinds.get(target) == context.kind(value)
    is_own = isinstance(made, ast.Name) and made.id in context.made
    if is_alike and is_own and isinstance(last, RoutineCall) and last.target == getattr(made, "id", ""):
        last.target = target  # the call itself binds the user's name
        return None
    if target in names_in(made) and not isinstance(made, ast.Name):
        made = context.temporary(made, operation, context.kind(value))
        operation = identity(made, context.kind(value))
    context.bind(target, made, operation)
    return None


def _is_copy_of_itself(target: str, value: ast.expr, context: LoweringContext) -> bool:
    """Whether an assignment is `x = x.copy()`, `x = list(x)` or alike."""
    called = value.func if isinstance(value, ast.Call) else None
    callee = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    arguments = list(getattr(value, "args", []))
    if isinstance(called, ast.Attribute) and callee == "copy":
        arguments = arguments or [called.value]
    is_of_target = [getattr(argument, "id", "") for argument in arguments] == [target]
    return callee in ("copy", "list", "array") and is_of_target and context.kind(value) == context.kinds.get(target)


def _stored_sum(target: str, value: ast.expr, context: LoweringContext) -> Store | None:
    """The sum that `target = target + e` or `target - e` stores, if the target is not broadcast; None for others."""
    if not (isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub))):
        return None
    own, term = value.left, value.right
    if isinstance(value.op, ast.Add) and isinstance(term, ast.Name) and term.id == target:
        own, term = term, own
    kind = context.kind(value)
    is_sum = isinstance(own, ast.Name) and own.id == target and target not in names_in(term)
    if not is_sum or kind.name == "list" or context.kinds.get(target) != kind:
        return None
    own_fit, fit = fits_of(value, (own, term), kind, context)
    if own_fit:
        return None
    atom = atom_of(term, context)
    operation = Identity((atom,), (context.kind(term),), kind, fit) if context.dependence.of(term) else None
    sign = 1 if isinstance(value.op, ast.Add) else -1
    return Store(target, name(target), atom, sign, kind, operation, context.line)


def assign_many(targets: Sequence[ast.expr], value: ast.expr, context: LoweringContext) -> None:
    """`a, b = value`, item by item where the items are written out."""
    if context.inlined is not None and isinstance(value, ast.Call) and context.dependence.of(value):
        value = _written_out(value, context)
    if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(targets):
        _assign_items(targets, value.elts, context)
        return
    if _popped_list(value, context):
        popped = context.variable(context.kind(value))
        assign_name(popped, value, context)
        value = context.known(name(popped), value)
    source = operand_of(value, context)
    is_active = context.dependence.of(value)
    names: list[str] = []
    later: list[tuple[ast.expr, str]] = []
    for n, element in enumerate(targets):
        if isinstance(element, ast.Name) and element.id not in names_in(source):
            names.append(element.id)
        else:
            stand_in = context.made_name()
            context.kinds[stand_in] = context.item_kind(value, n)
            names.append(stand_in)
            later.append((element, stand_in))
    context.out.append(Unpacking(tuple(names), source, context.line))
    for n, bound_name in enumerate(names):
        context.kinds.setdefault(bound_name, context.item_kind(value, n))
    for target, stand_in in later:
        if is_active:
            context.dependence.names.add(stand_in)
        assign(target, name(stand_in), context)


def _assign_items(targets: Sequence[ast.expr], values: Sequence[ast.expr], context: LoweringContext) -> None:
    """`a, b = c, d`: one after the other, or all values first if one of them reads a target."""
    bound = {n for target in targets for n in names_in(target)}
    if not names_in(*values) & bound:
        for target, element in zip(targets, values, strict=True):
            assign(target, element, context)
        return
    made = []
    written = {root_of(target) for target in targets if isinstance(target, ast.Subscript)}
    for element in values:
        if isinstance(element, ast.Subscript) and root_of(element) in written and _is_view(element, context):
            what = f"{text_of(element)}, a view of an array that is written into before it is read"
            raise context.refuse(element, what, "Copy it: a[0], a[1] = a[1].copy(), a[0].copy().")
        atom = operand_of(element, context)
        if names_in(atom) & bound:
            operation = identity(atom, context.kind(element)) if context.dependence.of(element) else None
            atom = context.temporary(atom, operation, context.kind(element))
        made.append(context.known(atom, element))
    for target, atom in zip(targets, made, strict=True):
        assign(target, atom, context)


def _is_view(node: ast.Subscript, context: LoweringContext) -> bool:
    """Whether a part of an array is a view of it: it has several numbers, and no index is a list or an array."""
    indices = [(context.kind(index).name, context.observation.of(index).shapes) for index in indices_of(node)]
    copies = any(kind == "list" or any(shape for shape, _ in shapes) for kind, shapes in indices)
    return context.kind(node).name == "array" and context.kind(node.value).name == "array" and not copies


def _popped_list(value: ast.expr, context: LoweringContext) -> str:
    """The list whose last item is taken, if some of its items carry a derivative; empty for other expressions."""
    called = value.func if isinstance(value, ast.Call) and not value.args else None
    owner = called.value if isinstance(called, ast.Attribute) and called.attr == "pop" else None
    is_own = isinstance(owner, ast.Name) and owner.id not in context.user.parameters
    return owner.id if is_own and owner.id in context.dependence.names else ""  # type: ignore[union-attr]


def _written_out(value: ast.Call, context: LoweringContext) -> ast.expr:
    """The items that a call gives whose statements stand in its place, if it has a tuple of them at its end."""
    if not context.observation.of(value).users:
        return value
    made = lower(value, context)[0]
    return made if isinstance(made, ast.Tuple) else context.known(made, value)


def assign_place(target: ast.Subscript, value: ast.expr, augmented: bool, context: LoweringContext) -> None:
    """`x[i] = value`, or `x[i] += e` where the user wrote so."""
    place, owner = place_of(target, context)
    if owner not in context.kinds or (owner in context.user.namespace and owner not in context.user.names):
        raise context.refuse(target, f"a write into {owner}, which is not made inside", "Copy it first.")
    is_active = owner in context.dependence.names
    if is_active and context.kinds[owner] == OTHER:
        what = f"a write into {owner}, which is no list, array or dict with texts as keys"
        raise context.refuse(target, what, TEXTS_AS_KEYS)
    if is_active and context.kind(target.value) == NUMBER:
        raise context.refuse(target, f"a write into {owner}, an array without axes", "Write the number itself.")
    require_distinct_indices(target, context)
    context.written.add(owner)
    if is_active and any(_is_list_slice(place, context) for place in _places(target)):
        assign_list_slice(target, owner, value, context)
        return
    if is_field(target) and isinstance(target.value, ast.Name):  # a key that is never read has no sensitivity
        is_active &= target.slice.value in {key for key, _ in context.kinds[owner].fields}  # type: ignore[attr-defined]
    adds, seen = 0, context.observation.of(value)
    is_broadcast = seen.is_broadcast
    if augmented and isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
        adds = 1 if isinstance(value.op, ast.Add) else -1
        value = value.right
        is_broadcast |= any(shape != parts[1] for shape, parts in seen.shapes)
    atom, kind, operation = operand_of(value, context), store_kind(target, value, context), None
    if is_active and context.dependence.of(value):
        operation = Identity((atom,), (context.kind(value),), kind, stored_fit(value, kind, is_broadcast, context))
    context.out.append(Store(owner, place, atom, adds, kind, operation, context.line))


def assign_list_slice(target: ast.Subscript, owner: str, value: ast.expr, context: LoweringContext) -> None:
    """`x[:] = value` of a list that a name holds: the name is bound to a new list, as if it were that list."""
    is_whole = isinstance(target.value, ast.Name) and text_of(target.slice) == ":"
    kind = context.kinds[owner]
    is_shared = kind.item is None or kind.item.name not in ("number", "static") or text_of(value) == owner
    if not is_whole or context.kind(value).name != "list" or is_shared:
        what = f"the write into {text_of(target)}, a slice of a list"
        hint = f"Bind another name to the whole new list, or write each item of {owner} by its own index."
        raise context.refuse(target, what, hint)
    atom = operand_of(value, context)
    operation = identity(atom, kind) if context.dependence.of(value) else None
    context.out.append(Assignment(owner, copied(atom, "list"), operation, context.line, in_place=True))


def _places(node: ast.expr) -> Iterator[ast.Subscript]:
    """A place and the places that it is in."""
    while isinstance(node, ast.Subscript):
        yield node
        node = node.value


def _is_list_slice(place: ast.Subscript, context: LoweringContext) -> bool:
    return isinstance(place.slice, ast.Slice) and context.kind(place.value).name == "list"


def require_distinct_indices(target: ast.Subscript, context: LoweringContext) -> None:
    """Require that the indices in a list or array differ; refuse index arrays on several axes."""
    for root in _places(target):
        for element in indices_of(root):
            seen = context.observation.of(element)
            is_distinct = any(callee in DISTINCT for callee in seen.callees)
            if is_distinct or not (context.kind(element).name == "list" or seen.is_of_places):
                continue
            if root is not target or isinstance(root.slice, ast.Tuple) or seen.repeats:
                what = f"a write at the places {ast.unparse(element)}"
                raise context.refuse(target, what, "Write each place by its own index, or in a loop.")
            test = expression("len(np.unique(_i)) == len(_i)", _i=static(element, context))
            context.out.append(
                PassiveStatement(ast.Assert(test, ast.Constant("one place is written twice")), context.line)
            )


def store_kind(target: ast.Subscript, value: ast.expr, context: LoweringContext) -> ValueKind:
    """The kind of a stored place: part of an array, or a number."""
    owner, indices = context.kind(target.value), indices_of(target)
    if owner.name != "array":
        return context.kind(value)
    first, seen = context.kind(indices[0]).name, context.observation.of(indices[0])
    if first == "list" or (first == "static" and any(shape for shape, _ in seen.shapes)):
        return ValueKind("array", owner.rank)
    rank = owner.rank - sum(not (isinstance(i, ast.Slice) or is_dots(i) or is_new_axis(i)) for i in indices)
    return ValueKind("array", rank) if rank else NUMBER


def stored_fit(value: ast.expr, kind: ValueKind, is_broadcast: bool, context: LoweringContext) -> Fit:
    """The sum that reduces the sensitivity of a place to that of the value stored in it."""
    if kind.name != "array":
        return ""
    if context.kind(value).name == "number":
        return "all"
    return "" if context.kind(value) == kind and not is_broadcast else "to"
