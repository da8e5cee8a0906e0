"""List and dict displays, and comprehensions as loops."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from gradcli.answers.derivation.intermediate.context import Lowered, LoweringContext, lower_block
from gradcli.answers.derivation.intermediate.operands import atom_of, identity
from gradcli.answers.derivation.intermediate.operation_derivatives import ListDisplay, RecordDisplay
from gradcli.answers.derivation.reading.value_kind import ValueKind
from gradcli.answers.derivation.syntax_trees import name, nodes_in, text_of


def lower_display(node: ast.List | ast.Tuple, context: LoweringContext, kind: ValueKind | None = None) -> Lowered:
    """A list or a tuple written out."""
    atoms = tuple(atom_of(element, context) for element in node.elts)
    made = type(node)(list(atoms), ast.Load())
    kinds = tuple(context.kind(element) for element in node.elts)
    return made, ListDisplay(atoms, kinds, kind or context.kind(node))


def lower_dict(node: ast.Dict, context: LoweringContext) -> Lowered:
    """A dict written out."""
    keys = tuple(str(key.value) for key in node.keys if isinstance(key, ast.Constant))  # of this kind, all are texts
    if len(keys) < len(node.keys):
        raise context.refuse(node, f"{text_of(node)}, a dict with keys that are not written out")
    atoms = tuple(atom_of(item, context) for item in node.values)
    kinds = tuple(context.kind(item) for item in node.values)
    return ast.Dict(list(node.keys), list(atoms)), RecordDisplay(atoms, kinds, context.kind(node), keys)


def lower_listcomp(node: ast.ListComp, context: LoweringContext) -> Lowered:
    """A list comprehension as loops that append."""
    kind = context.kind(node)
    made = context.variable(kind, "items")
    context.bind(made, ast.List([], ast.Load()), None)
    context.written.add(made)
    append = ast.Expr(ast.Call(ast.Attribute(name(made), "append", ast.Load()), [node.elt], []))
    add_generated(node.generators, append, context)
    return context.known(name(made), kind), identity(name(made), kind)


def add_generated(generators: Sequence[ast.comprehension], inner: ast.stmt, context: LoweringContext) -> None:
    """The loops of a comprehension around a statement."""
    statement = inner
    for generator in reversed(generators):
        for test in reversed(generator.ifs):
            statement = ast.If(test, [statement], [])
        statement = ast.For(generator.target, generator.iter, [statement], [])
    for part in nodes_in(statement):
        if isinstance(part, ast.stmt):
            part.lineno = context.line
    context.out += lower_block([statement], context)
