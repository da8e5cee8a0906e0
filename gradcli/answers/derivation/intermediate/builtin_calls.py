"""Calls of Python's built-in functions: conversions, sums and extremes, as loops and comparisons."""

from __future__ import annotations

import ast

from gradcli.answers.derivation.intermediate.assignments import assign
from gradcli.answers.derivation.intermediate.context import Lowered, LoweringContext
from gradcli.answers.derivation.intermediate.lists_comprehensions import add_generated
from gradcli.answers.derivation.intermediate.operands import atom_of, identity, lower, static
from gradcli.answers.derivation.intermediate.operation_derivatives import ByTemplate
from gradcli.answers.derivation.intermediate.statements import Assignment, Branch
from gradcli.answers.derivation.reading.value_kind import NUMBER, STATIC, ValueKind
from gradcli.answers.derivation.syntax_trees import expression, name, text_of


def float_call(node: ast.Call, context: LoweringContext) -> Lowered:
    """`float(x)` of a number."""
    argument = node.args[0]
    if context.kind(argument) != NUMBER:
        raise context.refuse(node, f"float of a {context.kind(argument)}")
    return lower(argument, context)


def list_call(node: ast.Call, context: LoweringContext) -> Lowered:
    """`list(items)` or `tuple(items)`."""
    argument = node.args[0]
    if isinstance(argument, ast.GeneratorExp):
        return lower(context.known(ast.ListComp(argument.elt, argument.generators), node), context)
    atom = atom_of(argument, context)
    if context.kind(argument) == ValueKind("array", 1) and getattr(node.func, "id", "") == "list":
        return ast.Call(node.func, [atom], []), ByTemplate(
            (atom,), (context.kind(argument),), context.kind(node), ("np.array(ct)",), ("list(t)",)
        )
    if context.kind(argument).name != "list" or (item := context.kind(argument).item) is None or item.name == "list":
        raise context.refuse(node, f"{text_of(node)}")
    return ast.Call(node.func, [atom], []), identity(atom, context.kind(node))


def sum_call(node: ast.Call, context: LoweringContext) -> Lowered:
    """`sum(…)` as a loop."""
    kind = context.kind(node)
    made = context.variable(kind, "total")
    start = static(node.args[1], context) if len(node.args) > 1 else ast.Constant(0.0 if kind == NUMBER else 0)
    if kind != NUMBER:
        raise context.refuse(node, f"{text_of(node)}, a sum of what is no number", hint="Use np.sum.")
    context.bind(made, start, None)
    argument = node.args[0]
    if isinstance(argument, (ast.GeneratorExp, ast.ListComp)):
        generators, term = argument.generators, argument.elt
    else:
        item = context.variable(context.item_kind(argument), "each")
        generators, term = [ast.comprehension(ast.Name(item, ast.Store()), argument, [], 0)], name(item)
    added = ast.BinOp(name(made), ast.Add(), term)
    inner = ast.Assign([ast.Name(made, ast.Store())], context.known(added, kind))
    add_generated(generators, inner, context)
    return context.known(name(made), kind), identity(name(made), kind)


def extreme_call(node: ast.Call, context: LoweringContext, operator: ast.cmpop) -> Lowered:
    """`max(…)` or `min(…)` as comparisons by an operator, which select the first of equal values."""
    if node.keywords or not node.args:
        raise context.refuse(node, text_of(node), hint="Write the loop, or use np.max.")
    if len(node.args) == 1:
        return extreme_of_items(node, operator, context)
    kind = context.kind(node)
    made = context.variable(kind)
    atoms = [context.known(atom_of(argument, context), argument) for argument in node.args]
    first = atoms[0]
    context.bind(made, first, identity(first, kind) if context.dependence.of(first) else None)
    for atom in atoms[1:]:
        test = ast.Compare(atom, [operator], [name(made)])
        operation = identity(atom, kind) if context.dependence.of(atom) else None
        context.out.append(Branch(test, [Assignment(made, atom, operation, context.line)], [], context.line))
    return context.known(name(made), kind), identity(name(made), kind)


def extreme_of_items(node: ast.Call, operator: ast.cmpop, context: LoweringContext) -> Lowered:
    """`max(items)` or `min(items)` as a loop over all but the first, which equals itself."""
    argument = node.args[0]
    if isinstance(argument, ast.GeneratorExp):
        argument = context.known(ast.ListComp(argument.elt, argument.generators), ValueKind("list", item=NUMBER))
    if context.kind(node) != NUMBER or context.item_kind(argument) != NUMBER:
        raise context.refuse(node, f"{text_of(node)}, an extreme of what are no numbers")
    items = context.known(atom_of(argument, context), argument)
    made, index = context.variable(NUMBER), context.made_name("k")
    context.kinds[index] = STATIC
    first, item = (
        context.known(ast.Subscript(items, place, ast.Load()), NUMBER) for place in (ast.Constant(0), name(index))
    )
    assign(ast.Name(made, ast.Store()), first, context)
    test = ast.Compare(item, [operator], [name(made)])
    inner = ast.If(test, [ast.Assign([ast.Name(made, ast.Store())], item)], [])
    others = expression("range(1, len(_x))", _x=items)
    add_generated([ast.comprehension(ast.Name(index, ast.Store()), others, [], 0)], inner, context)
    return context.known(name(made), NUMBER), identity(name(made), NUMBER)
