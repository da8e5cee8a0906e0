"""Operators, conditional expressions, items and attributes in the intermediate form."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from gradcli.answers.derivation.intermediate.array_function_derivatives import array_function
from gradcli.answers.derivation.intermediate.context import Lowered, LoweringContext
from gradcli.answers.derivation.intermediate.operands import (
    atom_of,
    elementwise,
    fits_of,
    identity,
    lower,
    number_as_array,
    place_of,
    repeated_stacks,
    static,
)
from gradcli.answers.derivation.intermediate.operation_derivatives import (
    ActiveOperation,
    ByTemplate,
    ElementRead,
    SignedSum,
)
from gradcli.answers.derivation.intermediate.statements import Branch
from gradcli.answers.derivation.reading.value_kind import NUMBER, STATIC, ValueKind
from gradcli.answers.derivation.syntax_trees import expression, indices_of, name, text_of
from gradcli.mathematics.rules.rule_table import RULES


class ListConcatenation(ActiveOperation, eq=False):
    """`x + y` for two lists."""

    def pull(self, place: int, ct: ast.expr, value: ast.expr) -> ast.expr | None:
        text = "_ct[len(_x):]" if place else "_ct[: len(_x)]"
        return expression(text, _ct=ct, _x=self.operands[0])

    def push(self, tangents: Mapping[int, ast.expr], value: ast.expr) -> ast.expr | None:
        parts = [tangents.get(n, expression("[0.0] * len(_x)", _x=operand)) for n, operand in enumerate(self.operands)]
        return ast.BinOp(parts[0], ast.Add(), parts[1])


def of_two_lists(
    operator: ast.operator, atoms: tuple[ast.expr, ast.expr], kinds: tuple[ValueKind, ValueKind], kind: ValueKind
) -> ActiveOperation | None:
    """The derivatives of an operator on lists of numbers; None if it has no source form here."""
    if kind.item != NUMBER:
        return None
    if isinstance(operator, ast.Add):
        return ListConcatenation(atoms, kinds, kind)
    if not isinstance(operator, ast.Mult):
        return None
    n = 0 if kinds[0].name == "list" else 1
    pulls, pushes = ("[sum(ct[k :: len(x)]) for k in range(len(x))]",), ("t * n",)
    return ByTemplate((atoms[n],), (kinds[n],), kind, pulls, pushes, {"n": atoms[1 - n]})


BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow", ast.Mod: "mod"}
Nodes = Sequence[ast.expr]
UNARY = {ast.USub: "neg", ast.UAdd: "pos"}


def sum_of_terms(node: ast.BinOp, context: LoweringContext) -> tuple[ast.expr, ActiveOperation] | None:
    """A sum of three or more terms as one operation; None if a term is broadcast."""
    terms: list[tuple[int, ast.expr]] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp) and isinstance(left.op, (ast.Add, ast.Sub)) and context.dependence.of(left):
        kind = context.kind(left)
        if kind.name not in ("number", "array") or any(fits_of(left, (left.left, left.right), kind, context)):
            return None
        terms.insert(0, (1 if isinstance(left.op, ast.Add) else -1, left.right))
        left = left.left
    if len(terms) < 2:
        return None
    terms.insert(0, (1, left))
    atoms = [atom_of(term, context) for _, term in terms]
    made = atoms[0]
    for atom, (sign, _) in zip(atoms[1:], terms[1:], strict=True):
        made = ast.BinOp(made, ast.Add() if sign > 0 else ast.Sub(), atom)
    kinds = tuple(context.kind(term) for _, term in terms)
    signs = tuple(sign for sign, _ in terms)
    return made, SignedSum(tuple(atoms), kinds, context.kind(node), signs)


def lower_binop(node: ast.BinOp, context: LoweringContext) -> Lowered:
    """An operator with two operands; `-x * y` is the negative of `x * y`, so that no name holds `-x`."""
    if isinstance(node.op, (ast.Add, ast.Sub)) and (terms := sum_of_terms(node, context)) is not None:
        return terms
    sign = node.left if isinstance(node.left, ast.UnaryOp) and isinstance(node.left.op, ast.USub) else None
    if sign is not None and isinstance(node.op, (ast.Mult, ast.Div)) and context.dependence.of(sign):
        inner = ast.copy_location(ast.BinOp(sign.operand, node.op, node.right), node)
        inner.number = node.number  # type: ignore[attr-defined]
        negated = ast.copy_location(ast.UnaryOp(sign.op, inner), node)
        negated.known_kind = context.kind(node)  # type: ignore[attr-defined]
        return lower_unaryop(negated, context)
    left, right = atom_of(node.left, context), atom_of(node.right, context)
    if isinstance(node.op, ast.MatMult):
        made = ast.BinOp(left, node.op, right)
        return array_operator("matmul", node, [node.left, node.right], [left, right], made, context)
    if context.kind(node).name == "list":
        made, kinds = ast.BinOp(left, node.op, right), (context.kind(node.left), context.kind(node.right))
        operation = of_two_lists(node.op, (left, right), kinds, context.kind(node))
        if operation is None:
            raise context.refuse(node, f"{text_of(node)}, which is a {context.kind(node)}")
        return made, operation
    if type(node.op) not in BINARY:
        raise context.refuse(node, f"the operator in {text_of(node)}")
    rule, parts = RULES[BINARY[type(node.op)]], (node.left, node.right)
    return elementwise(rule, node, parts, (left, right), ast.BinOp(left, node.op, right), context)


def array_operator(
    called: str, node: ast.expr, parts: Nodes, atoms: Nodes, made: ast.expr, context: LoweringContext
) -> Lowered:
    """An operator of whole arrays, by its products."""
    kinds, repeated = [context.kind(part) for part in parts], repeated_stacks(node, parts, context)
    operation = array_function(called, atoms, kinds, context.kind(node), {}, repeated)
    if operation is None:
        raise context.refuse(node, f"{text_of(node)}, an operation without a written derivative")
    return made, operation


def lower_unaryop(node: ast.UnaryOp, context: LoweringContext) -> Lowered:
    """A sign."""
    operand = atom_of(node.operand, context)
    rule = RULES.get(UNARY.get(type(node.op), ""))
    return elementwise(rule, node, (node.operand,), (operand,), ast.UnaryOp(node.op, operand), context)


def lower_ifexp(node: ast.IfExp, context: LoweringContext) -> Lowered:
    """`a if test else b` as a branch."""
    kind = context.kind(node)
    made = context.variable(kind)
    sides = []
    for side in (node.body, node.orelse):
        outer, context.out = context.out, []
        if context.dependence.of(side):
            context.bind(made, *lower(side, context))
        else:
            context.bind(made, static(side, context), None)
        sides.append(context.out)
        context.out = outer
    context.out.append(Branch(static(node.test, context), sides[0], sides[1], context.line))
    return context.known(name(made), kind), identity(name(made), kind)


def lower_subscript(node: ast.Subscript, context: LoweringContext) -> Lowered:
    """An item, a slice or the elements at some indices."""
    if context.kind(node.value) == NUMBER:
        if all(getattr(index, "value", 0) in (None, ...) for index in indices_of(node)):
            return number_as_array(lambda atom: ast.Subscript(atom, node.slice, ast.Load()), node.value, node, context)
        raise context.refuse(node, f"{text_of(node)}, an item of an array without axes", "Write the number itself.")
    place, owner = place_of(node, context)
    kind = context.kind(node)
    indices = indices_of(node)
    # A mask names no place twice, as integers may
    scatters = any(
        context.observation.of(index).is_of_places or context.kind(index).name == "list" for index in indices
    )
    return place, ElementRead((name(owner),), (context.kinds.get(owner, STATIC),), kind, place, scatters)


def lower_attribute(node: ast.Attribute, context: LoweringContext) -> Lowered:
    """The transpose `x.T`."""
    if node.attr != "T" or context.kind(node).name != "array":
        raise context.refuse(node, f"the attribute {node.attr}")
    operand = atom_of(node.value, context)
    return array_operator("T", node, [node.value], [operand], ast.Attribute(operand, "T", ast.Load()), context)
