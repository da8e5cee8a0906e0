"""Calls in the intermediate form: functions with a rule, and the user's own; others by their tables."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence
from functools import partial
from types import BuiltinFunctionType, FunctionType
from typing import Any

import numpy as np

from gradcli.answers.derivation.formatted_statements import literal
from gradcli.answers.derivation.intermediate.array_calls import OF_LISTS, function_call, method_call
from gradcli.answers.derivation.intermediate.builtin_calls import extreme_call, float_call, list_call, sum_call
from gradcli.answers.derivation.intermediate.context import Lowered, LoweringContext
from gradcli.answers.derivation.intermediate.inlined_calls import inlined_call
from gradcli.answers.derivation.intermediate.lists_comprehensions import lower_display
from gradcli.answers.derivation.intermediate.operands import atom_of, by_own_name, elementwise, identity, module_of
from gradcli.answers.derivation.intermediate.python_formulas import python_formula
from gradcli.answers.derivation.intermediate.statements import PassiveStatement, RoutineCall
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.user_functions import Closure, is_users
from gradcli.answers.derivation.reading.value_kind import STATIC, ValueKind, kind_of
from gradcli.answers.derivation.syntax_trees import expression, has_stars, name, text_of
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.numpy.ufuncs import ufunc_rule
from gradcli.mathematics.rules.rule_table import RULES
from gradcli.mathematics.rules.rule_types import Elementwise

MATH = {"fabs": "abs"}
BUILTINS: dict[str, Callable[[ast.Call, LoweringContext], Lowered]] = {
    "float": float_call,
    "list": list_call,
    "max": partial(extreme_call, operator=ast.Gt()),
    "min": partial(extreme_call, operator=ast.Lt()),
    "sum": sum_call,
    "tuple": list_call,
}


def lower_call(node: ast.Call, context: LoweringContext) -> Lowered:
    """A call: of a user function, a method of an array, a built-in function, a rule, or an array function."""
    callees = context.observation.of(node).callees
    if len(callees) != 1:
        hint = "Give a point at which it is called." if not callees else "Call one function there."
        why = "was never reached" if not callees else "calls different functions by turns"
        if callees and not any(isinstance(callee, (FunctionType, BuiltinFunctionType)) for callee in callees):
            why, hint = (
                f"calls a {type(callees[0]).__name__} that is made in every run",
                "Call a function that the module holds.",
            )
        raise context.refuse(node, f"{text_of(node)}, which {why}", hint=hint)
    callee = callees[0]
    if callee is Closure:
        return lower_display(ast.copy_location(ast.Tuple(node.args[1:], ast.Load()), node), context, context.kind(node))
    if context.dependence.is_chosen(node):
        what = f"{text_of(node.func)}, a function that is chosen or made while the program runs"
        raise context.refuse(node, what, hint="Call a function or a method of an object that the module holds.")
    if is_users(callee):
        return routine_call(node, context)
    node = by_own_name(without_stars(node, context), context)
    owner = getattr(callee, "__self__", None)
    called = getattr(callee, "__name__", "")
    if isinstance(owner, (np.ndarray, np.generic)):
        return method_call(node, called, context)
    if called in BUILTINS and getattr(callee, "__module__", "") == "builtins":
        return BUILTINS[called](node, context)
    rule = rule_of(callee, called, node)
    if rule is not None and not node.keywords:
        atoms = [atom_of(argument, context) for argument in node.args]
        return elementwise(rule, node, node.args, atoms, value_of_call(rule, callee, node, atoms, context), context)
    return function_call(node, callee, called, context)


def value_of_call(rule: Any, callee: Any, node: ast.Call, atoms: list[ast.expr], context: LoweringContext) -> ast.expr:
    """The call as it stands, or the formula of a rule that only gradcli knows."""
    if callee is not rule or len(atoms) != len(rule.parameters):
        return ast.Call(node.func, atoms, [])
    try:
        names = dict(zip(rule.parameters, atoms, strict=True))
        return python_formula(rule.value_tree, names, context.kind(node).name == "array")
    except UnsupportedError as error:
        raise context.refuse(node, f"{text_of(node)}: {error.message}") from None


def rule_of(callee: Any, called: str, node: ast.Call) -> Any:
    """The rule of elements or of a matrix product that a call is differentiated by; None if there is none."""
    if isinstance(callee, Elementwise):
        return callee
    module = getattr(callee, "__module__", "") or ""
    if module == "math" and called in OF_LISTS:
        return None
    if module == "math":
        if called == "log" and len(node.args) == 2:
            return None
        return RULES.get(MATH.get(called, called))
    if isinstance(callee, np.ufunc):
        return None if called == "matmul" else ufunc_rule(called)
    if callee is abs or callee is pow:
        return RULES[called]
    is_open = any(isinstance(part, ast.Constant) and part.value is None for part in node.args)  # np.clip(x, None, 1.0)
    if callee in (np.where, np.clip, np.sinc) and not is_open:
        return RULES[called]
    return None


def is_gathered(node: ast.Call, user: UserFunction) -> bool:
    """Whether the items of a list that a call hands over are those that `*args` gathers."""
    starred = [argument for argument in node.args if isinstance(argument, ast.Starred)]
    is_rest = user.tree.args.vararg is not None and node.args[len(user.positional) :] == starred
    return is_rest and all(keyword.arg for keyword in node.keywords)


def without_stars(node: ast.Call, context: LoweringContext) -> ast.Call:
    """`f(*a, **d)` as `f(a[0], a[1], key=d["key"])`, with as many items as in every run, which is asserted."""
    if not has_stars(node):
        return node
    given = context.observation.of(node).given
    if len(given) != 1 or sum(isinstance(argument, ast.Starred) for argument in node.args) > 1:
        raise context.refuse(node, "arguments with a star, of several lists or lengths", "Hand over the list.")
    ((count, names),) = given
    arguments: list[ast.expr] = []
    for argument in node.args:
        items = range(count - len(node.args) + 1) if isinstance(argument, ast.Starred) else ()
        arguments += [] if isinstance(argument, ast.Starred) else [argument]
        arguments += read_items(argument.value, items, context) if isinstance(argument, ast.Starred) else []
    keywords = [keyword for keyword in node.keywords if keyword.arg]
    for keyword in node.keywords:
        keys = [key for key in names if key not in {k.arg for k in keywords} and keyword.arg is None]
        parts = read_items(keyword.value, keys, context) if keyword.arg is None else []
        keywords += [ast.keyword(key, part) for key, part in zip(keys, parts, strict=True)]
    made = copy.copy(node)
    made.args, made.keywords = arguments, keywords
    return made


def read_items(value: ast.expr, keys: Sequence[int | str], context: LoweringContext) -> list[ast.expr]:
    """The items of a list or a dict, as expressions, after the assertion that there are no others."""
    atom = context.known(atom_of(value, context), value)
    test = expression(f"len(_x) == {len(keys)}", _x=atom)
    context.out.append(PassiveStatement(ast.Assert(test, ast.Constant("derived for another length"))))
    kinds: dict[int | str, ValueKind] = dict.fromkeys(keys, context.item_kind(value))
    kinds.update(context.kind(value).fields)
    return [context.known(ast.Subscript(atom, ast.Constant(key), ast.Load()), kinds[key]) for key in keys]


def routine_call(node: ast.Call, context: LoweringContext) -> Lowered:
    """A call of a function that is derived as well."""
    user, *others = context.observation.of(node).users
    if others:
        what = f"{text_of(node)}, which has arguments of different kinds by turns"
        raise context.refuse(node, what, hint="Call one function for each.")
    node = by_own_name(node, context)
    arguments = user.bound_expressions(node if is_gathered(node, user) else without_stars(node, context))
    for parameter, argument in arguments.items():
        if not hasattr(argument, "number") and isinstance(argument, (ast.Tuple, ast.Dict)):  # gathered
            argument.known_kind = context.observation.kind(user.arguments[parameter])  # type: ignore[union-attr]
    parameters = context.observation.parameters(user)
    for parameter in parameters:
        if parameter not in arguments:
            default = user.defaults[parameter]
            module = module_of(default)
            text = f"{module}.{default.__name__}" if module else literal(default)
            if text is None:
                raise context.refuse(node, f"the default of {parameter}, a {type(default).__name__}")
            arguments[parameter] = context.known(expression(text), kind_of(default))
    if context.inlined is not None and user.function in context.inlined:
        raise context.refuse(node, f"how to write the call of {user.name} by itself in this language")
    if context.inlined is not None:
        value = inlined_call(user, {parameter: arguments[parameter] for parameter in parameters}, node, context)
        kind = context.kind(node)
        return lower_display(value, context, kind) if isinstance(value, ast.Tuple) else (value, identity(value, kind))
    ordered = [arguments[parameter] for parameter in parameters]
    called, active = context.registry(user)
    atoms = tuple(atom_of(argument, context) for argument in ordered)
    kind = context.kind(node)
    made, kept = context.variable(kind), context.made_name("kept")
    context.kinds[kept] = STATIC
    places = tuple(
        n for n, argument in enumerate(ordered) if parameters[n] in active and context.dependence.of(argument)
    )
    context.out.append(RoutineCall(made, called, atoms, kept, places, context.line))
    return context.known(name(made), kind), identity(name(made), kind)
