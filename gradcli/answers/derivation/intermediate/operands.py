"""Values, operands and places in the intermediate form: what a statement reads, under names."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from gradcli.answers.derivation.intermediate.context import Lowered, LoweringContext
from gradcli.answers.derivation.intermediate.copied_rule_functions import MODULES
from gradcli.answers.derivation.intermediate.liveness import all_bound
from gradcli.answers.derivation.intermediate.operation_derivatives import (
    ActiveOperation,
    ByPartials,
    ByTemplate,
    Identity,
)
from gradcli.answers.derivation.intermediate.python_formulas import python_formula
from gradcli.answers.derivation.intermediate.statements import Assignment
from gradcli.answers.derivation.reading.reporting_copies import parts_of
from gradcli.answers.derivation.reading.user_functions import CLOSURE
from gradcli.answers.derivation.reading.value_kind import NONE, NUMBER, STATIC, Fit, KeptAxes, ValueKind, fit_of
from gradcli.answers.derivation.refusals import TEXTS_AS_KEYS
from gradcli.answers.derivation.syntax_trees import (
    copied,
    expression,
    filled,
    indices_of,
    name,
    names_in,
    nodes_in,
    text_of,
)
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.transforms.gradients import stop_gradient

CHEAP_CALLS = frozenset(("len", "min", "max", "int", "abs", "range"))
LARGEST_INDEX = 16  # nodes of an index that is repeated instead of stored


class _RulesWrittenOut(ast.NodeTransformer):
    """Writes calls of rules, which a derived file does not know, as the formulas of their values.

    Functions that write into their arguments get copies, and return them.
    """

    def __init__(self, context: LoweringContext) -> None:
        self.context = context
        self.observation = context.observation

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """The formula of a rule's value, or the call with its parts written out; the captured values of a closure."""
        if getattr(node.func, "id", "") == CLOSURE:
            return ast.Tuple(node.args[1:], ast.Load())
        observed = self.observation.of(node)
        if isinstance(node.func, ast.Attribute) and observed.kind == NONE and node.func.attr != "get":
            refuse_change(node.func, self.context)
        for user in observed.users[:1]:
            if any(map(self.context.dependence.is_object, parts_of(node))):
                raise self.context.refuse(node, f"{text_of(node)}, which hands on an object and returns no float")
            given = user.bound_expressions(node)
            kinds = {
                parameter: self.observation.kind(given[parameter]).name
                for parameter in user.effects.written
                if parameter in given
            }
            made = {id(given[parameter]): copied(given[parameter], kind) for parameter, kind in kinds.items()}
            node.args = [made.get(id(argument), argument) for argument in node.args]
            node.keywords = [ast.keyword(k.arg, made.get(id(k.value), k.value)) for k in node.keywords]
        node = by_own_name(node, self.context)
        self.generic_visit(node)
        if observed.callees == [stop_gradient]:
            return self._constant(node)
        if len(observed.callees) != 1 or not isinstance(rule := observed.callees[0], Elementwise) or node.keywords:
            return node
        names = dict(zip(rule.parameters, node.args, strict=True))
        return python_formula(rule.value_tree, names, self.observation.kind(node).name == "array")

    def _constant(self, node: ast.Call) -> ast.expr:
        """What a call of stop_gradient returns: the number, or a copy of the array or list."""
        kind = self.observation.kind(node)
        (value,) = (*node.args, *(keyword.value for keyword in node.keywords))
        if kind.carries and kind.name not in ("number", "array") and kind.item != NUMBER:
            hint = "Stop each number or array on its own."
            raise self.context.refuse(node, f"{text_of(node)}, a constant {kind}", hint)
        is_new = kind in (NUMBER, STATIC) or isinstance(value, (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.ListComp))
        return value if is_new else copied(value, kind.name)


def by_own_name(node: ast.Call, context: LoweringContext) -> ast.Call:
    """The call of a function that was handed on, by the function's own name, after the values that it captures.

    The same for NumPy's functions that an object of another library hands out.
    """
    kind = context.kind(node.func) if isinstance(node.func, ast.Name) else STATIC
    callees, root = context.observation.of(node).callees, getattr(node.func, "value", None)
    function = kind.function
    if isinstance(root, ast.Name) and not isinstance(context.user.namespace.get(root.id, np), ModuleType):
        is_own = root.id in context.user.changed | set(context.user.parameters)
        function = callees[0] if len(callees) == 1 and not is_own and module_of(callees[0]) else None
    if function is None:
        return node
    own, module = function.__name__, module_of(function)
    if not module and context.user.namespace.setdefault(own, function) is not function:
        raise context.refuse(node, f"two functions with the name {own}", "Give one of them another name.")
    parts = [context.known(ast.Subscript(node.func, ast.Constant(n), ast.Load()), field) for n, field in kind.fields]
    made = copy.copy(node)
    made.func, made.args = expression(f"{module}.{own}" if module else own), [*parts, *node.args]
    return made


def module_of(function: Any) -> str:
    """The name of the module from which a function can be read by its own name, of those in MODULES; empty for none."""
    own = getattr(function, "__name__", "")
    return next((text for text, home in MODULES.items() if vars(home).get(own, home) is function), "")


def lower(node: ast.expr, context: LoweringContext) -> Lowered:
    """An active expression with its operands under names, and its operation."""
    context.line = getattr(node, "lineno", context.line)
    is_known = hasattr(node, "known_kind") or (isinstance(node, ast.Name) and node.id in context.kinds)
    if isinstance(node, ast.GeneratorExp):  # of which no run sees a value
        raise context.refuse(node, f"{text_of(node)}, a generator", f"Write a list: [{text_of(node)[1:-1]}].")
    if hasattr(node, "number") and context.observation.of(node).kind is None and not is_known:
        raise context.refuse(
            node,
            f"{text_of(node)}, which no run reached",
            hint="Give a point that leads there, or leave out the branch that none takes.",
        )
    if isinstance(node, ast.Name):
        return node, identity(node, context.kind(node))
    lowering = context.tables.expressions.get(type(node))
    if context.kind(node) == STATIC:  # a whole number in each run, whose operands carry a derivative in others
        node = context.known(node, NUMBER)
    if lowering is None or not context.kind(node).carries or context.kind(node).name == "other":
        is_other = context.kind(node).name == "other"
        which = ", which is no number, list or array" if is_other else " of numbers with a derivative"
        hint = "Let the functions that it calls return numbers, lists or arrays." if is_other else ""
        hint = TEXTS_AS_KEYS if isinstance(node, ast.Dict) else hint
        raise context.refuse(node, f"{text_of(node)}{which}", hint)
    return lowering(node, context)


def atom_of(node: ast.expr, context: LoweringContext) -> ast.expr:
    """An operand: a name, a constant, or a small expression without a derivative."""
    if isinstance(node, (ast.Name, ast.Constant)):
        return node
    if isinstance(node, ast.Subscript) and context.dependence.of(node) and is_steady(node, context):
        return context.known(place_of(node, context)[0], node)
    if not context.dependence.of(node):
        return static(node, context) if is_cheap(node) else static_name(node, context)
    value, operation = lower(node, context)
    return value if isinstance(value, ast.Name) else context.temporary(value, operation, context.kind(node))


def operand_of(node: ast.expr, context: LoweringContext) -> ast.expr:
    """An operand under a name if it carries a derivative; else the expression."""
    return atom_of(node, context) if context.dependence.of(node) else static(node, context)


def static(node: ast.expr, context: LoweringContext) -> ast.expr:
    """An expression without a derivative, unchanged, but for the calls of rules."""
    return _RulesWrittenOut(context).visit(filled(node))  # type: ignore[no-any-return]


def refuse_change(method: ast.Attribute, context: LoweringContext) -> None:
    """Refuse a method that changes an object with a derivative in place."""
    if context.dependence.of(method.value):
        raise context.refuse(method, f"the method {method.attr}, which changes its object in place")


def number_as_array(
    made: Callable[[ast.expr], ast.expr], number: ast.expr, node: ast.expr, context: LoweringContext
) -> Lowered:
    """An expression that makes an array of one element, or without axes, from a number."""
    kind, atom = context.kind(node), atom_of(number, context)
    if kind == NUMBER:
        return made(atom), identity(atom, kind)
    pulls, pushes = ("ct.item()",), (f"np.full({(1,) * kind.rank}, t)",)
    return made(atom), ByTemplate((atom,), (NUMBER,), kind, pulls, pushes)


def identity(operand: ast.expr, kind: ValueKind) -> ActiveOperation:
    """The operation that passes an operand on."""
    return Identity((operand,), (kind,), kind)


def static_name(node: ast.expr, context: LoweringContext) -> ast.expr:
    """An expression without a derivative, under a name."""
    return node if isinstance(node, ast.Name) else context.temporary(static(node, context), None, context.kind(node))


def is_steady(node: ast.Subscript, context: LoweringContext) -> bool:
    """Whether an item can be read again later, because its names are bound once and never written into."""
    root: ast.expr = node
    while isinstance(root, ast.Subscript):
        if not is_cheap(root.slice) or context.observation.of(root.slice).shapes:
            return False
        root = root.value
    is_number = context.kind(node) == NUMBER
    return is_number and isinstance(root, ast.Name) and root.id in context.steady


def place_of(node: ast.Subscript, context: LoweringContext) -> tuple[ast.expr, str]:
    """A place `owner[i][j]` with indices that may be repeated, and its owner."""
    indices: list[ast.expr] = []
    root: ast.expr = node
    while isinstance(root, ast.Subscript) and (root is node or not _is_copy(root, context)):
        if context.dependence.of(root.slice):
            raise context.refuse(node, f"the index {text_of(root.slice)}, which has a derivative")
        indices.append(root.slice)
        root = root.value
    if not isinstance(root, ast.Name):
        root = atom_of(root, context)
    if not isinstance(root, ast.Name):
        raise context.refuse(node, f"an item of {text_of(root)}")
    made: ast.expr = name(root.id)
    for index in reversed(indices):
        is_own = root.id in names_in(index) or any(isinstance(n, ast.Compare) for n in nodes_in(index))
        repeated = static_name if is_own and not isinstance(index, ast.Slice) else repeatable_index
        made = ast.Subscript(made, repeated(index, context), ast.Load())
    return made, root.id


def _is_copy(node: ast.Subscript, context: LoweringContext) -> bool:
    """Whether an item is a copy, because its index is an array or a list."""
    indices = [(context.kind(index).name, context.observation.of(index).shapes) for index in indices_of(node)]
    return any(kind == "list" or any(shape for shape, _ in shapes) for kind, shapes in indices)


def repeatable_index(node: ast.expr, context: LoweringContext) -> ast.expr:
    """An index that may be repeated: cheap, a slice, or under a name."""
    if isinstance(node, ast.Tuple) and not is_cheap(node):
        return ast.Tuple([repeatable_index(element, context) for element in node.elts], ast.Load())
    return static(node, context) if is_cheap(node) or isinstance(node, ast.Slice) else static_name(node, context)


def fits_of(node: ast.expr, parts: Sequence[ast.expr], kind: ValueKind, context: LoweringContext) -> tuple[Fit, ...]:
    """The sums that reduce a sensitivity of the result's shape to each operand's, from the observed shapes."""
    if kind.name != "array":
        return tuple("" for _ in parts)
    if not all(hasattr(part, "number") for part in parts):  # handed over by a star, and not observed
        return tuple("to" if context.kind(part).name == "array" else "all" for part in parts)
    places = {id(part): n for n, part in enumerate(parts_of(node))}
    seen = context.observation.of(node).shapes
    of_parts = [[(v, p[places[id(part)]]) for v, p in seen] for part in parts]
    return tuple(map(fit_of, of_parts))


def repeated_stacks(node: ast.expr, parts: Sequence[ast.expr], context: LoweringContext) -> list[bool]:
    """Whether each operand of a product of stacks of matrices was broadcast along the axes of the other."""
    places = {id(part): n for n, part in enumerate(parts_of(node))}
    if not all(id(part) in places for part in parts):
        return [True for _ in parts]
    seen = [[shapes[places[id(part)]][:-2] for part in parts] for _, shapes in context.observation.of(node).shapes]
    return [any(stacks[n] != np.broadcast_shapes(*stacks) for stacks in seen) for n in range(len(parts))]


def definition(atom: ast.expr, context: LoweringContext) -> Assignment | None:
    """The statement of this block that bound a name last; None without one, or if a nested block may have bound it."""
    last = next((made for made in reversed(context.out) if names_in(atom) & all_bound([made])), None)
    return last if isinstance(last, Assignment) else None


def kept_axes(atoms: Sequence[ast.expr], context: LoweringContext) -> tuple[Fit, Fit] | None:
    """The sums that fit `x` and what `x.sum(axis=1, keepdims=True)` or the like gave; None for other operands."""
    made = definition(atoms[1], context) if len(atoms) == 2 else None
    if made is None or not isinstance(made.operation, ByTemplate) or not isinstance(atoms[0], ast.Name):
        return None
    options, whole = made.operation.extra, made.operation.operands[0]
    later = all_bound(context.out[context.out.index(made) :])
    is_reduced = "keepdims" in options and ast.dump(whole) == ast.dump(atoms[0]) and atoms[0].id not in later
    if not is_reduced or names_in(*options.values()):
        return None
    return "", KeptAxes(", ".join(f"{option}={text_of(value)}" for option, value in options.items()))


def elementwise(
    rule: Any,
    node: ast.expr,
    parts: Sequence[ast.expr],
    atoms: Sequence[ast.expr],
    made: ast.expr,
    context: LoweringContext,
) -> Lowered:
    """An operation on numbers, or on arrays element by element, by the partials of its rule.

    The parts are the user's expressions, which have observations, and the atoms their operands.
    """
    kind = context.kind(node)
    for part in parts:
        if context.observation.of(part).wraps:
            what = f"{text_of(part)}, whole numbers of so few bits that they wrap around,"
            raise context.refuse(part, what, hint="Make them floats: float(x), or x.astype(float).")
    if not isinstance(rule, Elementwise) or len(rule.parameters) != len(parts):
        raise context.refuse(node, f"{text_of(node)}, an operation without a written derivative")
    if kind.name not in ("array", "number"):
        raise context.refuse(node, f"{text_of(node)}, which is a {kind}")
    for part, slope, parameter in zip(parts, rule.partials, rule.parameters, strict=True):
        if rule.special and slope is None and context.dependence.of(part):
            what = f"{text_of(node)}, whose derivative by its argument {parameter} has no written form"
            raise context.refuse(node, what, "Pass a plain number there, or leave its input out with --wrt.")
    kinds = tuple(context.kind(part) for part in parts)
    fits = kept_axes(atoms, context) or fits_of(node, parts, kind, context)
    operation = ByPartials(tuple(atoms), kinds, kind, fits, rule)
    check_partials(operation, node, [context.dependence.of(part) for part in parts], context)
    return made, operation


def check_partials(
    operation: ActiveOperation, node: ast.expr, active: Sequence[bool], context: LoweringContext
) -> None:
    """Write the partials once, to refuse here those without a source form."""
    try:
        for place, is_active in enumerate(active):
            if is_active:
                operation.pull(place, name("ct"), name("v"))
    except UnsupportedError as error:
        raise context.refuse(node, f"{text_of(node)}: {error.message}") from None


def is_cheap(node: ast.expr) -> bool:
    """Whether an expression without a derivative may be repeated where its value is needed."""
    parts = list(nodes_in(node))
    if len(parts) > LARGEST_INDEX or any(isinstance(part, (ast.ListComp, ast.GeneratorExp)) for part in parts):
        return False
    calls = [part for part in parts if isinstance(part, ast.Call)]
    return all(isinstance(call.func, ast.Name) and call.func.id in CHEAP_CALLS for call in calls)
